"""What of a reading is wanted: columns by number or name, conditions, a limit.

Two filters can come together: the one in a JSON descriptor says what the table is to its caller, and
nobody applies it again; the one DuckDB pushes down is a hint that the client applies again itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.airport.pushdown import Pushed, parse_filters
from lakeport.airport.requested import Requested
from lakeport.airport.scans.readings import Reading
from lakeport.airport.scans.tickets import ScanTicket
from lakeport.airport.wire.bodies import ScanParameters
from lakeport.catalog.definition import column_index
from lakeport.catalog.expressions import Expression, parse_expression
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import And, Predicate
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import ROW_ID, fold, quoted

_ROW_ID = 2**64 - 1  # how the client asks for the row id


@dataclass(frozen=True, slots=True)
class Asked:
    """`columns` are positions in the layout, ascending. `own` filters count for the limit."""

    columns: tuple[int, ...]
    row_ids: bool
    own: tuple[str, ...] = ()
    pushed: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def filters(self) -> tuple[str, ...]:
        return self.own + self.pushed


def asked_of(
    reading: Reading, requested: Requested, parameters: ScanParameters | None = None
) -> Asked:
    columns, row_ids = _by_names(reading, requested.columns)
    pushed = ""
    if parameters is not None:
        numbered, numbered_row_ids = _by_ids(reading, parameters.column_ids)
        known = set(numbered)
        columns = tuple(index for index in columns if index in known)
        row_ids = row_ids and numbered_row_ids
        # The limit cuts the table before DuckDB filters what is left of it.
        pushed = parameters.json_filters if requested.limit is None else ""
    return Asked(columns, row_ids, _given(requested.filter), _given(pushed), requested.limit)


def asked_again(reading: Reading, ticket: ScanTicket) -> Asked:
    """As the ticket says, which may be anybody's work."""
    every = tuple(range(len(reading.layout.definition.schema)))
    columns = every if ticket.columns is None else tuple(sorted(set(ticket.columns)))
    if not set(columns) <= set(every):
        raise InvalidRequestError("the ticket asks for columns that its table does not have")
    row_ids = ticket.row_ids and reading.has_row_id
    return Asked(columns, row_ids, ticket.filters, limit=ticket.limit)


def scan_request(reading: Reading, asked: Asked) -> tuple[ScanRequest, bool]:
    """The request, and whether its conditions are the whole filter.

    Where they are not, a limit would cut off rows that are wanted, so it is left to the caller.
    """
    filters = [_parsed(reading, text) for text in asked.filters]
    is_exact = all(each.exact for each in filters)
    request = ScanRequest(
        columns=tuple(reading.column(index) for index in asked.columns),
        predicate=_all_of(tuple(each.predicate for each in filters if each.predicate is not None)),
        expression=_joined(reading, [each.expression for each in filters]),
        limit=asked.limit if is_exact else None,
        at=reading.at,
        row_ids=asked.row_ids,
    )
    return request, is_exact


def _by_ids(reading: Reading, ids: tuple[int, ...]) -> tuple[tuple[int, ...], bool]:
    """The client's `column_ids`, which count columns without the row id; none at all is all."""
    count = len(reading.layout.definition.schema)
    if not ids:
        return tuple(range(count)), reading.has_row_id
    columns = {index for index in ids if index != _ROW_ID}
    beyond = [index for index in columns if index >= count]
    if beyond:
        raise InvalidRequestError(
            f"table {quoted(str(reading.found.table.name))} has {count} columns,"
            f" and `column_ids` asks for number {beyond[0]}",
            hint="columns are counted from 0, without the row id",
        )
    return tuple(sorted(columns)), reading.has_row_id and _ROW_ID in ids


def _by_names(reading: Reading, names: tuple[str, ...] | None) -> tuple[tuple[int, ...], bool]:
    """The `columns` of contract 001's JSON; the row id goes by its name."""
    schema = reading.layout.definition.schema
    if names is None:
        return tuple(range(len(schema))), reading.has_row_id
    columns, row_ids = set[int](), False
    for name in names:
        index = column_index(schema, name)
        if index is not None:
            columns.add(index)
        elif reading.has_row_id and fold(name) == ROW_ID:
            row_ids = True
        else:
            raise InvalidRequestError(
                f"table {quoted(str(reading.found.table.name))} has no column {quoted(name)}",
                hint=f"columns: {', '.join(schema.names[:12])}",
            )
    return tuple(sorted(columns)), row_ids


def _given(text: str | None) -> tuple[str, ...]:
    return (text,) if text else ()


def _parsed(reading: Reading, text: str) -> Pushed:
    names = reading.layout.definition.schema.names
    return parse_filters(text, reading.rows.definition.schema, names)


def _all_of(predicates: tuple[Predicate, ...]) -> Predicate | None:
    if len(predicates) > 1:
        return And(predicates)
    return predicates[0] if predicates else None


def _joined(reading: Reading, expressions: list[Expression | None]) -> Expression | None:
    held = [each for each in expressions if each is not None]
    if len(held) < 2:
        return held[0] if held else None
    text = " AND ".join(f"({each.sql})" for each in held)
    return parse_expression(text, reading.rows.definition.schema)
