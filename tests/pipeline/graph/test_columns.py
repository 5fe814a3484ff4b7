"""Columns through models: names, types, where they come from, whom a change reaches."""

from __future__ import annotations

from pathlib import Path

from lakeport.pipeline.graph import Graph
from lakeport.pipeline.growth.spark_words import text_of
from tests.pipeline.projects import graph, name_of

FILES = {
    "models/staging/orders.sql": "SELECT id, upper(status) AS status, amount FROM raw.orders",
    "models/marts/totals.sql": (
        "WITH paid AS (SELECT * FROM staging.orders WHERE status = 'PAID')\n"
        "SELECT id, sum(amount) AS total, count(*) AS entries FROM paid GROUP BY id"
    ),
    "models/marts/view.sql": "/* lakeport\nmaterialized = 'view'\n*/ SELECT * FROM marts.totals",
    "models/marts/score.py": (
        "SETTINGS = {'depends_on': ['marts.totals']}\ndef model(context): ..."
    ),
    "models/marts/last.sql": "SELECT * FROM marts.score",
    "sources.toml": "[raw.orders.columns]\nid = 'int'\nstatus = 'string'\namount = 'decimal(9,2)'",
}


def columns(found: Graph, model: str) -> dict[str, str | None] | None:
    held = found.node(name_of(model)).columns
    if held is None:
        return None
    assert all(column.certain for column in held)
    return {one.name: None if one.type is None else text_of(one.type) for one in held}


def test_columns_come_through_models(tmp_path: Path) -> None:
    found = graph(tmp_path, FILES)
    assert columns(found, "marts.view") == {
        "id": "int",
        "total": "decimal(19,2)",
        "entries": "bigint",
    }
    edges = {
        (str(edge.source), edge.source_column, str(edge.target), edge.target_column)
        for edge in found.column_edges
    }
    assert ("raw.orders", "amount", "staging.orders", "amount") in edges
    assert ("staging.orders", "amount", "marts.totals", "total") in edges
    assert ("marts.totals", "total", "marts.view", "total") in edges
    assert not any(edge.approximate for edge in found.column_edges)


def test_python_models_are_known_when_they_run(tmp_path: Path) -> None:
    found = graph(tmp_path, FILES)
    assert found.node(name_of("marts.score")).columns is None
    assert found.node(name_of("marts.last")).columns is None
    assert found.upstream(name_of("marts.score")) == (name_of("marts.totals"),)


def test_the_catalog_knows_better_than_what_is_declared(tmp_path: Path) -> None:
    catalog = {"raw.orders": {"id": "bigint", "status": "string", "amount": "double"}}
    found = graph(tmp_path, FILES, catalog)
    assert columns(found, "staging.orders") == {
        "id": "bigint",
        "status": "string",
        "amount": "double",
    }


def test_readers_see_the_columns_that_a_table_keeps(tmp_path: Path) -> None:
    files = {
        "models/a/x.sql": "SELECT 1 AS id, 2L AS size, 'n' AS fresh",
        "models/a/y.sql": "SELECT * FROM a.x",
        "models/a/v.sql": "/* lakeport\nmaterialized = 'view'\n*/ SELECT 1 AS id",
        "models/a/w.sql": "SELECT * FROM a.v",
    }
    catalog = {
        "a.x": {"gone": "string", "ID": "bigint", "size": "int"},
        "a.v": {"gone": "string", "id": "int"},
    }
    found = graph(tmp_path, files, catalog)
    assert columns(found, "a.x") == {"id": "int", "size": "bigint", "fresh": "string"}
    assert columns(found, "a.y") == {
        "gone": "string",
        "ID": "bigint",
        "size": "bigint",
        "fresh": "string",
    }
    assert columns(found, "a.w") == {"id": "int"}


