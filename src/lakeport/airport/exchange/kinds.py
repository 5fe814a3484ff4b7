"""What an exchange is for, as its headers say (chapter 1.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lakeport.catalog.ports import (
    Deletable,
    Insertable,
    Table,
    Updatable,
    Write,
    WriteContext,
    require,
)
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.names import quoted
from lakeport.flight.call import Call

_OPERATION = "airport-operation"
_RETURNING = "return-chunks"
_FUNCTIONS = frozenset({"scalar_function", "table_function", "table_function_in_out"})


class Kind(StrEnum):
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class _Opening:
    ability: type[Any]
    begin: Callable[[Any, WriteContext], Write]


_OPENINGS = {
    Kind.INSERT: _Opening(Insertable, lambda table, context: table.insert(context)),
    Kind.UPDATE: _Opening(Updatable, lambda table, context: table.update(context)),
    Kind.DELETE: _Opening(Deletable, lambda table, context: table.delete(context)),
}


def begin(kind: Kind, table: Table, context: WriteContext) -> Write:
    """UNIMPLEMENTED for a table without the ability."""
    opening = _OPENINGS[kind]
    able = require(table, opening.ability, f"table {quoted(str(table.name))}")
    return opening.begin(able, context)


def kind_of(call: Call) -> Kind:
    asked = call.header(_OPERATION)
    if asked in _FUNCTIONS:
        raise UnsupportedError(f"exchanges for {quoted(asked)} are not supported by this server")
    try:
        return Kind(asked or "")
    except ValueError:
        raise InvalidRequestError(
            f"the header `{_OPERATION}` is missing"
            if asked is None
            else f"there is no operation {quoted(asked)}",
            hint=f"`{_OPERATION}` is one of {', '.join(Kind)}",
        ) from None


def is_returning(call: Call) -> bool:
    """Whether each batch is to be answered with a batch."""
    asked = call.header(_RETURNING)
    if asked not in {None, "0", "1"}:
        raise InvalidRequestError(f"the header `{_RETURNING}` is 0 or 1, not {quoted(asked or '')}")
    return asked == "1"
