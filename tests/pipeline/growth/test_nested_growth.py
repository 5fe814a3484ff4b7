"""The same rules inside structs, lists and maps, and the Spark SQL that puts values together again."""

from __future__ import annotations

import pytest

from lakeport.pipeline.growth import Policy, plan_growth, select_list
from lakeport.pipeline.growth.plan import dotted
from tests.pipeline.growth.words import columns, planned, reasons


def test_a_struct_that_lacks_a_field_is_put_together_again() -> None:
    plan = planned(columns(s="struct<a: int, b: date>"), columns(s="struct<a: int>"))
    assert [dotted(found.path) for found in plan.padded] == ["s.b"]
    assert select_list(plan.projection) == (
        "IF(`s` IS NULL, NULL, named_struct('a', `s`.`a`, 'b', CAST(NULL AS DATE))) AS `s`",
    )


@pytest.mark.parametrize("given", ["b", "B"])
def test_a_struct_with_its_fields_in_another_order_or_case_is_too(given: str) -> None:
    plan = planned(columns(s="struct<a: int, b: int>"), columns(s=f"struct<{given}: int, a: int>"))
    assert not plan.findings
    assert select_list(plan.projection) == (
        f"IF(`s` IS NULL, NULL, named_struct('a', `s`.`a`, 'b', `s`.`{given}`)) AS `s`",
    )


def test_a_struct_that_is_as_the_table_has_it_is_left_alone() -> None:
    same = columns(s="struct<a: int, l: array<struct<x: int>>>", m="map<string, int>")
    assert select_list(planned(same, same).projection) == ("`s`", "`m`")


def test_a_new_field_goes_to_the_end_of_its_struct() -> None:
    plan = planned(columns(s="struct<a: int>"), columns(s="struct<b: int, a: int>"))
    assert plan.after == columns(s="struct<a: int, b: int>")
    assert plan.as_dict()["added"] == [{"name": "s.b", "type": "int"}]


def test_a_field_deep_inside_is_widened_by_its_path() -> None:
    held = "array<map<string, struct<n: int, d: decimal(9,2)>>>"
    given = "array<map<string, struct<n: bigint, d: decimal(9,2)>>>"
    plan = planned(columns(x=held), columns(x=given))
    assert [dotted(found.path) for found in plan.widened] == ["x.element.value.n"]
    assert plan.after == columns(x=given)
    assert select_list(plan.projection) == ("`x`",)


def test_lists_are_mapped_over() -> None:
    plan = planned(columns(l="array<bigint>"), columns(l="array<int>"))
    assert select_list(plan.projection) == (
        "transform(`l`, __lakeport_e1 -> CAST(__lakeport_e1 AS BIGINT)) AS `l`",
    )


def test_variables_of_lambdas_never_hide_one_another() -> None:
    plan = planned(columns(l="array<array<bigint>>"), columns(l="array<array<int>>"))
    assert select_list(plan.projection) == (
        (
            "transform(`l`, __lakeport_e1 -> transform(__lakeport_e1,"
            " __lakeport_e2 -> CAST(__lakeport_e2 AS BIGINT))) AS `l`"
        ),
    )


def test_maps_keep_their_keys_and_rebuild_their_values() -> None:
    plan = planned(
        columns(m="map<string, struct<a: int, b: int>>"), columns(m="map<string, struct<a: int>>")
    )
    assert select_list(plan.projection) == (
        (
            "transform_values(`m`, (__lakeport_k1, __lakeport_v1) -> IF(__lakeport_v1 IS NULL, NULL,"
            " named_struct('a', __lakeport_v1.`a`, 'b', CAST(NULL AS INT)))) AS `m`"
        ),
    )


def test_narrower_map_keys_are_cast_up() -> None:
    plan = planned(columns(m="map<bigint, int>"), columns(m="map<int, int>"))
    assert not plan.findings
    assert select_list(plan.projection) == (
        (
            "transform_keys(`m`, (__lakeport_k1, __lakeport_v1) ->"
            " CAST(__lakeport_k1 AS BIGINT)) AS `m`"
        ),
    )


@pytest.mark.parametrize(
    ("held", "given"),
    [
        ("map<int, int>", "map<bigint, int>"),
        ("map<int, int>", "map<string, int>"),
        ("map<struct<a: int>, int>", "map<struct<a: int, b: int>, int>"),
        ("map<struct<a: int, b: int>, int>", "map<struct<a: int>, int>"),
        ("map<int, int>", "map<interval month, int>"),
        ("map<struct<a: int>, int>", "map<struct<a: string>, int>"),
    ],
)
@pytest.mark.parametrize("policy", ["widen", "cast"])
def test_map_keys_never_change(held: str, given: str, policy: str) -> None:
    plan = plan_growth(columns(m=held), columns(m=given), Policy.of({"on_type_change": policy}))
    assert [dotted(refusal.path) for refusal in plan.refused] == ["m.key"]
    assert "the keys of a map never change" in reasons(plan)[0]


