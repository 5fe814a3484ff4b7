"""Which table and which snapshot of it a transaction reads, so that its statements agree (decision 20).

The first read of a table inside a transaction pins the newest snapshot. A pin holds data only: once
the table's columns have changed it is dropped, because the columns shown are always the current
ones. What a name means stays as it was at its first use, whoever drops the table and makes another.
The client never tells how a transaction ends, so an hour drops either, and so does need of room.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from lakeport.catalog.ports import TableState
from lakeport.core.errors import ConflictError
from lakeport.core.names import fold, quoted
from lakeport.state import NameKey, Pin, PinKey

LIFETIME_SECONDS = 3600.0
_MOST = 100_000


class Keeper(Protocol):
    """Where pins are kept: in this process, or where replicas find them (`state.PinTable`)."""

    def first(self, key: PinKey, pin: Pin) -> Pin:
        """The one that is there, if it is of the same columns; else this one, from now on."""
        ...

    def put(self, key: PinKey, pin: Pin) -> None: ...

    def drop(self, catalog: str, uuid: str) -> None: ...

    def meant(self, key: NameKey, uuid: str) -> str:
        """The table that the name meant first; this one, from now on, if there was none."""
        ...


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

    def require_same(self, transaction: str, catalog: str, state: TableState) -> None:
        """`ConflictError` where the name was used for another table before in this transaction."""
        name = state.name
        key = NameKey(transaction, catalog, fold(name.namespace), fold(name.table))
        if self._keeper.meant(key, state.uuid) != state.uuid:
            raise ConflictError(
                f"table {quoted(str(name))} is another table than this transaction used before",
                hint="begin a new transaction and run its statements again",
            )


K = TypeVar("K")
V = TypeVar("V")


class _Aging(Generic[K, V]):
    """In order of age; all live equally long."""

    def __init__(self) -> None:
        self._held: OrderedDict[K, tuple[V, float]] = OrderedDict()

    def get(self, key: K, now: float) -> V | None:
        while self._held and next(iter(self._held.values()))[1] <= now:
            self._held.popitem(last=False)
        held = self._held.get(key)
        return None if held is None else held[0]

    def put(self, key: K, value: V, now: float) -> None:
        self._held.pop(key, None)
        self._held[key] = value, now + LIFETIME_SECONDS
        if len(self._held) > _MOST:
            self._held.popitem(last=False)

    def drop(self, is_meant: Callable[[K], bool]) -> None:
        for key in [key for key in self._held if is_meant(key)]:
            del self._held[key]

    def __len__(self) -> int:
        return len(self._held)


class MemoryPins:
    """For one server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pins = _Aging[PinKey, Pin]()
        self._meanings = _Aging[NameKey, str]()

    def first(self, key: PinKey, pin: Pin) -> Pin:
        with self._lock:
            now = self._clock()
            held = self._pins.get(key, now)
            if held is not None and held.schema_id == pin.schema_id:
                return held
            self._pins.put(key, pin, now)
            return pin

    def put(self, key: PinKey, pin: Pin) -> None:
        with self._lock:
            self._pins.put(key, pin, self._clock())

    def drop(self, catalog: str, uuid: str) -> None:
        with self._lock:
            self._pins.drop(lambda key: (key.catalog, key.uuid) == (catalog, uuid))

    def meant(self, key: NameKey, uuid: str) -> str:
        with self._lock:
            now = self._clock()
            held = self._meanings.get(key, now)
            if held is None:
                self._meanings.put(key, uuid, now)
            return held or uuid

    def __len__(self) -> int:
        return len(self._pins)
