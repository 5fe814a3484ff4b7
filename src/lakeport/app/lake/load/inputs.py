"""One file to be loaded, whatever its format: which columns it has, and its rows as batches."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, get_args

import pyarrow as pa

from lakeport.app.lake.load.arrow import ArrowInput, ParquetInput
from lakeport.app.lake.load.csv import CsvInput
from lakeport.app.lake.load.json import JsonInput
from lakeport.core.errors import InvalidRequestError, NotFoundError, UnavailableError
from lakeport.core.names import quoted

FileFormat: TypeAlias = Literal["csv", "tsv", "json", "parquet", "arrow"]
STANDARD_INPUT = Path("-")

_BY_SUFFIX: dict[str, FileFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}
_COMPRESSED = {".gz", ".zst", ".bz2", ".lz4"}


class Input(Protocol):
    """`label` is what messages call it: the path as it was typed.

    Where `is_guessed`, the types are opinions about texts, and any column can be read as text.
    """

    is_guessed: bool
    label: str

    def names(self) -> list[str]:
        """What its beginning says about its columns: of JSON, nothing."""
        ...

    def schema(self) -> pa.Schema:
        """Its columns with their types, guessed from all of it where the format has none."""
        ...

    def batches(self, schema: pa.Schema) -> Generator[pa.RecordBatch, None, None]:
        """Its rows, of columns that `schema` has, and in its types where the format has none."""
        ...


@dataclass(frozen=True, slots=True)
class FileOptions:
    """`format` None means: told from the file's name. `nulls` are texts of CSV that mean NULL."""

    format: FileFormat | None = None
    delimiter: str | None = None
    nulls: tuple[str, ...] = ()


@contextmanager
def opened(paths: Sequence[Path], options: FileOptions) -> Iterator[list[Input]]:
    """The inputs behind these paths. `-` is standard input, kept in a file because it is read twice."""
    with tempfile.TemporaryDirectory(prefix="lakeport-") as folder:
        yield [_input(path, options, Path(folder)) for path in paths]


def _input(path: Path, options: FileOptions, folder: Path) -> Input:
    label = "standard input" if path == STANDARD_INPUT else str(path)
    chosen = options.format or _format_of(path, label)
    place = _kept(folder) if path == STANDARD_INPUT else _existing(path)
    match chosen:
        case "csv" | "tsv":
            delimiter = options.delimiter or ("\t" if chosen == "tsv" else ",")
            is_assumed = options.delimiter is None
            return CsvInput(label, place, delimiter, options.nulls, is_assumed=is_assumed)
        case "json":
            return JsonInput(label, place)
        case "parquet":
            return ParquetInput(label, place)
        case "arrow":
            return ArrowInput(label, place)


def _format_of(path: Path, label: str) -> FileFormat:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    found = _BY_SUFFIX.get(suffixes[-1]) if suffixes else None
    if found is None:
        raise InvalidRequestError(
            f"the format of {quoted(label)} cannot be told from its name",
            hint=f"name it: --format {'|'.join(get_args(FileFormat))}",
        )
    return found


def _existing(path: Path) -> Path:
    if path.is_dir():
        raise InvalidRequestError(f"{path} is a folder", hint=f"name its files: {path}/*")
    if not path.exists():
        raise NotFoundError(f"there is no file {path}", hint="`-` reads standard input")
    try:
        path.open("rb").close()
    except OSError as error:
        raise UnavailableError(
            f"{path} cannot be read: {(error.strerror or 'unknown reason').lower()}"
        ) from error
    return path


def _kept(folder: Path) -> Path:
    place = folder / "standard-input"
    with place.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    return place
