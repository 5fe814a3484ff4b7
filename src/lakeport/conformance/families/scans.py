"""Reading: `endpoints` and DoGet, for whole rows, single columns, row ids, counts and stale clients."""

from __future__ import annotations

import pyarrow as pa

from lakeport.conformance.attached import RefusedError, decoded
from lakeport.conformance.check import Family
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import ROW_ID, Entry, entry_from
from lakeport.conformance.packing import schema_bytes, schema_of
from lakeport.conformance.scan import Asked, endpoints, look_at_locations, rows_of, scan
from lakeport.conformance.verdicts import NotOfferedError, advice, broken
from lakeport.conformance.workshop import PLAIN, ROWS
from lakeport.core.status import GrpcCode
from lakeport.flight.call import Method
from lakeport.flight.messages import FlightDescriptor, FlightInfo

FAMILY = Family("scans", "SELECT")

_LOCATED = "airport_take_flight asks `endpoints` where the rows are; other Flight clients stay here"


def same_rows(found: pa.Table, wanted: pa.Table, what: str, rule: str = "0.3") -> None:
    """As sets, for a table has no order; by the columns of `wanted`."""
    got = _sorted(found.select(wanted.column_names))
    if got != _sorted(wanted):
        few = f"{found.num_rows} rows" if found.num_rows > 5 else str(got)
        raise broken(rule, f"{what} gives {few}, not the {wanted.num_rows} rows that are there")


def _sorted(table: pa.Table) -> list[str]:
    return sorted(repr(row) for row in table.to_pylist())


@FAMILY.check("0.1", "endpoints gives one Result")
def endpoints_result(ground: Ground) -> None:
    endpoints(ground.catalog, ground.shared)


@FAMILY.check("0.5", "every endpoint has a location")
def locations(ground: Ground) -> None:
    endpoints(ground.catalog, ground.shared, Asked(ids=[0]))


@FAMILY.check("0.3", "all rows come, as they were inserted")
def rows(ground: Ground) -> None:
    same_rows(scan(ground.catalog, ground.shared), ROWS, "SELECT *")


@FAMILY.check("0.3", "the stream is as wide as declared, whatever columns are asked for")
def full_width(ground: Ground) -> None:
    for at, name in enumerate(PLAIN.names):
        found = scan(ground.catalog, ground.shared, Asked(ids=[at]))
        same_rows(found, ROWS.select([name]), f"SELECT {name}")


@FAMILY.check("3.4", "an id may come twice, in any order")
def repeated_ids(ground: Ground) -> None:
    found = scan(ground.catalog, ground.shared, Asked(ids=[2, 0, 2]))
    same_rows(found, ROWS.select(["id", "v"]), "ids [2, 0, 2]")


@FAMILY.check("3.4", "count(*) asks for one column without naming it")
def count_star(ground: Ground) -> None:
    entry = ground.shared
    ids = [0] if entry.row_id is None else [ROW_ID]
    found = scan(ground.catalog, entry, Asked(ids=ids, names=[]))
    if found.num_rows != ROWS.num_rows:
        raise broken("3.4", f"count(*) counts {found.num_rows} rows of {ROWS.num_rows}")


@FAMILY.check("3.4", "row ids are there, one for each row", "UPDATE and DELETE hit wrong rows")
def row_ids(ground: Ground) -> None:
    entry = ground.shared
    if entry.row_id is None:
        raise NotOfferedError("tables have no row id: they cannot be updated")
    found = scan(ground.catalog, entry, Asked(ids=[ROW_ID])).column(entry.row_id).to_pylist()
    if None in found or len(set(found)) != ROWS.num_rows:
        raise broken("3.4", f"the row ids of three rows are {found}")


@FAMILY.check(
    "3.4",
    "after ADD COLUMN ids count around the row id",
)
def row_id_shift(ground: Ground) -> None:
    entry = ground.workshop.plain()
    added = pa.schema([("extra", pa.int64())])
    after = ground.workshop.alter(
        "add_column", entry, column_schema=schema_bytes(added), if_column_not_exists=False
    )
    if after.columns.names != [*PLAIN.names, "extra"]:
        raise broken("3.4", f"after ADD COLUMN the columns are {after.columns.names}")
    ground.workshop.fill(after, pa.table({"id": [9], "name": ["z"], "v": [0.5], "extra": [77]}))
    for at, name in enumerate(after.columns.names):
        found = ground.rows(after, Asked(ids=[at])).column(after.place(at)).to_pylist()
        wanted = {"extra": 77, "id": 9, "name": "z", "v": 0.5}[name]
        if wanted not in found:
            raise broken(
                "3.4", f"id {at} is column `{name}` and does not bring its values: {found}"
            )


@FAMILY.check("3.5", "a table without rows is a scan without rows")
def empty_table(ground: Ground) -> None:
    found = scan(ground.catalog, ground.workshop.create(PLAIN))
    if found.num_rows:
        raise broken("3.5", f"an empty table gives {found.num_rows} rows")


@FAMILY.check("3.2", "a scan without filters may say so by an empty text")
def no_filters(ground: Ground) -> None:
    same_rows(scan(ground.catalog, ground.shared, Asked(json="")), ROWS, "without filters", "3.2")


@FAMILY.check("3.2", "standard clients may leave parameters out")
def bare_request(ground: Ground) -> None:
    body = {"descriptor": ground.shared.descriptor.encode()}
    try:
        ground.attached.one("endpoints", body, ground.shared.descriptor, scan=True)
    except RefusedError as refusal:
        raise advice("3.2", f"`endpoints` with a descriptor alone: {refusal.failure}") from None


