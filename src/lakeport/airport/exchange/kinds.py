"""What a statement does, as the headers of its call say (chapter 1.2).

Replacing all rows is DoPut's alone, by a header of our own: DuckDB has no word for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lakeport.airport.flags import is_set
from lakeport.catalog.ports import (
    Deletable,
    Insertable,
    Overwritable,
    Table,
    Updatable,
    Write,
    WriteContext,
    require,
)
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.flight.call import Call

OPERATION_HEADER = "airport-operation"
_RETURNING = "return-chunks"
PUT_HEADER = "lakeport-put"


class Operation(StrEnum):
    """What an exchange is for. `table_function` is contract 002's word for one that takes rows."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    SCALAR_FUNCTION = "scalar_function"
    TABLE_FUNCTION = "table_function"
    TABLE_FUNCTION_IN_OUT = "table_function_in_out"


class Kind(StrEnum):
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    REPLACE = "replace"


_PUT = {None: Kind.INSERT, "append": Kind.INSERT, "replace": Kind.REPLACE}


@dataclass(frozen=True, slots=True)
class _Opening:
    ability: type[Any]
    begin: Callable[[Any, WriteContext], Write]


_OPENINGS = {
    Kind.INSERT: _Opening(Insertable, lambda table, context: table.insert(context)),
    Kind.UPDATE: _Opening(Updatable, lambda table, context: table.update(context)),
    Kind.DELETE: _Opening(Deletable, lambda table, context: table.delete(context)),
    Kind.REPLACE: _Opening(Overwritable, lambda table, context: table.overwrite(context)),
}


def begin(kind: Kind, table: Table, context: WriteContext) -> Write:
    """UNIMPLEMENTED for a table without the ability."""
    opening = _OPENINGS[kind]
    able = require(table, opening.ability, f"table {quoted(str(table.name))}")
    return opening.begin(able, context)


def operation_of(call: Call) -> Operation:
    asked = call.header(OPERATION_HEADER)
    if asked in tuple(Operation):
        return Operation(asked)
    raise InvalidRequestError(
        f"the header `{OPERATION_HEADER}` is missing"
        if asked is None
        else f"there is no operation {quoted(asked)}",
        hint=f"`{OPERATION_HEADER}` is one of {', '.join(Operation)}",
    )


def kind_of(call: Call) -> Kind:
    """Of an operation that is a statement."""
    return Kind(operation_of(call))


def put_kind_of(call: Call) -> Kind:
    """Rows are appended, unless they are to take the place of all that are there."""
    asked = call.header(PUT_HEADER)
    if asked in _PUT:
        return _PUT[asked]
    raise InvalidRequestError(
        f"the header `{PUT_HEADER}` is append or replace, not {quoted(asked or '')}"
    )


def is_returning(call: Call) -> bool:
    """Whether each batch is to be answered with a batch."""
    return is_set(call, _RETURNING)


def is_silent(call: Call) -> bool:
    """Whether the caller said that no batch is to be answered."""
    return call.header(_RETURNING) is not None and not is_returning(call)