def test_a_model_that_reads_itself_sees_its_table(tmp_path: Path) -> None:
    files = {"models/a/x.sql": "SELECT id, 1 AS more FROM a.x"}
    found = graph(tmp_path, files, {"a.x": {"id": "bigint"}})
    assert columns(found, "a.x") == {"id": "bigint", "more": "int"}
    assert found.upstream(name_of("a.x")) == ()
    assert found.nodes[0].issues == ()


def test_guesses_are_not_certain(tmp_path: Path) -> None:
    files = {"models/a/x.sql": "SELECT * FROM raw.unknown", "sources.toml": "[raw.unknown]"}
    assert graph(tmp_path, files).nodes[0].columns is None
    files = {"models/a/x.sql": "SELECT id, amount + 1 AS more FROM raw.unknown"}
    found = graph(tmp_path, {**files, "sources.toml": "[raw.unknown]"}).nodes[0].columns
    assert found is not None
    assert [(column.name, column.type, column.certain) for column in found] == [
        ("id", None, False),
        ("more", None, False),
    ]


def test_who_is_affected_by_a_column(tmp_path: Path) -> None:
    found = graph(tmp_path, FILES)
    reached = found.affected({name_of("RAW.orders"): {"AMOUNT"}})
    assert [(str(one.table), one.column, one.approximate) for one in reached] == [
        ("staging.orders", "amount", False),
        ("marts.totals", "total", False),
        ("marts.view", "total", False),
    ]
    assert reached[2].through == ((name_of("marts.totals"), "total"),)
    assert found.affected({name_of("marts.view"): {"total"}}) == ()
    assert found.affected({}) == ()


def test_fields_and_generators_lead_back_to_columns(tmp_path: Path) -> None:
    files = {
        "models/a/x.sql": (
            "SELECT o.place.city AS city, item.price * 2 AS double_price\n"
            "FROM raw.orders AS o LATERAL VIEW explode(o.items) i AS item"
        ),
        "sources.toml": (
            "[raw.orders.columns]\nplace = 'struct<city:string,zip:int>'\n"
            "items = 'array<struct<price:int>>'"
        ),
    }
    found = graph(tmp_path, files)
    edges = {(edge.source_column, edge.target_column) for edge in found.column_edges}
    assert edges == {("place", "city"), ("items", "double_price")}


def test_columns_that_decide_about_rows(tmp_path: Path) -> None:
    files = {
        "models/a/x.sql": "SELECT id, day, upper(kind) AS kind, place FROM raw.t",
        "models/a/y.sql": (
            "WITH late AS (SELECT id, kind, day FROM a.x WHERE place.zip > 1)\n"
            "SELECT count(*) AS n FROM late JOIN a.x AS o ON late.id = o.id\n"
            "WHERE EXISTS (SELECT 1 FROM raw.t AS u WHERE u.id = o.id)\n"
            "GROUP BY late.kind HAVING max(late.day) > DATE '2026-01-01' ORDER BY late.kind"
        ),
        "models/a/z.sql": "SELECT id, row_number() OVER (ORDER BY day) AS n FROM a.x ORDER BY n",
        "sources.toml": (
            "[raw.t.columns]\nid = 'int'\nday = 'date'\nkind = 'string'\nplace = 'struct<zip:int>'"
        ),
    }
    found = graph(tmp_path, files)
    edges = {(str(e.source), e.source_column, str(e.target), e.use) for e in found.row_edges}
    assert edges == {
        ("a.x", "place", "a.y", "filter"),
        ("a.x", "id", "a.y", "join"),
        ("a.x", "id", "a.y", "filter"),
        ("raw.t", "id", "a.y", "filter"),
        ("a.x", "kind", "a.y", "group"),
        ("a.x", "day", "a.y", "filter"),
        ("a.x", "kind", "a.y", "order"),
        ("a.x", "day", "a.z", "order"),
    }
    (reached,) = found.affected_rows({name_of("raw.t"): {"KIND"}})
    assert (str(reached.table), reached.uses) == ("a.y", ("group", "order"))
    assert reached.through == ((name_of("a.x"), "kind"),)
    assert found.affected_rows({name_of("a.y"): {"n"}}) == ()