@FAMILY.check("1.2", "airport-skip-producing-results gives an empty stream")
def skipped_results(ground: Ground) -> None:
    if scan(ground.catalog, ground.shared, Asked(skip=True)).num_rows:
        raise advice(
            "1.2", "airport-skip-producing-results is ignored", "rows are sent for nothing"
        )


@FAMILY.check("1.5", "LIMIT cancels the stream, and the server goes on", "the next query hangs")
def cancelled(ground: Ground) -> None:
    entry = ground.shared
    for _ in range(3):
        for endpoint in endpoints(ground.catalog, entry):
            rows_of(ground.catalog, entry, endpoint, {entry.place(0)}, most_rows=0)
    same_rows(scan(ground.catalog, entry), ROWS, "after three cancelled scans")


@FAMILY.check("2.1", "who holds the schema from before ADD COLUMN gets that layout or a refusal")
def stale_after_add(ground: Ground) -> None:
    before = ground.workshop.plain()
    added = pa.schema([("extra", pa.int64())])
    now = ground.workshop.alter(
        "add_column", before, column_schema=schema_bytes(added), if_column_not_exists=False
    )
    _read_stale(ground, before, now, "ADD COLUMN")


@FAMILY.check("2.1", "who holds the schema from before DROP COLUMN gets that layout or a refusal")
def stale_after_remove(ground: Ground) -> None:
    before = ground.workshop.plain()
    now = ground.workshop.alter(
        "remove_column", before, removed_column="name", if_column_exists=False, cascade=False
    )
    _read_stale(ground, before, now, "DROP COLUMN")


@FAMILY.check("2.1", "a table made anew under its name is no other's layout")
def stale_after_recreate(ground: Ground) -> None:
    before = ground.workshop.plain()
    ground.workshop.drop(before.name)
    other = pa.schema([("v", pa.string()), ("id", pa.string())])
    made = ground.workshop.create(other, before.name)
    ground.workshop.fill(made, pa.table({"v": ["x"], "id": ["y"]}))
    _read_stale(ground, before, made, "DROP and CREATE of another table of its name")


def _read_stale(ground: Ground, entry: Entry, now: Entry, after: str) -> None:
    ground.rows(now)  # what is wrong with any scan is no fault of this one
    try:
        ground.rows(entry)
    except RefusedError:
        return
    except Exception as wrong:
        if getattr(wrong, "number", None) != "0.3":
            raise
        raise broken("2.1", f"after {after} by another connection: {wrong}") from None


@FAMILY.check("3.7", "GetFlightInfo echoes its descriptor and leads to the rows")
def flight_info(ground: Ground) -> None:
    entry = ground.shared
    headers = ground.attached.headers(entry.descriptor, scan=True)
    asked = entry.descriptor.encode()
    (message,) = ground.attached.ask(Method.GET_FLIGHT_INFO, asked, headers, "GetFlightInfo")
    info: FlightInfo = decoded(FlightInfo.decode, message, "3.7", "the FlightInfo")
    if info.descriptor != entry.descriptor:
        raise broken("3.7", f"GetFlightInfo of {entry.descriptor} is of {info.descriptor}")
    schema = schema_of(info.schema, "3.7", "the schema of GetFlightInfo")
    if schema.names != entry.schema.names:
        raise broken("3.7", f"GetFlightInfo tells the columns {schema.names}")
    if info.app_metadata:
        entry_from(info, "3.7", ground.attached.catalog)
    scan(ground.catalog, entry)
    for endpoint in info.endpoints:
        if not endpoint.locations:
            raise advice("3.7", "the endpoint of GetFlightInfo has no location", _LOCATED)
        look_at_locations(endpoint, "the endpoint of GetFlightInfo")


@FAMILY.check("1.6", "a table that is not there is NOT_FOUND")
def unknown_table(ground: Ground) -> None:
    path = [*(ground.shared.descriptor.path or ())]
    if len(path) < 2 or path[1] != ground.shared.name:
        raise NotOfferedError("descriptors are not paths of schema and table")
    descriptor = FlightDescriptor(path=(path[0], "no_such_table_by_this_name"))
    ghost = Entry("table", path[0], "ghost", PLAIN, descriptor, None, {})
    given = []
    try:
        given = endpoints(ground.catalog, ghost)
        for each in given:
            rows_of(ground.catalog, ghost, each, {0})
    except RefusedError as refusal:
        if refusal.code is not GrpcCode.NOT_FOUND:
            asked = "DoGet" if given else "`endpoints`"
            raise broken("1.6", f"{asked} of an unknown table is {refusal.code.name}") from None
        if given:
            seen = "`endpoints` of an unknown table are given, and lead to NOT_FOUND"
            raise advice("1.6", seen, "the user is told when the scan runs, not before") from None
        return
    seen = "an unknown table is read as if it were there"
    raise broken("1.6", seen, "the user takes a dropped table for an empty one")


@FAMILY.check("3.7", "the path __databases lists the catalogs", "airport_databases() fails")
def databases(ground: Ground) -> None:
    asked = FlightDescriptor(path=("__databases",)).encode()
    try:
        found = ground.attached.ask(
            Method.GET_FLIGHT_INFO, asked, ground.attached.headers(), "GetFlightInfo"
        )
    except RefusedError as refusal:
        raise NotOfferedError(f"there is no `__databases`: {refusal.failure}") from None
    info: FlightInfo = decoded(FlightInfo.decode, found[0], "3.7", "the FlightInfo")
    names = schema_of(info.schema, "3.7", "the schema of __databases").names
    if names[:2] != ["name", "description"]:
        raise broken("3.7", f"`__databases` has the columns {names}")
