"""The other tables of a catalog whose files may lie among those of one.

A table may have been put into the folder of another, or two names may stand for one set of files. Which
tables those are is only known once all of them were opened, so this is asked for when something is about
to be removed, and a table that cannot be opened is a reason not to.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

from lakeport.catalog.dropped import DroppedTable
from lakeport.catalog.iceberg.dropped import open_dropped
from lakeport.catalog.iceberg.failures import last_name
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.upkeep.named import all_names
from lakeport.core.errors import LakeportError, NotFoundError, PreconditionError
from lakeport.core.names import TableName, quoted

_PLACES = ("write.data.path", "write.metadata.path", "write.object-storage.path")


class Neighbours:
    """Of the table `name` at `location`, or of one that was dropped: its name may be another's now.

    Tables that can be brought back count like those that are there. `share`: a table that is there has
    the same folder, or one around it.
    """

    def __init__(
        self,
        surroundings: Surroundings,
        name: TableName | None,
        location: str,
        *,
        dropped: DroppedTable | None = None,
    ) -> None:
        self._folders: list[str] = []
        self._names: set[str] = set()
        self.share = False
        here = _folder(location)
        for other, source in _others(surroundings, name):
            self.share |= here.startswith(_folder(source.metadata.location))
            self._note(source, partial(_metadata_of, surroundings, other), here)
        for record in surroundings.memory.records.of(surroundings.profile.name):
            if record != dropped:
                self._note_dropped(surroundings, record, here)

    def hold(self, path: str) -> bool:
        plain = _plain(path)
        return last_name(path) in self._names or any(
            plain.startswith(folder) for folder in self._folders
        )

    def _note_dropped(self, surroundings: Surroundings, record: DroppedTable, here: str) -> None:
        try:
            self._note(open_dropped(surroundings, record), lambda: record.metadata, here)
        except LakeportError as error:
            folder = _folder(record.location)
            if here.startswith(folder):
                raise PreconditionError(
                    f"orphans cannot be told: the dropped table {quoted(str(record.name))} cannot be"
                    " opened, and its files may lie among them",
                    hint=error.hint,
                ) from error
            self._folders.append(folder)

    def _note(self, source: Source, location: Callable[[], str], here: str) -> None:
        metadata = source.metadata
        given = (metadata.properties.get(place) for place in _PLACES)
        for place in filter(None, (metadata.location, *given)):
            folder = _folder(place)
            if folder != here and folder.startswith(here):
                self._folders.append(folder)
            elif here.startswith(folder):
                # Its files may be anywhere in here: by name, then.
                self._names.update(all_names(source, location()))


def _others(
    surroundings: Surroundings, name: TableName | None
) -> Iterator[tuple[TableName, Source]]:
    for namespace in surroundings.pointers.namespaces():
        for table in surroundings.pointers.tables(namespace.name):
            other = TableName(namespace.name, table)
            if other == name:
                continue
            try:
                yield other, surroundings.source(other)
            except NotFoundError:
                continue  # dropped since it was listed
            except LakeportError as error:
                raise PreconditionError(
                    f"orphans{'' if name is None else f' of table {quoted(str(name))}'} cannot be told:"
                    f" table {quoted(str(other))} cannot be opened, and its files may lie among them",
                    hint=error.hint or "repair or drop that table first",
                ) from error


def _metadata_of(surroundings: Surroundings, name: TableName) -> str:
    return surroundings.pointers.load(name).location


def is_inside(path: str, location: str) -> bool:
    return _plain(path).startswith(_folder(location))


def _folder(location: str) -> str:
    return _plain(location).rstrip("/") + "/"


def _plain(location: str) -> str:
    """Without the scheme, of which storages have several: `s3:`, `s3a:`; `file:`, none. Links of the
    local disk are followed.
    """
    scheme, colon, rest = location.partition(":/")
    path = "/" + (rest if colon else location).lstrip("/")
    return os.path.realpath(path) if not colon or scheme == "file" else path
