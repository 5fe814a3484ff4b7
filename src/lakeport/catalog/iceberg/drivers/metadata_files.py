"""A table's next metadata: worked out, written and cleared away as PyIceberg does it, without its copies.

Of a table with thousands of snapshots nearly all of the metadata is what it was one commit ago. What an
update leaves alone is shared with the object before, and the text of a snapshot is made once.
"""

from __future__ import annotations

import operator
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel
from pyiceberg.io import FileIO
from pyiceberg.table import TableProperties
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil
from pyiceberg.table.update import (
    RemovePropertiesUpdate,
    TableUpdate,
    _apply_table_update,
    _TableMetadataUpdateContext,
    _update_table_metadata_log,
)
from pyiceberg.utils.datetime import datetime_to_millis

_MOST_TABLES = 64
_LONG = {"snapshots", "snapshot_log"}


def next_metadata(
    before: TableMetadata, location: str | None, updates: Iterable[TableUpdate]
) -> TableMetadata | None:
    """After all updates, with the log of older files; None if they change nothing.

    `location` is where the metadata before is, if there was a table before.
    """
    context = _TableMetadataUpdateContext()
    after = before
    for update in updates:
        known = _of_known_properties(update, after)
        after = _apply_table_update(known, after, context)
    if not context.has_changes():
        return None
    if location is not None:
        after = _update_table_metadata_log(after, location, before.last_updated_ms)
    if after.last_updated_ms == before.last_updated_ms:
        now = datetime_to_millis(datetime.now().astimezone())
        after = after.model_copy(update={"last_updated_ms": now})
    after.spec().check_compatible(after.schema())
    after.sort_order().check_compatible(after.schema())
    if location is None:
        return TableMetadataUtil.parse_obj(after.model_dump())
    return after


def _of_known_properties(update: TableUpdate, metadata: TableMetadata) -> TableUpdate:
    """PyIceberg fails with a KeyError for a property that is gone already."""
    if not isinstance(update, RemovePropertiesUpdate):
        return update
    return RemovePropertiesUpdate(
        removals=[key for key in dict.fromkeys(update.removals) if key in metadata.properties]
    )


def remove_old_metadata(io: FileIO, before: TableMetadata, after: TableMetadata) -> None:
    """The files that fell out of the log, if the table asks for it. The commit is done: nothing is raised."""
    wanted = TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED
    if after.properties.get(wanted, "").lower() != "true":  # whatever else it says
        return
    kept = {entry.metadata_file for entry in after.metadata_log}
    for entry in before.metadata_log:
        if entry.metadata_file not in kept:
            try:
                io.delete(entry.metadata_file)
            except Exception:  # noqa: BLE001, S112  each storage has errors of its own
                continue  # it is found as an orphan later


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of the items of a list, as long as it begins with the same objects."""

    items: Sequence[BaseModel] = ()
    texts: tuple[str, ...] = ()

    def of(self, items: Sequence[Any]) -> _Texts:
        count = len(self.items)
        if count <= len(items) and all(map(operator.is_, self.items, items)):
            new = tuple(item.model_dump_json() for item in items[count:])
            return _Texts(items, self.texts + new)
        known = {id(item): text for item, text in zip(self.items, self.texts, strict=True)}
        return _Texts(items, tuple(known.get(id(item)) or item.model_dump_json() for item in items))


class MetadataTexts:
    """JSON of metadata; of the tables used last the texts of their snapshots are remembered."""

    def __init__(self) -> None:
        self._known: OrderedDict[UUID, tuple[_Texts, _Texts]] = OrderedDict()
        self._lock = threading.Lock()

    def text(self, metadata: TableMetadata) -> str:
        key = metadata.table_uuid
        with self._lock:
            snapshots, log = self._known.get(key, (_Texts(), _Texts()))
        snapshots, log = snapshots.of(metadata.snapshots), log.of(metadata.snapshot_log)
        with self._lock:
            self._known[key] = snapshots, log
            self._known.move_to_end(key)
            if len(self._known) > _MOST_TABLES:
                self._known.popitem(last=False)
        # Without these two an object of many fields is left, which is never empty.
        rest = metadata.model_dump_json(exclude=_LONG)
        return (
            f'{rest[:-1]},"snapshots":[{",".join(snapshots.texts)}]'
            f',"snapshot-log":[{",".join(log.texts)}]}}'
        )
