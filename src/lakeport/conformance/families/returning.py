"""INSERT, UPDATE and DELETE with RETURNING: a batch for each batch, in the layout that the client expects."""

from __future__ import annotations

import pyarrow as pa

from lakeport.conformance.check import Family
from lakeport.conformance.exchange import CHUNK, Changed, change
from lakeport.conformance.families.changes import edit, row_ids
from lakeport.conformance.families.scans import same_rows
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import Entry, is_flagged
from lakeport.conformance.verdicts import broken
from lakeport.conformance.workshop import PLAIN, ROWS

FAMILY = Family("returning", "RETURNING")


def _whole_rows(found: Changed, entry: Entry, what: str, rule: str) -> pa.Table:
    """Every column of the table by name, in its declared type."""
    for column in entry.columns:
        if column.name not in found.schema.names:
            raise broken(rule, f"{what} gives no column `{column.name}`")
        kind = found.schema.field(column.name).type
        if kind != column.type:
            raise broken(rule, f"{what} gives `{column.name}` as {kind}, declared as {column.type}")
    return pa.Table.from_batches(list(found.batches), found.schema)


def _sizes(found: Changed, wanted: list[int], what: str) -> None:
    sizes = [len(batch) for batch in found.batches]
    if sizes != wanted:
        raise broken("0.7", f"{what} of batches of {wanted} rows gives batches of {sizes}")


@FAMILY.check("0.7", "INSERT … RETURNING: a batch for each batch, then the count")
def insert(ground: Ground) -> None:
    entry = ground.workshop.create(PLAIN)
    found = ground.workshop.fill(entry, ROWS, returning=True)
    _sizes(found, [ROWS.num_rows], "INSERT … RETURNING")
    same_rows(
        _whole_rows(found, entry, "INSERT … RETURNING", "5.2"), ROWS, "INSERT … RETURNING", "5.2"
    )
    if found.total != ROWS.num_rows:
        raise broken("5.5", f"INSERT … RETURNING reports {found.total} rows")


@FAMILY.check("0.7", "INSERT … RETURNING of 2048, 2048 and 1 rows gives just these batches")
def insert_batches(ground: Ground) -> None:
    rows = pa.table({"id": pa.array(range(2 * CHUNK + 1), pa.int64())})
    entry = ground.workshop.create(rows.schema)
    found = ground.workshop.fill(entry, rows, returning=True)
    _sizes(found, [CHUNK, CHUNK, 1], "INSERT … RETURNING")
    same_rows(pa.Table.from_batches(list(found.batches)), rows, "INSERT … RETURNING", "5.2")


@FAMILY.check("0.8", "UPDATE … RETURNING: the columns as they were sent, the row id last")
def update_order(ground: Ground) -> None:
    entry = ground.workshop.plain()
    ids = row_ids(ground, entry)
    sent = edit(
        entry,
        [ids[3], ids[1]],
        v=pa.array([0.5, 0.25]),
        id=pa.array([3, 1], pa.int64()),
        name=pa.array(["x", "y"]),
    )
    found = change(ground.fresh(), "update", entry.descriptor, [sent], returning=True)
    names = found.schema.names
    if len(names) != len(sent.schema) or names[:-1] != sent.schema.names[:-1]:
        raise broken("0.8", f"columns sent as {sent.schema.names} come back as {names}")
    _look_at_row_id(found.schema)
    for column in sent.schema:
        if found.schema.field(column.name).type != column.type:
            raise broken(
                "0.8", f"`{column.name}` was sent as {column.type} and comes back otherwise"
            )
    _sizes(found, [2], "UPDATE … RETURNING")
    table = pa.Table.from_batches(list(found.batches), found.schema)
    same_rows(
        table,
        pa.table(sent.slice(0).to_pydict()).drop_columns(["rowid"]),
        "UPDATE … RETURNING",
        "5.3",
    )


def _look_at_row_id(schema: pa.Schema) -> None:
    last = schema.field(len(schema) - 1)
    if last.name != "rowid":
        raise broken("0.8", f"the last column of UPDATE … RETURNING is `{last.name}`, not `rowid`")
    if not is_flagged(last, "is_rowid"):
        raise broken("0.8", "the row id of UPDATE … RETURNING is not flagged is_rowid")


@FAMILY.check("0.7", "UPDATE … RETURNING of several batches gives a batch for each")
def update_batches(ground: Ground) -> None:
    rows = pa.table({"id": pa.array(range(CHUNK + 10), pa.int64())})
    entry = ground.workshop.create(rows.schema, rows=rows)
    ids = row_ids(ground, entry)
    sent = [
        edit(entry, [ids[at] for at in part], id=pa.array([-at for at in part], pa.int64()))
        for part in (range(CHUNK), range(CHUNK, CHUNK + 10))
    ]
    found = change(ground.fresh(), "update", entry.descriptor, sent, returning=True)
    _sizes(found, [CHUNK, 10], "UPDATE … RETURNING")
    if found.total != CHUNK + 10:
        raise broken("5.5", f"UPDATE … RETURNING of {CHUNK + 10} rows reports {found.total}")


@FAMILY.check("0.7", "DELETE … RETURNING: the whole rows that went")
def delete(ground: Ground) -> None:
    entry = ground.workshop.plain()
    ids = row_ids(ground, entry)
    batch = edit(entry, [ids[1], ids[3]])
    found = change(ground.fresh(), "delete", entry.descriptor, [batch], returning=True)
    _sizes(found, [2], "DELETE … RETURNING")
    gone = _whole_rows(found, entry, "DELETE … RETURNING", "5.4")
    same_rows(gone, ROWS.take([0, 2]), "DELETE … RETURNING", "5.4")
    same_rows(ground.rows(entry), ROWS.take([1]), "DELETE … RETURNING", "5.4")
