"""What a scan of a table function hands out: the function, its arguments, and what of its rows is wanted.

A ticket grants nothing: the function is looked up again for who brings it, its arguments are weighed and
checked again, and the columns must be those that the client was told.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

from lakeport.airport.wire.sealed import opened, seal

_MAGIC = b"LKF1"

_Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=4096)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class FunctionTicket(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """`layout` tells the columns that were promised from others; `columns` are positions in them."""

    catalog: _Name
    namespace: _Name
    function: _Name
    overload: _Name
    arguments: bytes
    layout: _Name
    columns: tuple[_Count, ...] | None = None
    filters: str = ""
    at_unit: _Name = ""
    at_value: _Name = ""

    def encode(self) -> bytes:
        hint = "put large values into a table, and give the function its name"
        return seal(_MAGIC, _ENCODER.encode(self), hint)


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(FunctionTicket)


def is_function_ticket(ticket: bytes) -> bool:
    return ticket.startswith(_MAGIC)


def decode_ticket(ticket: bytes) -> FunctionTicket:
    return opened(_MAGIC, ticket, _DECODER)
