"""Which snapshot a transaction reads of each table, so that its statements agree (decision 20).

The first read of a table inside a transaction pins the newest snapshot. A pin holds data only: once
the table's columns have changed it is dropped, because the columns shown are always the current
ones. The client never tells how a transaction ends, so an hour drops a pin, too, and so does need of room.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from lakeport.catalog.ports import TableState

LIFETIME_SECONDS = 3600.0
_MOST = 100_000

_Key: TypeAlias = tuple[str, str, str]  # transaction, catalog, uuid of the table


@dataclass(frozen=True, slots=True)
class _Pin:
    snapshot_id: int | None
    schema_id: int
    until: float


class Pins:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pins: OrderedDict[_Key, _Pin] = OrderedDict()  # by age, all live equally long

    def hold(self, transaction: str, catalog: str, head: TableState) -> int | None:
        """The snapshot that this transaction reads; the head, now and from now on, if it had none."""
        key = transaction, catalog, head.uuid
        with self._lock:
            now = self._clock()
            self._forget_old(now)
            held = self._pins.get(key)
            if held is None or held.schema_id != head.schema_id:
                self._put(key, head.snapshot_id, head.schema_id, now)
                return head.snapshot_id
            return held.snapshot_id

    def move(self, transaction: str, catalog: str, written: TableState) -> None:
        """To what an own write left behind, which includes what others committed before it."""
        with self._lock:
            key = transaction, catalog, written.uuid
            self._put(key, written.snapshot_id, written.schema_id, self._clock())

    def drop(self, catalog: str, uuid: str) -> None:
        """A table whose definition was changed is read anew by every transaction."""
        with self._lock:
            for key in [key for key in self._pins if key[1:] == (catalog, uuid)]:
                del self._pins[key]

    def __len__(self) -> int:
        return len(self._pins)

    def _put(self, key: _Key, snapshot_id: int | None, schema_id: int, now: float) -> None:
        self._pins.pop(key, None)
        self._pins[key] = _Pin(snapshot_id, schema_id, now + LIFETIME_SECONDS)
        if len(self._pins) > _MOST:
            self._pins.popitem(last=False)

    def _forget_old(self, now: float) -> None:
        while self._pins and next(iter(self._pins.values())).until <= now:
            self._pins.popitem(last=False)
