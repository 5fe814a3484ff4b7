"""Several calls at once: an UPDATE's scan while its exchange is open, parallel scans, large messages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from lakeport.conformance.check import Family
from lakeport.conformance.exchange import CHUNK, Exchange, change, total_of
from lakeport.conformance.families.changes import edit, row_id_type
from lakeport.conformance.families.scans import same_rows
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import ROW_ID
from lakeport.conformance.scan import Asked, scan
from lakeport.conformance.verdicts import broken
from lakeport.conformance.workshop import PLAIN, ROWS

FAMILY = Family("crowds", "many at once, and large")

_DEADLOCK = "the statement waits for its own lock for ever"


@FAMILY.check("5.1", "UPDATE reads its table while its exchange is open", _DEADLOCK)
def update_scan(ground: Ground) -> None:
    entry = ground.workshop.plain()
    statement = ground.fresh()
    schema = pa.schema([("v", pa.float64()), ("rowid", row_id_type(entry))])
    exchange = Exchange(statement, "update", entry.descriptor, schema)
    try:
        found = scan(statement, entry, Asked(ids=[0, ROW_ID]))
        ids = found.column(entry.row_id or 0).to_pylist()
        exchange.send(edit(entry, ids, v=pa.array([0.25] * len(ids))))
        total = total_of(exchange, "update")
    finally:
        exchange.cancel()
    if total != ROWS.num_rows:
        raise broken("5.1", f"an UPDATE whose scan ran inside of it reports {total} rows")


@FAMILY.check(
    "5.1",
    "INSERT … SELECT from the same table does not read what it writes",
    "the statement never ends, or doubles its own rows",
)
def insert_select(ground: Ground) -> None:
    entry = ground.workshop.plain()
    statement = ground.fresh()
    exchange = Exchange(statement, "insert", entry.descriptor, PLAIN)
    try:
        for _ in range(2):
            rows = scan(statement, entry).select(PLAIN.names).combine_chunks()
            for batch in rows.to_batches():
                exchange.send(pa.RecordBatch.from_arrays(batch.columns, schema=PLAIN))
        total = total_of(exchange, "insert")
    finally:
        exchange.cancel()
    if total != 2 * ROWS.num_rows:
        raise broken("5.1", f"INSERT … SELECT twice over three rows inserts {total}")


@FAMILY.check("3.3", "scans run at the same time", "queries on several threads fail")
def parallel_scans(ground: Ground) -> None:
    entry, catalog = ground.shared, ground.catalog
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: scan(catalog, entry), range(16)):
            same_rows(found, ROWS, "one of many scans")


@FAMILY.check("5.1", "statements on two tables are open at the same time", _DEADLOCK)
def two_statements(ground: Ground) -> None:
    tables = [ground.workshop.plain(), ground.workshop.plain()]
    more = pa.record_batch({"id": [4], "name": ["d"], "v": [0.0]}, schema=PLAIN)
    exchanges = [Exchange(ground.fresh(), "insert", each.descriptor, PLAIN) for each in tables]
    try:
        for exchange in exchanges:
            exchange.send(more)
        totals = [total_of(exchange, "insert") for exchange in exchanges]
    finally:
        for exchange in exchanges:
            exchange.cancel()
    if totals != [1, 1]:
        raise broken("5.5", f"two INSERTs of one row at once report {totals}")


@FAMILY.check(
    "1.5", "a batch of more than 4 MB is taken and given back", "large rows cannot be stored"
)
def large_batch(ground: Ground) -> None:
    texts = [str(at) * 4000 for at in range(1000, 1000 + 400)]
    rows = pa.table({"id": pa.array(range(400), pa.int64()), "text": pa.array(texts)})
    entry = ground.workshop.create(rows.schema)
    total = change(
        ground.fresh(), "insert", entry.descriptor, rows.combine_chunks().to_batches()
    ).total
    found = ground.rows(entry)
    if total != 400 or set(found.column("text").to_pylist()) != set(texts):
        raise broken("1.5", f"of 400 rows of 16 kB {found.num_rows} come back")


@FAMILY.check("1.5", "a statement of 100,000 rows is stored and read whole")
def many_rows(ground: Ground) -> None:
    count = 100_000
    rows = pa.table({"id": pa.array(range(count), pa.int64())})
    entry = ground.workshop.create(rows.schema)
    batches = rows.combine_chunks().to_batches(CHUNK)
    total = change(ground.fresh(), "insert", entry.descriptor, batches).total
    found = ground.rows(entry).column("id").to_pylist()
    if total != count or len(found) != count or set(found) != set(range(count)):
        raise broken("1.5", f"of {count} rows {total} were counted and {len(found)} are read")
