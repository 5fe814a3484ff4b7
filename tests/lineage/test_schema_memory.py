"""A schema that is sent again is not read again, and nobody can tell by the answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakeport.lineage import AnalyzeResult, analyze
from lakeport.lineage.dialects import dialect_named
from lakeport.lineage.imported import Imported, imported_tables
from lakeport.lineage.request import ColumnSchema, SchemaMetadata, SchemaTable, read_request

SQL = "SELECT * FROM orders"


def _request(*columns: str, **more: object) -> dict[str, Any]:
    table = {"name": "orders", "columns": [{"name": name} for name in columns], **more}
    return {"sql": SQL, "dialect": "spark", "schema": {"tables": [table]}}


def _outputs(result: AnalyzeResult) -> list[str]:
    nodes = result.statements[0].nodes
    owner = next(node.id for node in nodes if node.node_type == "output")
    owned = {edge.target for edge in result.statements[0].edges if edge.source == owner}
    return [node.label for node in nodes if node.id in owned]


@pytest.mark.parametrize("sent", [dict, json.dumps])
def test_an_equal_schema_is_the_same_object(sent: Any) -> None:
    first, _ = read_request(sent(_request("kept", "twice")))
    second, _ = read_request(sent({**_request("kept", "twice"), "sql": "SELECT 1"}))
    assert first is not None
    assert second is not None
    assert second.schema is first.schema
    assert (first.sql, second.sql, second.dialect) == (SQL, "SELECT 1", "spark")


def test_a_mapping_that_was_changed_is_read_anew() -> None:
    request = _request("a")
    assert _outputs(analyze(request)) == ["a"]
    request["schema"]["tables"][0]["columns"].append({"name": "b"})
    assert _outputs(analyze(request)) == ["a", "b"]


def test_what_is_wrong_with_a_schema_is_told_every_time() -> None:
    payload = json.dumps(_request("a", colour="red"))
    for _ in range(2):
        (issue,) = analyze(payload).issues
        assert issue.message == "field `colour` of schema table `orders` is not known"


def test_the_rest_of_a_request_is_checked_beside_a_known_schema() -> None:
    request = _request("checked")
    assert not analyze(request).issues
    for payload in ({**request, "sql": 7}, json.dumps({**request, "sql": 7})):
        decoded, (issue,) = read_request(payload)
        assert decoded is None
        assert "Expected `str`, got `int` - at `$.sql`" in issue.message


def test_a_mistake_beside_a_known_schema_is_told_as_it_would_be_alone() -> None:
    payload = json.dumps({**_request("alone"), "encoding": 0}).replace(" 0", " 1e999")
    (first,) = analyze(payload).issues
    analyze(payload.replace("1e999", '"utf8"'))
    assert analyze(payload).issues == [first]


def test_a_tuple_of_tables_is_a_list_of_them() -> None:
    request = _request("a", complete=False, colour="red")
    listed = analyze(request)
    request["schema"]["tables"] = tuple(request["schema"]["tables"])
    assert analyze(request).issues == listed.issues
    assert len(listed.issues) == 2


def test_bytes_are_no_name_though_json_writes_them_as_one() -> None:
    assert not analyze(_request("YWJj")).issues
    named_by_bytes = _request("a")
    named_by_bytes["schema"]["tables"][0]["columns"][0]["name"] = b"abc"
    (issue,) = analyze(named_by_bytes).issues
    assert "Expected `str`, got `bytes`" in issue.message


def test_a_schema_that_others_have_pushed_out_is_read_again() -> None:
    request = _request("first")
    first, _ = read_request(request)
    for number in range(40):
        read_request(_request(f"another_{number}"))
    again, _ = read_request(request)
    assert first is not None
    assert again is not None
    assert again.schema == first.schema
    assert again.schema is not first.schema


def test_a_partial_table_that_comes_back_stays_partial() -> None:
    payload = json.dumps(_request("a", complete=False))
    once, again = analyze(payload), analyze(payload)
    assert [issue.code for issue in again.issues] == [issue.code for issue in once.issues]
    assert once.issues


@pytest.mark.parametrize(
    "payload",
    [
        '{"sql": "SELECT 1", "schema": null}',
        {"sql": "SELECT 1", "schema": None},
        {"sql": "SELECT 1", "schema": {"tables": []}},
    ],
)
def test_no_schema_is_no_schema_each_time(payload: object) -> None:
    for _ in range(2):
        decoded, issues = read_request(payload)
        assert decoded is not None
        assert not issues
        assert decoded.schema is None or not decoded.schema.tables


@pytest.mark.parametrize(
    "payload",
    [
        '{"schema": {',
        "[]",
        "\ud800",
        {"schema": {"tables": [print]}},
        {"schema": {("tables",): []}, "sql": 7},
    ],
)
def test_what_is_no_request_is_told(payload: object) -> None:
    for _ in range(2):
        decoded, issues = read_request(payload)
        assert decoded is None
        assert issues[0].message.startswith("the request could not be read")


def test_large_schemas_push_each_other_out() -> None:
    spark = dialect_named("spark")
    assert spark is not None

    def normalised(prefix: str) -> Imported:
        columns = [ColumnSchema(f"{prefix}_{number}" + "x" * 500) for number in range(2_000)]
        schema = SchemaMetadata(tables=[SchemaTable("wide", columns=columns)])
        return imported_tables(schema, spark)

    first = normalised("first")
    assert normalised("first") is first
    for number in range(12):
        normalised(f"another_{number}")
    assert normalised("first") is not first