def test_keys_of_a_type_that_iceberg_lacks_are_text_now_and_ever_after() -> None:
    source = columns(m="map<interval month, struct<a: int>>")
    first = planned((), source)
    assert first.after == columns(m="map<string, struct<a: int>>")
    again = planned(first.after, source)
    assert not again.changes_schema
    for plan in (first, again):
        assert [dotted(found.path) for found in plan.unmapped] == ["m.key"]
        assert select_list(plan.projection) == (
            (
                "transform_keys(`m`, (__lakeport_k1, __lakeport_v1) ->"
                " CAST(__lakeport_k1 AS STRING)) AS `m`"
            ),
        )
    strict = plan_growth(first.after, source, Policy(on_unmappable_type="fail"))
    assert [refusal.code for refusal in strict.refused] == ["unmappable_type"]


def test_an_empty_map_fits_every_map() -> None:
    plan = planned(columns(m="map<string, date>"), columns(m="map<void, void>"))
    assert not plan.findings
    assert select_list(plan.projection) == ("CAST(`m` AS MAP<STRING, DATE>) AS `m`",)


def test_a_conflict_in_a_struct_has_its_side_field_beside_it() -> None:
    plan = planned(columns(s="struct<n: int>"), columns(s="struct<n: string>"), "side_column")
    assert plan.after == columns(s="struct<n: int, n__string: string>")


def test_a_conflict_in_a_list_has_a_side_column() -> None:
    plan = planned(columns(l="array<int>"), columns(l="array<string>"), "side_column")
    assert plan.after == columns(l="array<int>", l__array="array<string>")


def test_what_was_found_before_a_conflict_goes_with_it() -> None:
    held, given = "map<string, array<struct<a: int>>>", "map<string, array<int>>"
    plan = planned(columns(m=held), columns(m=given), "side_column")
    assert [dotted(found.path) for found in plan.added] == ["m__map"]
    assert not plan.widened


def test_a_nested_cast_is_made_where_the_types_differ() -> None:
    plan = planned(columns(s="struct<n: int>"), columns(s="struct<n: string>"), "cast")
    assert select_list(plan.projection) == (
        "IF(`s` IS NULL, NULL, named_struct('n', CAST(`s`.`n` AS INT))) AS `s`",
    )


def test_a_required_field_that_left_its_struct_is_refused_or_relaxed() -> None:
    target, source = columns(s="struct<a: int, b: int not null>"), columns(s="struct<a: int>")
    assert reasons(planned(target, source)) == [
        "column `s.b` is NOT NULL and the model has no values for it"
    ]
    relaxed = plan_growth(target, source, Policy(on_removed_required="relax"))
    assert relaxed.after == columns(s="struct<a: int, b: int>")


def test_a_required_field_does_not_matter_where_the_whole_struct_left() -> None:
    assert not planned(columns(s="struct<b: int not null>"), columns(a="int")).refused


def test_fields_that_fold_to_one_are_refused_by_their_paths() -> None:
    new = planned((), columns(s="array<struct<a: int, A: int>>"))
    held = planned(columns(s="struct<a: int>"), columns(s="struct<a: int, A: int>"))
    assert reasons(new) == [
        "the model has `s.element.a` and `s.element.A`, which are one name in any case"
    ]
    assert reasons(held) == ["the model has `s.a` and `s.A`, which are one name in any case"]


@pytest.mark.parametrize("field", ["a.b", "__lakeport_x", "` `"])
def test_an_unsafe_field_of_a_new_struct_is_refused(field: str) -> None:
    assert planned((), columns(s=f"struct<{field}: int>")).refused[0].code == "unsafe_name"


def test_an_unsafe_field_of_a_known_struct_is_refused() -> None:
    plan = planned(columns(s="struct<a: int>"), columns(s="struct<a: int, a.b: int>"))
    assert plan.refused[0].path == ("s", "a.b")


def test_a_struct_of_nothing_is_stored_as_text() -> None:
    plan = planned((), columns(s="struct<>", l="array<struct<>>"))
    assert plan.after == columns(s="string", l="array<string>")


def test_names_are_quoted_whatever_is_in_them() -> None:
    plan = planned(
        columns(s="struct<`it's`: int, `b``q`: int, `c\\d`: int>"), columns(s="struct<`it's`: int>")
    )
    assert select_list(plan.projection) == (
        (
            r"IF(`s` IS NULL, NULL, named_struct('it\'s', `s`.`it's`, 'b`q', CAST(NULL AS INT),"
            r" 'c\\d', CAST(NULL AS INT))) AS `s`"
        ),
    )
