"""Each row of the rules: what a plan does, what it refuses, and what it tells people to do."""

from __future__ import annotations

import pytest

from lakeport.core.errors import ConfigurationError, PreconditionError
from lakeport.core.names import TableName
from lakeport.pipeline.growth import Policy, model, plan_growth
from lakeport.pipeline.growth.model import Field, Foreign, ListOf, MapOf, Primitive, StructOf, Type
from lakeport.pipeline.growth.spark_select import select_list
from lakeport.pipeline.growth.spark_words import text_of
from tests.pipeline.growth.words import columns, planned, reasons

ORDERS = TableName("shop", "orders")


def schema_part(**parts: list[dict[str, object]]) -> dict[str, object]:
    return {"added": [], "padded": [], "widened": [], "relaxed": [], "refused": [], **parts}


def test_a_new_column_is_optional_and_last() -> None:
    plan = planned(columns(id="int!"), columns(b="string!", id="int", a="tinyint"))
    assert plan.after == columns(id="int!", b="string", a="int")
    assert plan.as_dict() == schema_part(
        added=[{"name": "b", "type": "string"}, {"name": "a", "type": "int"}]
    )


def test_a_new_column_is_optional_inside_too() -> None:
    required = StructOf((Field("x", model.INT, required=True),))
    source = (
        Field("s", required, required=True),
        Field("l", ListOf(required, required=True)),
        Field("m", MapOf(model.STRING, required, required=True)),
    )
    assert planned((), source).after == columns(
        s="struct<x: int>", l="array<struct<x: int>>", m="map<string, struct<x: int>>"
    )


def test_a_removed_column_stays_and_is_a_typed_null() -> None:
    plan = planned(columns(id="int", gone="decimal(9,2)"), columns(id="int"))
    assert plan.after == columns(id="int", gone="decimal(9,2)")
    assert plan.as_dict() == schema_part(padded=[{"name": "gone", "type": "decimal(9,2)"}])
    assert select_list(plan.projection) == ("`id`", "CAST(NULL AS DECIMAL(9, 2)) AS `gone`")


def test_a_removed_not_null_column_is_refused_with_remedies() -> None:
    plan = planned(columns(id="int", gone="date!"), columns(id="int", new="int"))
    assert plan.as_dict()["refused"] == [
        {
            "name": "gone",
            "code": "removed_required",
            "reason": "column `gone` is NOT NULL and the model has no values for it",
            "remedies": [
                "keep `gone` in the model",
                'set on_removed_required = "relax" to make it optional',
            ],
        }
    ]


def test_a_refused_plan_changes_and_projects_nothing() -> None:
    target = columns(id="int", gone="date!")
    plan = planned(target, columns(id="int", new="int"))
    assert plan.after == target
    assert plan.projection == ()
    assert not plan.changes_schema


def test_a_removed_not_null_column_may_be_relaxed() -> None:
    plan = plan_growth(
        columns(id="int", gone="date!"), columns(id="int"), Policy(on_removed_required="relax")
    )
    assert plan.after == columns(id="int", gone="date")
    assert plan.as_dict() == schema_part(
        relaxed=[{"name": "gone"}], padded=[{"name": "gone", "type": "date"}]
    )


def test_a_column_of_bare_nulls_is_as_good_as_none() -> None:
    assert planned(columns(a="int"), columns(a="void")).padded
    assert planned(columns(a="int!"), columns(a="void")).refused[0].code == "removed_required"


def test_another_case_is_the_same_column_in_the_tables_spelling() -> None:
    plan = planned(
        columns(CustomerID="int", Straße="int"), columns(customerid="int", STRASSE="int")
    )
    assert not plan.findings
    assert select_list(plan.projection) == (
        "`customerid` AS `CustomerID`",
        "`STRASSE` AS `Straße`",
    )


@pytest.mark.parametrize(
    ("held", "given"),
    [
        ("bigint", "int"),
        ("bigint", "tinyint"),
        ("double", "float"),
        ("double", "int"),
        ("decimal(12,2)", "decimal(9,2)"),
        ("decimal(12,4)", "decimal(9,2)"),
        ("decimal(12,2)", "int"),
        ("decimal(38,0)", "bigint"),
    ],
)
def test_a_narrower_source_is_cast_up(held: str, given: str) -> None:
    plan = planned(columns(n=held), columns(n=given))
    assert not plan.findings
    assert plan.after == columns(n=held)
    assert select_list(plan.projection)[0].startswith("CAST(`n` AS ")


