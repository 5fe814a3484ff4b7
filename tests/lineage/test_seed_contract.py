"""What the schema handling contract promises beyond single cases: the wire, times, the round trip.

The contract's examples and its unit and integration lists are golden files (`seed_*.sql`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lakeport.lineage import AnalyzeResult, analyze, encode_result, json_schema
from tests.lineage.golden_file import ANALYSIS_TIME, read_cases
from tests.lineage.schema_guard import complaints

GOLDEN = Path(__file__).parent / "golden"
CASES = [case for path in sorted(GOLDEN.glob("*.sql")) for case in read_cases(path)]
RESULT_SCHEMA = json_schema("AnalyzeResult")
REQUEST_SCHEMA = json_schema("AnalyzeRequest")
WORKLOAD = """
CREATE TABLE orders (id INT, user_id INT, amount DECIMAL(9,2));
CREATE TEMPORARY VIEW big AS SELECT id, amount FROM orders WHERE amount > 100;
CREATE TABLE report AS SELECT u.name, sum(b.amount) AS total FROM users AS u JOIN big AS b ON u.id = b.id GROUP BY u.name;
SELECT * FROM report JOIN somewhere ON report.name = somewhere.name;
"""
USERS = {"name": "users", "columns": [{"name": "id", "dataType": "int"}, {"name": "name"}]}


def _wire(request: dict[str, Any]) -> Any:
    return json.loads(encode_result(analyze(request)))


def test_seed_s_every_golden_result_fits_the_json_schema() -> None:
    """SEED-S: the schema guard."""
    for case in CASES:
        assert not complaints(_wire(case.request), RESULT_SCHEMA, RESULT_SCHEMA), case.identity


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("ResolvedTable", "origin"),
        ("ResolvedTable", "sourceStatementIndex"),
        ("ResolvedTable", "updatedAt"),
        ("ResolvedTable", "temporary"),
        ("ResolvedColumn", "origin"),
        ("Edge", "approximate"),
        ("Node", "resolutionSource"),
    ],
)
def test_seed_s_the_schema_declares_the_contract_fields(name: str, field: str) -> None:
    assert field in RESULT_SCHEMA["$defs"][name]["properties"]


def test_seed_s_the_request_declares_allow_implied() -> None:
    assert "allowImplied" in REQUEST_SCHEMA["$defs"]["SchemaMetadata"]["properties"]


def test_seed_s_the_guard_finds_what_is_wrong() -> None:
    broken = {"statements": "none", "globalLineage": {"nodes": [], "edges": []}, "extra": 1}
    found = " ".join(complaints(broken, RESULT_SCHEMA, RESULT_SCHEMA))
    assert "$.statements" in found
    assert "summary is missing" in found
    assert "$.extra" in found


def test_seed_g_updated_at_is_the_analysis_time() -> None:
    result = _wire(_request())
    times = {table["updatedAt"] for table in result["resolvedSchema"]["tables"]}
    assert times == {ANALYSIS_TIME}


def test_seed_g_updated_at_is_iso_8601_in_utc_without_a_given_time() -> None:
    result = analyze({"sql": "CREATE TABLE t (a INT)", "dialect": "spark"})
    assert result.resolved_schema is not None
    stamp = result.resolved_schema.tables[0].updated_at
    assert stamp.endswith("Z")
    assert "T" in stamp


def test_seed_g_views_by_origin_are_a_filter_over_the_resolved_schema() -> None:
    tables = _wire(_request())["resolvedSchema"]["tables"]
    origins = {table["name"]: table["origin"] for table in tables}
    assert origins == {
        "big": "implied",
        "orders": "implied",
        "report": "implied",
        "somewhere": "implied",
        "users": "imported",
    }
    assert [table["name"] for table in tables if table.get("temporary")] == ["big"]


def test_seed_g_exported_schema_reimports_to_the_same_answer() -> None:
    """Export `resolvedSchema`, give it back as `schema.tables`: the same columns, nothing new."""
    first = _wire(_request())
    again = _wire(_request(tables=first["resolvedSchema"]["tables"]))
    assert _columns(again) == _columns(first)
    assert _values(again) == _values(first)
    unknown = {"UNKNOWN_TABLE", "UNKNOWN_COLUMN", "SCHEMA_CONFLICT", "INVALID_REQUEST"}
    assert not unknown & {issue["code"] for issue in again["issues"]}


def test_an_export_holds_what_a_temporary_relation_hid() -> None:
    sql = "SELECT a FROM t; CREATE TEMP VIEW t AS SELECT a AS b FROM t; SELECT * FROM t"
    tables = [{"name": "t", "columns": [{"name": "a"}]}]
    request = {"sql": sql, "dialect": "spark"}
    first = _wire({**request, "schema": {"tables": tables}})
    exported = first["resolvedSchema"]["tables"]
    assert [table["columns"][0]["name"] for table in exported] == ["a", "b"]
    again = _wire({**request, "schema": {"tables": exported}})
    assert _values(again) == _values(first)
    assert again["issues"] == first["issues"] == []


def test_seed_g_exported_schema_explains_the_queries_alone() -> None:
    """With the export imported, the CREATE statements are no longer needed."""
    first = _wire(_request())
    query = "SELECT * FROM report"
    known = _wire({**_request(tables=first["resolvedSchema"]["tables"]), "sql": query})
    labels = [
        node["label"] for node in known["statements"][0]["nodes"] if node["nodeType"] == "column"
    ]
    assert "total" in labels
    assert not known["issues"]


def test_seed_g_results_survive_the_wire() -> None:
    result = analyze(_request())
    assert msgspec.json.decode(encode_result(result), type=AnalyzeResult) == result


def test_what_a_caller_does_to_a_result_is_in_no_later_one() -> None:
    request = {"sql": "SELECT id, u.id FROM users AS u", "schema": {"tables": [USERS]}}
    request["options"] = {"analysisTime": ANALYSIS_TIME}
    analyze(request)
    result = analyze(request)
    expected = encode_result(result)
    for node in result.statements[0].nodes:
        node.label, node.description = "mine", "mine"
    for edge in result.statements[0].edges:
        edge.expression, edge.approximate = "mine", True
    assert encode_result(analyze(request)) == expected


def test_flowscope_style_renames_edge_ends() -> None:
    plain = json.loads(encode_result(analyze(_request()), "flowscope"))
    edge = plain["statements"][0]["edges"][0]
    assert {"from", "to", "type"} <= set(edge)
    assert plain["nodes"]
    assert plain["edges"]


def test_nothing_is_ever_null_on_the_wire() -> None:
    for case in CASES:
        assert b":null" not in encode_result(analyze(case.request)), case.identity


def _request(tables: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "sql": WORKLOAD,
        "dialect": "spark",
        "schema": {"tables": [USERS] if tables is None else tables},
        "options": {"analysisTime": ANALYSIS_TIME, "unknownTablePolicy": "never"},
    }


def _columns(result: Any) -> dict[str, list[tuple[str, str | None]]]:
    return {
        table["name"]: [(column["name"], column.get("dataType")) for column in table["columns"]]
        for table in result["resolvedSchema"]["tables"]
    }


def _values(result: Any) -> set[tuple[str, str]]:
    names = {
        node["id"]: json.dumps(node["canonicalName"]) for node in result["globalLineage"]["nodes"]
    }
    return {
        (names[edge["source"]], names[edge["target"]])
        for edge in result["globalLineage"]["edges"]
        if edge["edgeType"] in {"data_flow", "derivation"}
    }


def test_unknown_fields_of_schema_tables_and_their_columns_are_told() -> None:
    """Elsewhere in a request they are ignored."""
    column = {"name": "id", "kind": "int", "renamedFrom": "key", "dataTypeOrigin": "declared"}
    result = _wire(
        {
            "sql": "SELECT id FROM t",
            "colour": "red",
            "schema": {"tables": [{"name": "t", "columns": [column], "owner": "me"}], "x": 1},
        }
    )
    assert [(issue["severity"], issue["message"]) for issue in result["issues"]] == [
        ("info", "field `owner` of schema table `t` is not known"),
        ("info", "field `kind` of column `id` of schema table `t` is not known"),
    ]
