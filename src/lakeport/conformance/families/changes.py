"""INSERT, UPDATE and DELETE without RETURNING: counts, rows, refusals, and what a cancelled one leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lakeport.conformance.attached import RefusedError
from lakeport.conformance.check import Family
from lakeport.conformance.exchange import CHUNK, Exchange, Operation, change, total_of
from lakeport.conformance.families.scans import same_rows
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import ROW_ID, Entry
from lakeport.conformance.packing import map_of, text_of, unpack
from lakeport.conformance.scan import Asked
from lakeport.conformance.verdicts import NotOfferedError, advice, broken
from lakeport.conformance.workshop import PLAIN, ROWS
from lakeport.core.status import GrpcCode

FAMILY = Family("changes", "INSERT, UPDATE, DELETE")

_DUCKDB_ERRORS = (b"ConstraintException", b"PermissionException", b"InvalidInputException")


def row_id_type(entry: Entry) -> pa.DataType:
    if entry.row_id is None:
        raise NotOfferedError("tables have no row id: they can be neither updated nor deleted from")
    kind: pa.DataType = entry.schema.field(entry.row_id).type
    return kind


def row_ids(ground: Ground, entry: Entry, key: str = "id") -> dict[Any, Any]:
    """Of each row, by the value of a column that tells them apart."""
    row_id_type(entry)
    at = entry.columns.names.index(key)
    found = ground.rows(entry, Asked(ids=[at, ROW_ID]))
    ids = found.column(entry.row_id or 0).to_pylist()
    return dict(zip(found.column(key).to_pylist(), ids, strict=True))


def edit(entry: Entry, ids: Sequence[object], **columns: pa.Array[Any]) -> pa.RecordBatch:
    """What an UPDATE sends: the SET columns in their order, row ids last."""
    return pa.record_batch({**columns, "rowid": pa.array(ids, row_id_type(entry))})


def _total(total: int, wanted: int, what: str) -> None:
    if total != wanted:
        raise broken("5.5", f"{what} reports {total} changed rows, not {wanted}")


def _schema_first(ground: Ground, operation: Operation, schema: pa.Schema) -> None:
    """Half-closed without a row: a statement that matched nothing."""
    entry = ground.workshop.plain()
    exchange = Exchange(ground.fresh(), operation, entry.descriptor, schema)
    try:
        _total(total_of(exchange, operation), 0, f"{operation} of no rows")
    finally:
        exchange.cancel()
    same_rows(ground.rows(entry), ROWS, f"{operation} of no rows", "5.1")


@FAMILY.check("0.6", "INSERT: the schema comes before any row; no rows change nothing")
def insert_schema_first(ground: Ground) -> None:
    _schema_first(ground, "insert", PLAIN)


@FAMILY.check("0.6", "UPDATE: the schema comes before any row; no rows change nothing")
def update_schema_first(ground: Ground) -> None:
    kind = row_id_type(ground.shared)
    _schema_first(ground, "update", pa.schema([("v", pa.float64()), ("rowid", kind)]))


@FAMILY.check("0.6", "DELETE: the schema comes before any row; no rows change nothing")
def delete_schema_first(ground: Ground) -> None:
    _schema_first(ground, "delete", pa.schema([("rowid", row_id_type(ground.shared))]))


@FAMILY.check("0.7", "INSERT: no batch comes back, then the count")
def insert(ground: Ground) -> None:
    entry = ground.workshop.create(PLAIN)
    _total(ground.workshop.fill(entry, ROWS).total, ROWS.num_rows, "INSERT")
    same_rows(ground.rows(entry), ROWS, "INSERT", "5.2")


@FAMILY.check("5.2", "INSERT of several batches of 2048 rows is one statement")
def insert_batches(ground: Ground) -> None:
    rows = pa.table({"id": pa.array(range(2 * CHUNK + 1), pa.int64())})
    entry = ground.workshop.create(rows.schema)
    _total(ground.workshop.fill(entry, rows).total, rows.num_rows, "INSERT")
    same_rows(ground.rows(entry), rows, "INSERT of 4097 rows", "5.2")


@FAMILY.check("10", "INSERT takes the client's words for a type: `l` in lists, zones by any name")
def insert_castable(ground: Ground) -> None:
    stored = pa.schema(
        {"l": pa.list_(pa.field("item", pa.int64())), "at": pa.timestamp("us", "UTC")}
    )
    lists: Any = pa.array([[1, None], []], pa.list_(pa.field("l", pa.int64())))
    moments: Any = pa.array([0, None], pa.int64()).cast(pa.timestamp("us", "Etc/UTC"))
    rows = pa.table({"l": lists, "at": moments})
    entry = ground.workshop.create(stored)
    ground.workshop.fill(entry, rows)
    found = ground.rows(entry)
    if sorted(map(str, found.column("l").to_pylist())) != ["[1, None]", "[]"]:
        raise broken("10", f"lists come back as {found.column('l').to_pylist()}")


@FAMILY.check("5.3", "UPDATE sets the columns it was sent, in any order, and no others")
def update(ground: Ground) -> None:
    entry = ground.workshop.plain()
    ids = row_ids(ground, entry)
    edits = edit(entry, [ids[1], ids[3]], v=pa.array([9.5, None]), name=pa.array(["x", "y"]))
    _total(change(ground.fresh(), "update", entry.descriptor, [edits]).total, 2, "UPDATE")
    wanted = pa.table(
        {"id": [1, 2, 3], "name": ["x", "b", "y"], "v": [9.5, None, None]}, schema=PLAIN
    )
    same_rows(ground.rows(entry), wanted, "UPDATE", "5.3")


@FAMILY.check("5.5", "a row that is updated twice in a statement counts once, and the last wins")
def update_twice(ground: Ground) -> None:
    entry = ground.workshop.plain()
    first = row_ids(ground, entry)[1]
    edits = edit(entry, [first, first], v=pa.array([7.0, 8.0]))
    total = change(ground.fresh(), "update", entry.descriptor, [edits]).total
    values = dict(
        zip(*(ground.rows(entry).column(name).to_pylist() for name in ("id", "v")), strict=True)
    )
    if total != 1 or values[1] != 8.0:
        raise advice("5.5", f"a row updated twice counts {total} times and holds {values[1]}")


@FAMILY.check("5.4", "DELETE removes the rows of its row ids")
def delete(ground: Ground) -> None:
    entry = ground.workshop.plain()
    batch = edit(entry, [row_ids(ground, entry)[2]])
    _total(change(ground.fresh(), "delete", entry.descriptor, [batch]).total, 1, "DELETE")
    same_rows(ground.rows(entry), ROWS.take([0, 2]), "DELETE", "5.4")


@FAMILY.check("5.4", "TRUNCATE arrives as a DELETE of all row ids")
def delete_all(ground: Ground) -> None:
    entry = ground.workshop.plain()
    batch = edit(entry, list(row_ids(ground, entry).values()))
    _total(change(ground.fresh(), "delete", entry.descriptor, [batch]).total, 3, "TRUNCATE")
    if ground.rows(entry).num_rows:
        raise broken("5.4", "rows are left after all were deleted")


def _refused(
    ground: Ground, operation: Operation, entry: Entry, batch: pa.RecordBatch, what: str
) -> RefusedError:
    """A statement that must fail and change nothing."""
    before = ground.rows(entry)
    try:
        change(ground.fresh(), operation, entry.descriptor, [batch])
    except RefusedError as refusal:
        same_rows(
            ground.rows(entry), before.select(entry.columns.names), f"a refused {what}", "5.1"
        )
        return refusal
    raise broken("5.1", f"{what} is accepted", "the user is told that all went well")


@FAMILY.check("5.5", "a null row id is refused", "rows that nobody meant are changed")
def null_row_id(ground: Ground) -> None:
    entry = ground.workshop.plain()
    _refused(
        ground, "update", entry, edit(entry, [None], v=pa.array([1.0])), "UPDATE of a null row id"
    )


@FAMILY.check("5.5", "a row id that was never given out is INVALID_ARGUMENT")
def unknown_row_id(ground: Ground) -> None:
    entry = ground.workshop.plain()
    kind = row_id_type(entry)
    if not pa.types.is_integer(kind):
        raise NotOfferedError(f"row ids are {kind}: none can be made up")
    batch = edit(entry, [2**62 + 12345 if kind.bit_width == 64 else 2**30], v=pa.array([1.0]))
    try:
        total = change(ground.fresh(), "update", entry.descriptor, [batch]).total
    except RefusedError as refusal:
        if refusal.code not in {GrpcCode.INVALID_ARGUMENT, GrpcCode.ABORTED, GrpcCode.NOT_FOUND}:
            raise advice("5.5", f"an unknown row id is {refusal.code.name}") from None
        return
    if total:
        raise broken("5.5", f"a row id that was never given out changes {total} rows")
    raise advice("5.5", "a row id that was never given out is ignored")


@FAMILY.check("5.5", "a row that another statement took away since fails the statement: ABORTED")
def stale_row_id(ground: Ground) -> None:
    entry = ground.workshop.plain()
    reader = ground.fresh()
    ids = row_ids(ground, entry)
    change(ground.fresh(), "delete", entry.descriptor, [edit(entry, [ids[1]])])
    batch = edit(entry, [ids[1], ids[2]], v=pa.array([1.0, 2.0]))
    try:
        total = change(reader, "update", entry.descriptor, [batch]).total
    except RefusedError as refusal:
        if refusal.code is not GrpcCode.ABORTED:
            raise advice("5.5", f"an UPDATE of a deleted row is {refusal.code.name}") from None
        same_rows(ground.rows(entry), ROWS.take([1, 2]), "an aborted UPDATE", "5.5")
        return
    if total != 1:
        raise broken("5.5", f"an UPDATE of one row and a deleted one reports {total}")
    raise advice("5.5", "an UPDATE of a deleted row is ignored", "a lost update is not noticed")


@FAMILY.check("5.2", "INSERT that breaks NOT NULL is refused and writes nothing")
def insert_null(ground: Ground) -> None:
    entry = ground.workshop.create(PLAIN, not_null_constraints=[0], rows=ROWS)
    rows = pa.record_batch({"id": [8, None], "name": ["x", "y"], "v": [0.0, 0.0]}, schema=PLAIN)
    _look_at_constraint(_refused(ground, "insert", entry, rows, "INSERT of NULL into NOT NULL"))


@FAMILY.check("5.3", "UPDATE that breaks NOT NULL or CHECK is refused: the client does not look")
def update_constraint(ground: Ground) -> None:
    entry = ground.workshop.create(
        PLAIN, not_null_constraints=[0], check_constraints=["(id > 0)"], rows=ROWS
    )
    first = row_ids(ground, entry)[1]
    for value in (None, -5):
        batch = edit(entry, [first], id=pa.array([value], pa.int64()))
        refusal = _refused(
            ground, "update", entry, batch, f"UPDATE to {value} against a constraint"
        )
        _look_at_constraint(refusal)


def _look_at_constraint(refusal: RefusedError) -> None:
    """The code, and the two trailers that make it a Constraint Error in DuckDB."""
    wanted = (GrpcCode.INVALID_ARGUMENT, GrpcCode.ALREADY_EXISTS, GrpcCode.FAILED_PRECONDITION)
    if refusal.code not in wanted:
        raise broken("1.6", f"a broken constraint is {refusal.failure}")
    trailers = refusal.failure.trailers
    details = trailers.get("grpc-status-details-bin")
    if details is None:
        raise advice(
            "1.6", "a broken constraint is no typed error", "it is an IO Error to its user"
        )
    told = map_of(
        unpack(
            details if isinstance(details, bytes) else details.encode(), "1.6", "the typed error"
        ),
        "1.6",
        "the typed error",
    )
    text_of(told.get("message"), "1.6", "`message` of a typed error")
    if told.get("exception_type") not in _DUCKDB_ERRORS:
        said = f"the typed error is {told.get('exception_type')!r}"
        raise broken("1.6", said, 'it is shown as "Unknown exception type…"')
    if "x-arrow-status" not in trailers:
        raise advice("1.6", "a typed error comes without x-arrow-status", "it is ignored")


@FAMILY.check("5.1", "an INSERT that is cancelled leaves nothing", "rows of failed statements stay")
def cancelled(ground: Ground) -> None:
    entry = ground.workshop.plain()
    rows = pa.record_batch({"id": [99], "name": ["x"], "v": [0.0]}, schema=PLAIN)
    exchange = Exchange(ground.fresh(), "insert", entry.descriptor, PLAIN)
    exchange.send(rows)
    exchange.cancel()
    ground.workshop.fill(entry, pa.table({"id": [4], "name": ["d"], "v": [0.0]}, schema=PLAIN))
    wanted = pa.concat_tables(
        [ROWS, pa.table({"id": [4], "name": ["d"], "v": [0.0]}, schema=PLAIN)]
    )
    same_rows(ground.rows(entry), wanted, "a table after a cancelled INSERT", "5.1")


@FAMILY.check("8", "an operation that is none is refused")
def unknown_operation(ground: Ground) -> None:
    entry = ground.shared
    operation: Any = "no_such_operation"
    try:
        Exchange(ground.fresh(), operation, entry.descriptor, PLAIN).cancel()
    except RefusedError as refusal:
        codes = {GrpcCode.INVALID_ARGUMENT, GrpcCode.UNIMPLEMENTED, GrpcCode.NOT_FOUND}
        if refusal.code not in codes:
            raise broken("8", f"the operation `no_such_operation` is {refusal.failure}") from None
        return
    raise broken("8", "the operation `no_such_operation` is begun")
