"""What equality joins say about keys: the pairs always, a direction only where there is one."""

from __future__ import annotations

from typing import Any

from lakeport.lineage import analyze


def metadata(sql: str, table: str, **more: Any) -> dict[str, Any]:
    result = analyze({"sql": sql, "dialect": "spark", **more})
    return next(node.metadata for node in result.statements[0].nodes if node.label == table)


def test_the_joined_relation_keeps_the_pairs() -> None:
    sql = "SELECT o.x FROM orders o JOIN lines l ON o.a = l.b AND o.c = l.d"
    assert metadata(sql, "lines")["joinKeys"] == [["orders.a", "lines.b"], ["orders.c", "lines.d"]]


def test_a_candidate_points_towards_the_id() -> None:
    sql = "SELECT c.name FROM orders o JOIN customers c ON c.id = o.customer_id"
    assert metadata(sql, "orders")["candidateForeignKeys"] == [
        {"column": "customer_id", "table": "customers", "referenced": "id"}
    ]
    assert "candidateForeignKeys" not in metadata(sql, "customers")


def test_two_ids_or_none_suggest_nothing() -> None:
    both = "SELECT 1 AS one FROM a JOIN b ON a.id = b.id"
    none = "SELECT 1 AS one FROM a JOIN b ON a.x = b.y"
    assert "candidateForeignKeys" not in {**metadata(both, "a"), **metadata(both, "b")}
    assert "candidateForeignKeys" not in {**metadata(none, "a"), **metadata(none, "b")}


def test_a_declared_key_needs_no_candidate() -> None:
    columns = [{"name": "customer_id", "foreignKey": {"table": "customers", "column": "id"}}]
    schema = {"tables": [{"name": "orders", "columns": columns}]}
    sql = "SELECT o.customer_id FROM orders o JOIN customers c ON c.id = o.customer_id"
    assert "candidateForeignKeys" not in metadata(sql, "orders", schema=schema)
