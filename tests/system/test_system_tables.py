from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition, with_comment, with_default
from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.files import Roots
from lakeport.catalog.functions import FunctionHost, TableFunction
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    Insertable,
    NamespaceInfo,
    Scannable,
    ScanRequest,
    Split,
    Table,
    Travelable,
    require,
)
from lakeport.catalog.views import View, ViewQuery
from lakeport.core.errors import (
    CorruptDataError,
    InvalidRequestError,
    NotFoundError,
)
from lakeport.core.names import TableName
from lakeport.state import AuditEntry, ModelRecord, Owner, RunRecord, StoredEdge, StoredIssue
from lakeport.system import NAMESPACE, SeenIssue, SeenRun, SystemCatalog

ORDERS = pa.schema(
    [
        with_comment(pa.field("id", pa.int64(), nullable=False), "the key"),
        with_default(pa.field("name", pa.string()), "'zz'"),
    ]
)


RAW, TOTALS = TableName("raw", "orders"), TableName("marts", "totals")
MODELS = (
    ModelRecord(
        model="marts.totals",
        table=TOTALS,
        status="succeeded",
        strategy="merge",
        rows=3,
        counts={"added-records": 3},
        started_ns=1_000_000_000,
        ended_ns=2_000_000_000,
        snapshot_id=9,
        version=4,
        warnings=("careful",),
    ),
    ModelRecord(
        model="marts.broken",
        table=TableName("marts", "broken"),
        status="failed",
        code="conflict",
        error="no",
        hint="again",
    ),
)


@dataclass(frozen=True)
class Everything:
    catalog: MemoryCatalog
    broken: frozenset[str] = frozenset()

    def names(self) -> Iterator[TableName]:
        for info in self.catalog.namespaces():
            for table in sorted(self.catalog.namespace(info.name).tables()):
                yield TableName(info.name, table)
        yield TableName("shop", "dropped")

    def table(self, name: TableName) -> Table:
        if name.table in self.broken:
            raise CorruptDataError("its files are gone")
        return self.catalog.namespace(name.namespace).table(name.table)

    def size(self, summary: Mapping[str, str] | None) -> tuple[int | None, int | None]:
        return (0, 0) if summary is None else (2, 20)

    def roots(self) -> Roots:
        return Roots()

    def view_names(self) -> Iterator[TableName]:
        yield from (TableName("shop", name) for name in ("big", "dropped_view", "damaged"))

    def view(self, name: TableName) -> View:
        if name.table == "damaged":
            raise CorruptDataError("its files are gone")
        if name.table != "big":
            raise NotFoundError("it was dropped")
        queries = (ViewQuery("spark", "SELECT 1 AS a"), ViewQuery("trino", "SELECT 1 a"))
        return View("u", name, pa.schema([("a", pa.int32())]), queries, 2, 3_000, "Big ones.")

    def audit(self) -> Iterator[Sequence[AuditEntry]]:
        yield [AuditEntry(at_ns=1, method="DoGet", identity="ann", rows_out=2)]
        yield [AuditEntry(at_ns=2, method="DoAction", outcome="NOT_FOUND")]

    def runs(self) -> Iterator[SeenRun]:
        owner = Owner("r1", "far", "boot", 7, "1")
        run = RunRecord(
            owner=owner,
            catalog="lake",
            started_ns=1_000_000_000,
            ended_ns=3_500_000_000,
            status="failed",
            actor="ann",
        )
        yield SeenRun(run, MODELS, is_whole=True, tells=True)
        other = replace(run, owner=replace(owner, run_id="r2"), ended_ns=None, environment="dev")
        yield SeenRun(other, MODELS[1:], is_whole=False, tells=False)

    def edges(self) -> Iterator[tuple[str | None, StoredEdge]]:
        yield None, StoredEdge(RAW, "a", TOTALS, "b", "derivation", approximate=True)

    def issues(self) -> Iterator[SeenIssue]:
        issue = StoredIssue(TOTALS, "UNKNOWN_COLUMN", "warning", "what", "that", "m.sql", 3, 7)
        yield SeenIssue("dev", issue, tells=True)
        yield SeenIssue(None, issue, tells=False)


