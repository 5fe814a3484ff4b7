"""Which columns a client was told when it bound a function: what it reads later must be those.

DuckDB binds, plans and reads by calls of their own, and none of them shows what the first was answered; of other
types it would read garbage. The calls of one scan share a trace id. An exchange has its own, so there the
session must do, the arguments and the columns of the rows that go in. All of it is in this process's memory: what
another one told, or was told too long ago, is not compared.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256

import pyarrow as pa

from lakeport.airport.caller import Caller
from lakeport.airport.functions.bound import Bound, layout_of
from lakeport.airport.functions.declared import Declared
from lakeport.airport.functions.promise import Promise
from lakeport.airport.functions.rows import changed
from lakeport.airport.wire.arguments import encode_arguments

_MOST = 10_000
_TRACE, _SESSION = "airport-trace-id", "airport-client-session-id"


@dataclass(frozen=True, slots=True)
class Passing:
    """A function of rows, bound to its arguments and to the columns of those."""

    declared: Declared
    arguments: pa.RecordBatch
    rows: pa.Schema
    promise: Promise

    def key(self, caller: Caller) -> bytes | None:
        return _key(caller, _SESSION, self.declared, self.arguments, layout_of(self.rows))


class Agreed:
    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._layouts: OrderedDict[bytes, str] = OrderedDict()
        self._lock = threading.Lock()

    def tell_scan(self, caller: Caller, bound: Bound) -> None:
        self._tell(_scan(caller, bound), bound.layout)

    def require_scan(self, caller: Caller, bound: Bound) -> None:
        """`ConflictError` if the client holds other columns."""
        self._require(_scan(caller, bound), bound.layout, bound.declared)

    def tell_rows(self, caller: Caller, passing: Passing) -> None:
        self._tell(passing.key(caller), layout_of(passing.promise.wire))

    def require_rows(self, caller: Caller, passing: Passing) -> None:
        layout = layout_of(passing.promise.wire)
        self._require(passing.key(caller), layout, passing.declared)

    def _tell(self, key: bytes | None, layout: str) -> None:
        if key is None:
            return
        with self._lock:
            self._layouts[key] = layout
            self._layouts.move_to_end(key)
            if len(self._layouts) > self._most:
                self._layouts.popitem(last=False)

    def _require(self, key: bytes | None, layout: str, declared: Declared) -> None:
        if key is None:
            return
        with self._lock:
            told = self._layouts.get(key, layout)
        if told != layout:
            raise changed(declared)


def _scan(caller: Caller, bound: Bound) -> bytes | None:
    return _key(caller, _TRACE, bound.declared, bound.arguments)


def _key(
    caller: Caller, header: str, declared: Declared, arguments: pa.RecordBatch, rows: str = ""
) -> bytes | None:
    """None for who does not say which calls belong together."""
    together = caller.call.header(header)
    if not together:
        return None
    names = (caller.identity.name, together, str(declared.name), declared.overload, rows)
    digest = sha256("\0".join(names).encode())
    digest.update(encode_arguments(arguments))
    return digest.digest()
