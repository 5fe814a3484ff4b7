from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from lakeport.airport.pushdown import Pushed, parse_filters
from lakeport.catalog.predicates import Compare, Op, describe
from lakeport.core.errors import InvalidRequestError
from tests.airport.pushdown.expressions import (
    call,
    column,
    compare,
    constant,
    document,
    joined,
    negated,
    operator,
)
from tests.airport.pushdown.recorded import kept

ROWS = pa.table(
    {
        "id": pa.array([1, 2, None, 4], pa.int32()),
        "status": ["active", "gone", "active", None],
        "Größe": pa.array([5, 5, 6, None], pa.int32()),
    }
)
SCHEMA = ROWS.schema
EVERYTHING = frozenset(range(4))


@pytest.mark.parametrize("text", ["", "  \n"])
def test_no_text_is_no_filter(text: str) -> None:
    assert parse_filters(text, SCHEMA) == Pushed(None, None, exact=True)


def test_an_empty_list_of_filters_keeps_every_row_exactly() -> None:
    text = '{"filters":[],"column_binding_names_by_index":["id"]}'
    assert parse_filters(text, SCHEMA) == Pushed(None, None, exact=True)


@pytest.mark.parametrize("text", ["{", "nonsense", '{"filters": [}', "\ufeff{}", "{} {}", "'x'"])
def test_text_that_is_no_json_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="no JSON") as raised:
        parse_filters(text, SCHEMA)
    assert raised.value.hint


@pytest.mark.parametrize("text", ["[]", "5", "null", '"text"', "NaN"])
def test_json_that_is_no_object_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="no object") as raised:
        parse_filters(text, SCHEMA)
    assert raised.value.hint


@pytest.mark.parametrize(
    "filters", [5, {}, "x", [5], [None], [[]], [{}], [{"expression_class": 5}]]
)
def test_unknown_shapes_widen(filters: Any) -> None:
    found = parse_filters(json.dumps({"filters": filters}), SCHEMA)
    assert (found.predicate, found.expression, found.exact) == (None, None, False)
    assert found.dropped


def test_the_example_of_contract_002_is_evaluated() -> None:
    text = """{"filters": [{"expression_class": "BOUND_COMPARISON", "type": "COMPARE_EQUAL",
      "return_type": {"id": "BOOLEAN", "type_info": null},
      "children": [
        {"expression_class": "BOUND_COLUMN_REF", "binding": {"table_index": 0, "column_index": 1},
         "return_type": {"id": "VARCHAR", "type_info": null}},
        {"expression_class": "BOUND_CONSTANT", "value": {"is_null": false, "value": "active"},
         "return_type": {"id": "VARCHAR", "type_info": null}}]}],
      "column_binding_names_by_index": ["id", "status", "created_at"]}"""
    found = parse_filters(text, SCHEMA)
    assert found == Pushed(Compare("status", Op.EQ, pa.scalar("active")))
    assert kept(found, ROWS) == {0, 2}


def test_columns_are_numbers_in_the_filters_own_list_of_names() -> None:
    text = document(compare(column(2), constant(5)), names=["status", "v", "größe", "id", "more"])
    assert kept(parse_filters(text, SCHEMA), ROWS) == {0, 1}


def test_without_a_list_of_names_the_callers_names_count_and_then_the_schemas() -> None:
    text = document(compare(column(0), constant(5)))
    assert kept(parse_filters(text, SCHEMA, ["Größe"]), ROWS) == {0, 1}
    assert kept(parse_filters(text, SCHEMA), ROWS) == frozenset()


@pytest.mark.parametrize("index", [3, 99, -1, 2**63, 1.0, True, "0", None])
def test_a_column_outside_the_list_widens(index: Any) -> None:
    text = document(compare(column(index), constant(5)), names=["id", "status", "rowid"])
    found = parse_filters(text, SCHEMA)
    assert not found.exact
    assert kept(found, ROWS) == EVERYTHING


@pytest.mark.parametrize("name", ["rowid", "gone", "", None, 5])
def test_a_name_that_the_table_lacks_widens(name: Any) -> None:
    text = document(
        compare(column(0), constant(7)), compare(column(1), constant(5)), names=[name, "größe"]
    )
    found = parse_filters(text, SCHEMA)
    assert kept(found, ROWS) == {0, 1}
    assert len(found.dropped) == 1


def test_the_row_id_is_evaluated_when_the_schema_has_it() -> None:
    schema = pa.schema([("id", pa.int32()), ("rowid", pa.int64())])
    text = document(compare(column(0, "BIGINT"), constant(5, "BIGINT")), names=["rowid"])
    found = parse_filters(text, schema)
    assert found.exact
    assert found.predicate == Compare("rowid", Op.EQ, pa.scalar(5))