@pytest.fixture
def inner() -> MemoryCatalog:
    catalog = MemoryCatalog("lake")
    shop = catalog.create_namespace(NamespaceInfo("shop"))
    orders = shop.create_table("orders", Definition(ORDERS, comment="all orders"))
    with require(orders, Insertable, "orders").insert() as write:
        write.add(pa.record_batch({"id": [1, 2], "name": ["a", "b"]}, schema=ORDERS))
        write.commit()
    shop.create_table("unused", Definition(pa.schema([("x", pa.int8())])))
    return catalog


def read(table: Table, **request: Any) -> list[dict[str, Any]]:
    source = require(table, Scannable, "the table")
    wanted = ScanRequest(**request)
    plan = source.plan(wanted)
    rows: list[dict[str, Any]] = []
    for split in plan.splits:
        with source.open(wanted, split) as stream:
            assert stream.schema == plan.schema
            rows.extend(stream.read_all().to_pylist())
    return rows


def system(inner: MemoryCatalog, name: str, broken: frozenset[str] = frozenset()) -> Table:
    return SystemCatalog(inner, Everything(inner, broken)).namespace(NAMESPACE).table(name)


def test_it_stands_beside_the_catalogs_own_namespaces(inner: MemoryCatalog) -> None:
    catalog = SystemCatalog(inner, Everything(inner))
    assert [info.name for info in catalog.namespaces()] == ["shop", "lakeport"]
    assert catalog.namespace("LakePort").tables() == (
        "tables",
        "columns",
        "snapshots",
        "views",
        "audit",
        "runs",
        "model_runs",
        "lineage_edges",
        "issues",
    )
    assert catalog.namespace("shop").table("orders").state().name == TableName("shop", "orders")
    assert (catalog.name, catalog.version()) == (inner.name, inner.version())
    with pytest.raises(NotFoundError):
        catalog.namespace(NAMESPACE).table("rows")


def test_a_namespace_of_that_name_made_by_others_is_not_shown_twice(inner: MemoryCatalog) -> None:
    inner.create_namespace(NamespaceInfo("LAKEPORT"))
    catalog = SystemCatalog(inner, Everything(inner))
    assert [info.name for info in catalog.namespaces()] == ["shop", "lakeport"]


def test_tables_are_told_with_size_and_version(inner: MemoryCatalog) -> None:
    columns = ("table", "comment", "columns", "rows", "bytes", "version")
    assert read(system(inner, "tables"), columns=columns) == [
        dict(zip(columns, ("orders", "all orders", 2, 2, 20, 1), strict=True)),
        dict(zip(columns, ("unused", None, 1, 0, 0, 0), strict=True)),
    ]


def test_views_are_told_with_their_sql_in_every_dialect(inner: MemoryCatalog) -> None:
    columns = ("view", "dialect", "sql", "columns", "comment", "problem")
    assert [tuple(row.values()) for row in read(system(inner, "views"), columns=columns)] == [
        ("big", "spark", "SELECT 1 AS a", ["a"], "Big ones.", None),
        ("big", "trino", "SELECT 1 a", ["a"], "Big ones.", None),
        ("damaged", None, None, None, None, "its files are gone"),
    ]


def test_a_damaged_table_is_told_and_hides_no_other(inner: MemoryCatalog) -> None:
    columns = ("table", "version", "problem")
    assert read(system(inner, "tables", frozenset({"orders"})), columns=columns) == [
        {"table": "orders", "version": None, "problem": "its files are gone"},
        {"table": "unused", "version": 0, "problem": None},
    ]
    left = read(system(inner, "columns", frozenset({"orders"})), columns=("table",))
    assert left == [{"table": "unused"}]


def test_columns_are_told_in_their_order(inner: MemoryCatalog) -> None:
    first, second, _ = read(system(inner, "columns"))
    assert first == {
        "namespace": "shop",
        "table": "orders",
        "position": 1,
        "column": "id",
        "type": "BIGINT",
        "arrow_type": "int64",
        "nullable": False,
        "default": None,
        "comment": "the key",
    }
    assert (second["position"], second["default"]) == (2, "'zz'")


def test_snapshots_are_the_tables_history(inner: MemoryCatalog) -> None:
    (commit,) = require(inner.namespace("shop").table("orders"), Travelable, "the table").history()
    (row,) = read(system(inner, "snapshots"))
    assert (row["table"], row["snapshot_id"], row["version"]) == ("orders", commit.snapshot_id, 1)
    moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=commit.timestamp_ns // 1000)
    assert row["committed_at"] == moment
    assert dict(row["summary"]) == dict(commit.summary)