@pytest.mark.parametrize(
    ("held", "given", "grown"),
    [
        ("int", "bigint", "bigint"),
        ("float", "double", "double"),
        ("float", "int", "double"),
        ("decimal(9,2)", "decimal(12,2)", "decimal(12,2)"),
        ("decimal(9,2)", "decimal(9,0)", "decimal(11,2)"),
        ("decimal(9,2)", "bigint", "decimal(21,2)"),
    ],
)
def test_a_wider_source_promotes_the_target(held: str, given: str, grown: str) -> None:
    plan = planned(columns(n=held), columns(n=given))
    assert plan.after == columns(n=grown)
    assert plan.as_dict() == schema_part(widened=[{"name": "n", "from": held, "to": grown}])


@pytest.mark.parametrize(
    ("held", "given"),
    [
        ("int", "string"),
        ("string", "int"),
        ("int", "double"),
        ("bigint", "decimal(20,0)"),
        ("double", "bigint"),
        ("decimal(9,2)", "decimal(9,3)"),
        ("decimal(38,20)", "bigint"),
        ("decimal(9,2)", "double"),
        ("date", "timestamp"),
        ("timestamp", "timestamp_ntz"),
        ("timestamp_ntz", "date"),
        ("binary", "string"),
        ("boolean", "int"),
        ("int", "struct<a: int>"),
        ("struct<a: int>", "array<int>"),
        ("array<int>", "int"),
        ("int", "interval day to second"),
    ],
)
def test_any_other_type_change_is_refused(held: str, given: str) -> None:
    plan = planned(columns(n=held), columns(n=given))
    assert reasons(plan) == [f"column `n` is {_shown(held)}, the model gives {_shown(given)}"]


def _shown(text: str) -> str:
    return text_of(columns(c=text)[0].type)


def test_a_uuid_takes_text_and_a_fixed_takes_bytes() -> None:
    target = (Field("u", model.UUID), Field("h", Primitive("fixed[16]")))
    plan = planned(target, columns(u="string", h="binary"))
    assert not plan.findings
    assert select_list(plan.projection) == ("`u`", "`h`")
    assert select_list(planned(target, ()).projection) == (
        "CAST(NULL AS STRING) AS `u`",
        "CAST(NULL AS BINARY) AS `h`",
    )
    assert reasons(planned(target, columns(u="int"))) == ["column `u` is uuid, the model gives int"]


def test_a_collated_text_is_cast_to_the_order_of_bytes() -> None:
    source = (Field("t", model.COLLATED), Field("u", model.COLLATED))
    target = (Field("t", model.STRING), Field("u", model.UUID))
    assert select_list(planned(target, source).projection) == (
        "CAST(`t` AS STRING) AS `t`",
        "CAST(`u` AS STRING) AS `u`",
    )


def test_a_type_change_names_every_way_out() -> None:
    plan = planned(columns(n="int"), columns(n="string"))
    assert plan.refused[0].remedies == (
        "cast `n` to INT in the model",
        'set on_type_change = "cast" to do it checked in every run',
        'set on_type_change = "side_column" to keep the new values in a column of their own',
    )


def test_whoever_switched_promotion_off_is_told_of_it() -> None:
    plan = planned(columns(n="int"), columns(n="bigint"), "fail")
    assert 'set on_type_change = "widen" to promote the table\'s column' in plan.refused[0].remedies


def test_a_cast_keeps_the_tables_type() -> None:
    plan = planned(columns(n="int", t="string"), columns(n="string", t="array<int>"), "cast")
    assert not plan.findings
    assert select_list(plan.projection) == ("CAST(`n` AS INT) AS `n`", "CAST(`t` AS STRING) AS `t`")


@pytest.mark.parametrize(("held", "given"), [("int", "date"), ("binary", "int"), ("date", "int")])
def test_a_cast_that_spark_lacks_is_refused(held: str, given: str) -> None:
    assert planned(columns(n=held), columns(n=given), "cast").refused


@pytest.mark.parametrize(
    ("given", "side"),
    [
        ("string", "n__string"),
        ("bigint", "n__bigint"),
        ("decimal(9,2)", "n__decimal_9_2"),
        ("struct<a: int>", "n__struct"),
        ("interval month", "n__string"),
    ],
)
def test_a_side_column_takes_what_the_column_cannot(given: str, side: str) -> None:
    plan = planned(columns(n="int"), columns(n=given), "side_column")
    assert [column.name for column in plan.after] == ["n", side]
    assert [(column.name, column.source) for column in plan.projection] == [
        ("n", None),
        (side, "n"),
    ]
    again = planned(plan.after, columns(n=given), "side_column")
    assert not again.changes_schema
    assert again.projection == plan.projection


def test_a_side_column_goes_on_growing() -> None:
    table = planned(columns(n="int"), columns(n="struct<a: int>"), "side_column").after
    plan = planned(table, columns(n="struct<a: int, b: int>"), "side_column")
    assert [found.path for found in plan.added] == [("n__struct", "b")]