def test_a_column_that_is_stored_in_another_type_is_cast_as_duckdb_would() -> None:
    text = document(compare(column(0, "VARCHAR"), constant("2", "VARCHAR")), names=["id"])
    found = parse_filters(text, SCHEMA)
    assert found.exact
    assert kept(found, ROWS) == {1}


def test_rows_that_cannot_be_evaluated_are_kept_for_the_client_to_complain() -> None:
    number = {"child": column(0, "VARCHAR"), "try_cast": False, "return_type": {"id": "INTEGER"}}
    cast = {"expression_class": "BOUND_CAST", "type": "OPERATOR_CAST", **number}
    again = compare(cast, constant(7), "COMPARE_NOTEQUAL")
    text = document(operator("COMPARE_IN", cast, constant(1), constant(5)), again, names=["s"])
    table = pa.table({"s": ["1", "x", "2", None, "5"]})
    assert kept(parse_filters(text, table.schema), table) == {0, 1, 4}


def test_deep_nesting_widens_and_never_overflows() -> None:
    deep = compare(column(0), constant(5))
    for _ in range(90):
        deep = negated(negated(joined("OR", deep, compare(column(0), constant(4)))))
    found = parse_filters(document(deep, compare(column(0), constant(4)), names=["id"]), SCHEMA)
    assert not found.exact
    assert kept(found, ROWS) == {3}


def test_brackets_beyond_any_stack_are_no_crash() -> None:
    found = parse_filters('{"filters":[' + "[" * 100_000 + "]" * 100_000 + "]}", SCHEMA)
    assert (found.exact, found.predicate, found.expression) == (False, None, None)


def test_numbers_of_thousands_of_digits_widen() -> None:
    text = document(compare(column(0), constant(0)), names=["id"]).replace(
        ": 0}", f": {'9' * 9999}}}"
    )
    assert not parse_filters(text, SCHEMA).exact


def test_a_long_list_of_values_prunes_without_an_engine() -> None:
    values = [constant(number) for number in range(3, 20_000)]
    text = document(operator("COMPARE_IN", column(0), *values), names=["id"])
    found = parse_filters(text, SCHEMA)
    assert (found.exact, found.expression) == (True, None)
    assert kept(found, ROWS) == {3}


def test_more_than_the_engine_takes_widens_and_keeps_what_fits() -> None:
    wide = [
        compare(
            call("||", column(1, "VARCHAR"), constant("x" * 5_000, "VARCHAR"), returns="VARCHAR"),
            constant(f"{number}", "VARCHAR"),
            "COMPARE_NOTEQUAL",
        )
        for number in range(20)
    ]
    small = compare(
        call("lower", column(1, "VARCHAR"), returns="VARCHAR"), constant("gone", "VARCHAR")
    )
    found = parse_filters(document(small, *wide, names=["id", "status"]), SCHEMA)
    assert not found.exact
    assert kept(found, ROWS) == {1}


def test_functions_count_by_name_only_where_they_are_duckdbs_own() -> None:
    for catalog, exact in (("", True), ("system", True), ("lake", False), ("memory", False)):
        lowered = call("lower", column(1, "VARCHAR"), returns="VARCHAR", catalog=catalog)
        text = document(compare(lowered, constant("gone", "VARCHAR")), names=["id", "status"])
        assert parse_filters(text, SCHEMA).exact is exact


def test_one_filter_is_parsed_once() -> None:
    text = document(compare(column(0), constant(5)), names=["id"])
    assert parse_filters(text, SCHEMA) is parse_filters(text, SCHEMA)


def test_schemas_that_differ_in_metadata_alone_are_told_apart() -> None:
    plain = pa.schema([pa.field("g", pa.binary())])
    geometry = pa.schema(
        [pa.field("g", pa.binary(), metadata={"ARROW:extension:name": "geoarrow.wkb"})]
    )
    text = document(compare(column(0, "BLOB"), constant("a", "BLOB")), names=["g"])
    assert parse_filters(text, plain).predicate is not None
    assert parse_filters(text, geometry).predicate is None


def test_predicates_come_bound_to_the_schema() -> None:
    text = document(compare(column(0), constant(5)), names=["GRÖSSE"])
    found = parse_filters(text, SCHEMA)
    assert found.predicate is not None
    assert describe(found.predicate) == "\"Größe\" = '5'::INTEGER"
