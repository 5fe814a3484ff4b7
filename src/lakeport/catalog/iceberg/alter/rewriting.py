"""All rows of a table in new files, as a schema change wants them, checked on the way.

Rows stream from the old files to the new ones in bounded memory. Where an attempt lost a race against
an append, only the appended files are written after; where rows were deleted meanwhile, or the change
means something else by now, all is done again.
"""

from __future__ import annotations

from pyiceberg.manifest import DataFile

from lakeport.catalog.evolution.rewrite import rewrite
from lakeport.catalog.iceberg import parts
from lakeport.catalog.iceberg.alter.draft import Draft
from lakeport.catalog.iceberg.alter.live import Deletes, Live, deletes_of
from lakeport.catalog.iceberg.write.files import DataFiles
from lakeport.catalog.iceberg.write.rows import stored_rows
from lakeport.catalog.rows.constraints import EvolutionProof


class Rewriting:
    """One for all attempts that want the same. Belongs to one thread at a time."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._proof = EvolutionProof(draft.evolution)
        self._done: dict[str, Deletes] = {}
        self._written: list[DataFiles] = []

    @property
    def files(self) -> tuple[DataFile, ...]:
        return tuple(file for written in self._written for file in written.done)

    @property
    def replaced(self) -> frozenset[str]:
        return frozenset(self._done)

    def holds_for(self, live: Live) -> bool:
        """Whether all that was written stands for rows that are still there, exactly."""
        return all(
            path in live.files and deletes_of(live.files[path]) == deletes
            for path, deletes in self._done.items()
        )

    def extend(self, live: Live) -> None:
        """Write what is not written yet; the errors of `check_evolution` for a row that may not be."""
        new = [file for path, file in live.files.items() if path not in self._done]
        if not new:
            return
        written = DataFiles(live.source.io, self.draft.after, self.draft.columns)
        self._written.append(written)
        self._write(live, new, written)
        self._proof.finish()
        written.finish()
        self._done |= {file.path: deletes_of(file) for file in new}

    def discard(self) -> None:
        for written in self._written:
            written.discard()
        self._written, self._done = [], {}

    def forget(self) -> None:
        """The files are the table's now."""
        for written in self._written:
            written.forget()

    def _write(self, live: Live, files: list[parts.DataFile], written: DataFiles) -> None:
        evolution, columns = self.draft.evolution, self.draft.columns
        for batch in live.rows(files):
            rows = rewrite(batch, evolution)
            self._proof.add(rows)
            written.add(stored_rows(rows, columns))