def test_conditions_limits_and_columns_hold(inner: MemoryCatalog) -> None:
    audit = system(inner, "audit")
    failed = parse_expression("outcome <> 'OK'", audit.state().definition.schema)
    assert read(audit, columns=("method",), expression=failed) == [{"method": "DoAction"}]
    assert read(audit, columns=("method",), limit=1) == [{"method": "DoGet"}]
    assert read(audit, limit=0) == []
    counted = require(audit, Scannable, "audit").open(ScanRequest(columns=()), Split(1, (0,)))
    assert sum(batch.num_rows for batch in counted) == 2


def test_a_forged_split_is_refused(inner: MemoryCatalog) -> None:
    audit = require(system(inner, "audit"), Scannable, "audit")
    with pytest.raises(InvalidRequestError):
        audit.open(ScanRequest(), Split(1, (1,)))


def series(inner: MemoryCatalog, **arguments: int | None) -> list[int | None]:
    host = require(
        SystemCatalog(inner, Everything(inner)).namespace(NAMESPACE), FunctionHost, "the namespace"
    )
    (function,) = (
        each
        for each in host.functions()
        if isinstance(each, TableFunction) and each.signature.parameters.names == [*arguments]
    )
    given = pa.RecordBatch.from_pylist([arguments], schema=function.signature.parameters)
    bound = function.bind(given)
    with bound.open(ScanRequest()) as stream:
        numbers = [number for batch in stream for number in batch.column(0).to_pylist()]
    assert bound.rows == len(numbers)
    return numbers


def test_a_series_has_both_its_ends(inner: MemoryCatalog) -> None:
    assert series(inner, start=1, stop=4) == [1, 2, 3, 4]
    assert series(inner, start=1, stop=4, step=2) == [1, 3]
    assert series(inner, start=5, stop=1, step=-2) == [5, 3, 1]
    assert series(inner, start=5, stop=1) == []
    assert series(inner, start=None, stop=1) == []
    assert len(series(inner, start=0, stop=100_000)) == 100_001


def test_a_series_reaches_the_largest_number(inner: MemoryCatalog) -> None:
    largest = (1 << 63) - 1
    assert series(inner, start=largest - 1, stop=largest) == [largest - 1, largest]
    assert series(inner, start=-largest - 1, stop=largest, step=largest) == [
        -largest - 1,
        -1,
        largest - 1,
    ]


def test_a_series_that_never_moves_is_refused(inner: MemoryCatalog) -> None:
    with pytest.raises(InvalidRequestError, match="step"):
        series(inner, start=1, stop=2, step=0)


def test_runs_are_counted_and_only_an_admin_sees_who_ran_them_where(inner: MemoryCatalog) -> None:
    whole, part = read(system(inner, "runs"))
    assert (whole["run_id"], whole["status"], whole["seconds"]) == ("r1", "failed", 2.5)
    assert (whole["models"], whole["succeeded"], whole["failed"]) == (2, 1, 1)
    assert (whole["actor"], whole["host"], whole["pid"], whole["request"]) == (
        "ann",
        "far",
        7,
        "{}",
    )
    assert (part["environment"], part["models"], part["ended_at"]) == ("dev", 1, None)
    assert {part[name] for name in ("actor", "host", "pid", "request", "error")} == {None}


def test_what_a_run_did_to_a_table_is_a_row(inner: MemoryCatalog) -> None:
    done, failed, unseen = read(system(inner, "model_runs"))
    assert (done["namespace"], done["table"], done["version"]) == ("marts", "totals", 4)
    assert (done["counts"], done["warnings"]) == ([("added-records", 3)], ["careful"])
    assert (failed["code"], failed["error"], failed["hint"]) == ("conflict", "no", "again")
    assert (unseen["code"], unseen["error"], unseen["hint"], unseen["warnings"]) == (
        "conflict",
        None,
        None,
        None,
    )


def test_lineage_and_issues_are_rows(inner: MemoryCatalog) -> None:
    (edge,) = read(system(inner, "lineage_edges"))
    assert (edge["source_table"], edge["target_column"]) == ("orders", "b")
    assert (edge["kind"], edge["approximate"]) == ("derivation", True)
    told, untold = read(system(inner, "issues"))
    assert (told["environment"], told["message"], told["line"]) == ("dev", "what", 3)
    assert (untold["code"], untold["message"], untold["hint"]) == ("UNKNOWN_COLUMN", None, None)
