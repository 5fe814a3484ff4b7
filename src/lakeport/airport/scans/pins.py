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
from typing import Protocol, TypeAlias

from lakeport.catalog.ports import TableState
from lakeport.state import Pin, PinKey

LIFETIME_SECONDS = 3600.0
_MOST = 100_000


class Keeper(Protocol):
    """Where pins are kept: in this process, or where replicas find them (`state.PinTable`)."""

    def first(self, key: PinKey, pin: Pin) -> Pin:
        """The one that is there, if it is of the same columns; else this one, from now on."""
        ...

    def put(self, key: PinKey, pin: Pin) -> None: ...

    def drop(self, catalog: str, uuid: str) -> None: ...


class Pins:
    def __init__(self, keeper: Keeper | None = None) -> None:
        self._keeper = MemoryPins() if keeper is None else keeper

    def hold(self, transaction: str, catalog: str, head: TableState) -> int | None:
        """The snapshot that this transaction reads; the head, now and from now on, if it had none."""
        key = PinKey(transaction, catalog, head.uuid)
        return self._keeper.first(key, Pin(head.snapshot_id, head.schema_id)).snapshot_id

    def move(self, transaction: str, catalog: str, written: TableState) -> None:
        """To what an own write left behind, which includes what others committed before it."""
        key = PinKey(transaction, catalog, written.uuid)
        self._keeper.put(key, Pin(written.snapshot_id, written.schema_id))

    def drop(self, catalog: str, uuid: str) -> None:
        """A table whose definition was changed is read anew by every transaction."""
        self._keeper.drop(catalog, uuid)


_Kept: TypeAlias = tuple[Pin, float]


class MemoryPins:
    """For one server. Pins are in order of age, and all live equally long."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pins: OrderedDict[PinKey, _Kept] = OrderedDict()

    def first(self, key: PinKey, pin: Pin) -> Pin:
        with self._lock:
            now = self._clock()
            self._forget_old(now)
            held = self._pins.get(key)
            if held is not None and held[0].schema_id == pin.schema_id:
                return held[0]
            self._put(key, pin, now)
            return pin

    def put(self, key: PinKey, pin: Pin) -> None:
        with self._lock:
            self._put(key, pin, self._clock())

    def drop(self, catalog: str, uuid: str) -> None:
        with self._lock:
            for key in [key for key in self._pins if (key.catalog, key.uuid) == (catalog, uuid)]:
                del self._pins[key]

    def __len__(self) -> int:
        return len(self._pins)

    def _put(self, key: PinKey, pin: Pin, now: float) -> None:
        self._pins.pop(key, None)
        self._pins[key] = pin, now + LIFETIME_SECONDS
        if len(self._pins) > _MOST:
            self._pins.popitem(last=False)

    def _forget_old(self, now: float) -> None:
        while self._pins and next(iter(self._pins.values()))[1] <= now:
            self._pins.popitem(last=False)