def test_a_side_column_leaves_a_required_one_without_values() -> None:
    plan = planned(columns(n="int!"), columns(n="string"), "side_column")
    assert [refusal.code for refusal in plan.refused] == ["removed_required"]


def test_a_side_column_whose_name_the_model_has_is_refused() -> None:
    plan = planned(columns(n="int"), columns(n="string", N__STRING="int"), "side_column")
    assert (
        "the side column `n__string`, and the model has a column of that name" in reasons(plan)[0]
    )


@pytest.mark.parametrize("given", ["interval day to second", "variant", "time(6)", "void"])
def test_a_type_without_an_equivalent_is_text_with_a_warning(given: str) -> None:
    plan = planned((), columns(x=given))
    assert plan.after == columns(x="string")
    assert [str(found) for found in plan.unmapped] == [
        f"column `x` has the type {given}, stored as string"
    ]
    assert select_list(plan.projection) == ("CAST(`x` AS STRING) AS `x`",)


def test_it_warns_again_once_the_column_is_there() -> None:
    assert planned(columns(x="string"), columns(x="variant")).unmapped


def test_a_type_without_an_equivalent_is_refused_on_demand() -> None:
    strict = Policy(on_unmappable_type="fail")
    for target in ((), columns(x="string")):
        plan = plan_growth(target, columns(x="variant"), strict)
        assert reasons(plan) == ["column `x` has the type variant, which Iceberg lacks"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("_pos", "reserved for metadata columns"),
        ("ROWID", "reserved for metadata columns"),
        ("__lakeport_key_1", "Lakeport's own"),
        ("", "it is empty"),
        ("a.b", "a dot would read as a nested field"),
        (" a", "starts or ends with a blank"),
    ],
)
def test_an_unsafe_name_is_refused(name: str, why: str) -> None:
    plan = planned((), (Field(name, columns(c="int")[0].type),))
    assert plan.refused[0].code == "unsafe_name"
    assert why in plan.refused[0].reason


def test_an_unsafe_name_that_another_engine_made_is_kept() -> None:
    target = (Field("a.b", columns(c="int")[0].type),)
    assert select_list(planned(target, target).projection) == ("`a.b`",)


def test_a_column_that_reappears_meets_the_one_that_was_kept() -> None:
    table = planned(columns(a="int", b="int"), columns(a="int")).after
    plan = planned(table, columns(a="int", B="bigint"))
    assert plan.as_dict() == schema_part(widened=[{"name": "b", "from": "int", "to": "bigint"}])


@pytest.mark.parametrize(
    ("target", "source", "owner"),
    [
        (("id",), ("Straße", "STRASSE"), "the model"),
        (("Straße", "STRASSE"), ("id",), "the table"),
    ],
)
def test_columns_that_fold_to_one_are_an_error_that_names_both(
    target: tuple[str, ...], source: tuple[str, ...], owner: str
) -> None:
    plan = planned(_ints(target), _ints(source))
    assert reasons(plan) == [f"{owner} has `Straße` and `STRASSE`, which are one name in any case"]


def _ints(names: tuple[str, ...]) -> tuple[Field, ...]:
    return tuple(Field(name, columns(c="int")[0].type) for name in names)


@pytest.mark.parametrize("type_", [Foreign("time"), StructOf((Field("t", Foreign("variant")),))])
def test_a_table_that_spark_cannot_open_is_refused_by_the_columns_name(type_: Type) -> None:
    plan = planned((Field("at", type_),), columns(id="int"))
    assert "which Spark cannot open" in reasons(plan)[0]
    assert plan.refused[0].path[0] == "at"


def test_all_refusals_are_told_at_once() -> None:
    plan = planned(columns(a="int", b="date!"), columns(a="string", _pos="int"))
    with pytest.raises(PreconditionError) as caught:
        plan.require(ORDERS)
    assert str(caught.value.message) == (
        "table `shop.orders` cannot take these rows: column `a` is int, the model gives string;"
        " column `b` is NOT NULL and the model has no values for it;"
        " a column cannot be called `_pos`: that name is reserved for metadata columns"
    )
    assert caught.value.details == {"columns": "a, b, _pos"}


def test_a_plan_without_refusals_raises_nothing() -> None:
    planned(columns(a="int"), columns(b="int")).require(ORDERS)


def test_a_policy_is_read_from_a_models_settings() -> None:
    settings = {"strategy": "append", "on_type_change": "cast", "on_removed_required": "relax"}
    assert Policy.of(settings) == Policy(on_type_change="cast", on_removed_required="relax")


def test_an_unknown_choice_names_the_nearest_one() -> None:
    with pytest.raises(ConfigurationError, match="did you mean `side_column`"):
        Policy.of({"on_type_change": "side_colum"})
