"""Files at a table's place that nothing names: what crashed writers and interrupted expiry left.

A file counts as named if anything in the table's metadata, in any snapshot, ends in the same name. Names
hold random ids, so this misses next to nothing, and it cannot go wrong over two spellings of one
folder (`s3a:`, a link, an escape), where a comparison of whole paths would remove a table's rows.

A file that is being written is no orphan: those of this process are registered, and those of others are
told by their age. So a file is listed first, then looked up in the register, and then in metadata that is
read after both: whoever committed it in between has put it there.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lakeport.catalog.iceberg.commit.running import RUNNING
from lakeport.catalog.iceberg.failures import last_name, reading
from lakeport.catalog.iceberg.metadata import Loaded
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.upkeep.expire import require_collected
from lakeport.catalog.iceberg.upkeep.listing import files_below
from lakeport.catalog.iceberg.upkeep.named import all_names
from lakeport.catalog.iceberg.upkeep.neighbours import Neighbours
from lakeport.catalog.iceberg.upkeep.removal import remove_files
from lakeport.catalog.iceberg.vanished import has_forgotten
from lakeport.catalog.iceberg.write.statement import require_writable
from lakeport.catalog.upkeep import Orphan, Swept
from lakeport.core.errors import ConflictError, CorruptDataError
from lakeport.core.names import TableName, quoted

_METADATA = ".metadata.json"
_HIDDEN = ("_", ".")
_HINT = "version-hint.text"  # where catalogs without a server keep their pointer


@dataclass(frozen=True, slots=True)
class _Named:
    """The names of all files, as sorted hashes: 8 bytes each. Two of one hash only spare an orphan."""

    metadata_location: str
    hashes: npt.NDArray[np.int64]

    def holds(self, path: str) -> bool:
        if not self.metadata_location and path.endswith(_METADATA):
            return True  # a service may not tell which one is the table's
        sought = hash(last_name(path))
        place = int(np.searchsorted(self.hashes, sought))
        return place < len(self.hashes) and int(self.hashes[place]) == sought


def find_orphans(surroundings: Surroundings, name: TableName, grace: int) -> Iterator[Orphan]:
    """Without a grace period every age will do: only where nobody else writes."""
    source = surroundings.source(name)
    require_writable(source)
    require_collected(source)
    before = _named(surroundings, source)
    latest = None if grace <= 0 else surroundings.clock() - grace
    suspects = [
        file
        for file in _listed(source)
        if not before.holds(file.path)
        and (latest is None or file.modified < latest)
        and not RUNNING.holds(file.path)
    ]
    if not suspects:
        return
    after = _named(surroundings, source, before)
    neighbours = Neighbours(surroundings, name, source.metadata.location)
    for file in suspects:
        if not after.holds(file.path) and not neighbours.hold(file.path):
            yield file


def remove_orphans(surroundings: Surroundings, name: TableName, grace: int) -> Swept:
    found = list(find_orphans(surroundings, name, grace))
    removed = remove_files(surroundings.source(name).io, [file.path for file in found])
    return Swept(removed.files, sum(file.bytes for file in found), removed.left)


def _listed(source: Source) -> Iterator[Orphan]:
    location = source.metadata.location
    with reading(f"the folder of table {quoted(str(source.name))}"):
        for file in files_below(source.io, location):
            if not _is_hidden(file.path[len(location) :]):
                yield file


def _is_hidden(path: str) -> bool:
    """Engines keep notes of their own under such names; a folder of a partition may begin like one."""
    *folders, name = path.strip("/").split("/")
    return (
        name == _HINT
        or name.startswith(_HIDDEN)
        or any(folder.startswith(_HIDDEN) and "=" not in folder for folder in folders)
    )


def _named(surroundings: Surroundings, opened: Source, known: _Named | None = None) -> _Named:
    """All that the table names now; what is known already if it has not changed since."""
    loaded = _newest(surroundings, opened)
    while True:
        if known is not None and loaded.location and loaded.location == known.metadata_location:
            return known
        now = replace(opened, metadata=loaded.metadata, io=loaded.io)
        try:
            hashes = array("q", map(hash, all_names(now, loaded.location)))
        except CorruptDataError:
            seen, loaded = loaded, _newest(surroundings, opened)
            if not has_forgotten(seen.metadata, loaded.metadata):
                raise
        else:
            return _Named(loaded.location, np.unique(np.frombuffer(hashes, np.int64)))


def _newest(surroundings: Surroundings, opened: Source) -> Loaded:
    surroundings.pointers.forget(opened.name)
    loaded = surroundings.pointers.load(opened.name)
    if loaded.metadata.table_uuid != opened.metadata.table_uuid:
        # To the one in its place, all files of the table that was opened would be left over.
        raise ConflictError(
            f"table {quoted(str(opened.name))} was replaced by another one meanwhile",
            hint="run it again",
        )
    return loaded
