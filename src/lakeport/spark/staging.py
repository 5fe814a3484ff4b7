"""Rows of a job between its tasks and its commit: a file for every attempt of a task.

Whatever an attempt leaves that did not end well is never named by a commit, so a task that runs twice
counts once. The folder goes when the job ends, either way.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import fs

from lakeport.core.errors import PreconditionError
from lakeport.core.names import quoted

_PREFIX = "lakeport-spark-"
_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")


@dataclass(frozen=True, slots=True)
class Staging:
    """One job's folder, a path or the address of an object store. Made by `staging_in`."""

    folder: str

    def write(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> tuple[str, int]:
        """A file of its own, and how many rows are in it.

        The folder is never made here: a task that ends after its job did would bring it back.
        """
        system, root = self._system()
        file, rows = f"{root}/{uuid.uuid4().hex}.arrows", 0
        try:
            stream = system.open_output_stream(file)
        except FileNotFoundError:
            raise self._not_shared() from None
        with stream, pa.ipc.new_stream(stream, schema, options=_OPTIONS) as writer:
            for batch in batches:
                writer.write_batch(batch)
                rows += batch.num_rows
        return file, rows

    def require(self, files: Iterable[str]) -> None:
        """Before anything is sent: all that the tasks left can be read from here."""
        system, _ = self._system()
        for file in files:
            if system.get_file_info(file).type is not fs.FileType.File:
                raise self._not_shared()

    def read(self, file: str) -> Iterator[pa.RecordBatch]:
        system, _ = self._system()
        with system.open_input_stream(file) as stream, pa.ipc.open_stream(stream) as reader:
            yield from reader

    def remove(self) -> None:
        system, root = self._system()
        if system.get_file_info(root).type is fs.FileType.Directory:
            system.delete_dir(root)

    def _not_shared(self) -> PreconditionError:
        return PreconditionError(
            f"the folder {quoted(self.folder)} is not the same for the driver and a worker",
            hint='name a folder that all of them share: .option("staging", "…")',
        )

    def _system(self) -> tuple[fs.FileSystem, str]:
        if "://" in self.folder:
            return fs.FileSystem.from_uri(self.folder)
        return fs.LocalFileSystem(), self.folder


def staging_in(folder: str | None) -> Staging:
    """A new one there; in this machine's folder for such things if none is named.

    There nobody but its owner can look into it.
    """
    if folder is None:
        return Staging(tempfile.mkdtemp(prefix=_PREFIX))
    name = _PREFIX + uuid.uuid4().hex
    if "://" not in folder:
        made = Path(folder).absolute() / name
        made.mkdir(parents=True)
        return Staging(str(made))
    system, root = fs.FileSystem.from_uri(folder)
    system.create_dir(f"{root}/{name}", recursive=True)
    return Staging(f"{folder.rstrip('/')}/{name}")
