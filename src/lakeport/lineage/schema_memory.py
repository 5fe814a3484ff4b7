"""Schemas that came with earlier requests, as they were read then.

A client sends its whole schema with every query. Reading 425 columns took a quarter of a request's time (measured
on decision-support queries), and finding them here takes a twentieth of that. Equal bytes are an equal schema,
because what is read is what the bytes say; nothing changes one after it was read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from lakeport.lineage.request import SchemaMetadata

_MOST = 16
# In all of them. What they were read to takes three times as much.
_MOST_BYTES = 1 << 22
_PARTS = msgspec.json.Decoder(dict[str, msgspec.Raw])
# What an object that is no request may raise while it is written or read.
UNREADABLE = (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError)

_held: OrderedDict[bytes, SchemaMetadata] = OrderedDict()
_lock = Lock()


class Apart(NamedTuple):
    """A request with the bytes of its schema beside the rest: JSON of a text, MessagePack of a mapping.

    JSON would not do for a mapping: it writes the bytes `abc` as the text `YWJj`.
    """

    schema: bytes
    others: Mapping[Any, object]
    text: str | bytes | None

    def rest(self) -> dict[Any, object]:
        """All but the schema. Raises what reading it raises."""
        return {
            key: msgspec.json.decode(part) if isinstance(part, msgspec.Raw) else part
            for key, part in self.others.items()
            if key != "schema"
        }

    def whole(self) -> object:
        """The request with the schema of these bytes. Raises what reading it raises."""
        if self.text is not None:
            return msgspec.json.decode(self.text)
        return {**self.others, "schema": msgspec.msgpack.decode(self.schema)}


def apart(payload: object) -> Apart | None:
    """None where there is no schema to find, for whatever reason."""
    try:
        if isinstance(payload, str | bytes):
            parts = _PARTS.decode(payload)
            return Apart(bytes(parts["schema"]), parts, payload) if "schema" in parts else None
        given = payload.get("schema") if isinstance(payload, Mapping) else None
        if given is None or not isinstance(payload, Mapping):
            return None
        return Apart(msgspec.msgpack.encode(given), payload, None)
    except UNREADABLE:
        return None


def recall(sent: bytes) -> SchemaMetadata | None:
    with _lock:
        held = _held.get(sent)
        if held is not None:
            _held.move_to_end(sent)
        return held


def remember(sent: bytes, schema: SchemaMetadata) -> None:
    if len(sent) > _MOST_BYTES:
        return
    with _lock:
        _held[sent] = schema
        while len(_held) > _MOST or sum(map(len, _held)) > _MOST_BYTES:
            _held.popitem(last=False)
