"""What holds of every plan: nothing is lost, everything arrives, and a second run finds nothing to do."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.changes import Growth
from lakeport.catalog.definition import Definition
from lakeport.catalog.evolution.evolve import evolve
from lakeport.core.names import fold
from lakeport.pipeline.growth import (
    Field,
    Policy,
    Schema,
    Type,
    arrow_schema,
    changes,
    model,
    plan_growth,
    select_list,
)
from lakeport.pipeline.growth.conversion import (
    Cast,
    Conversion,
    Elements,
    Entries,
    Keep,
    Projected,
    Rebuild,
)
from lakeport.pipeline.growth.model import ListOf, MapOf, StructOf, parts, shown
from lakeport.pipeline.growth.plan import Plan
from lakeport.pipeline.growth.policy import OnTypeChange
from tests.pipeline.growth.generated import Meeting, meetings, random_meeting
from tests.strategies import seeded

POLICIES = st.builds(
    Policy,
    st.sampled_from(["widen", "fail", "cast", "side_column"]),
    st.sampled_from(["fail", "relax"]),
    st.sampled_from(["string", "fail"]),
)
LENIENT = st.sampled_from(
    [Policy("cast", "relax"), Policy("side_column", "relax"), Policy("widen", "relax")]
)


def check_plan(target: Schema, source: Schema, policy: Policy) -> None:
    plan = plan_growth(target, source, policy)
    if plan.refused:
        assert (plan.before, plan.after, plan.projection) == (target, target, ())
        assert all(refusal.remedies for refusal in plan.refused)
        return
    check_nothing_is_lost(plan)
    check_everything_arrives(plan, source)
    check_values_get_their_types(plan, source)
    check_the_catalog_agrees(plan)
    check_a_second_run_finds_nothing(plan, source, policy)


def check_nothing_is_lost(plan: Plan) -> None:
    before, after = (dict(_parts(schema)) for schema in (plan.before, plan.after))
    assert before.keys() <= after.keys()
    assert [f.name for f in plan.after][: len(plan.before)] == [f.name for f in plan.before]
    changed = {path for path in before if before[path] != after[path]}
    assert changed <= {found.path for found in plan.widened}


def check_everything_arrives(plan: Plan, source: Schema) -> None:
    assert {fold(field.name) for field in source} <= {fold(field.name) for field in plan.after}
    held = {fold(field.name) for field in plan.before}
    assert {found.path[0] for found in plan.added if len(found.path) == 1} == {
        field.name for field in plan.after if fold(field.name) not in held
    }


def check_values_get_their_types(plan: Plan, source: Schema) -> None:
    written = select_list(plan.projection)
    assert len(written) == len(plan.projection) == len(plan.after)
    for column, field, text in zip(plan.projection, plan.after, written, strict=True):
        assert column.name == field.name
        assert _bare(_result(column, source)) == _bare(field.type)
        if column.source is None:
            assert text.startswith("CAST(NULL AS ")
            assert (field.name,) in {found.path for found in plan.padded}


def check_the_catalog_agrees(plan: Plan) -> None:
    """The catalog's own planner, given the plan's changes, ends where the plan says."""
    asked = changes(plan)
    assert all(isinstance(change, get_args(Growth)) for change in asked)
    if plan.before:
        evolved = evolve(Definition(arrow_schema(plan.before)), asked)
        assert evolved.definition.schema == arrow_schema(plan.after)
        assert not evolved.rewrites_rows


def check_a_second_run_finds_nothing(plan: Plan, source: Schema, policy: Policy) -> None:
    again = plan_growth(plan.after, source, policy)
    assert not again.refused
    assert not again.changes_schema
    # A bare NULL is cast to text the first time and padded from then on: the same value.
    if not any(part == model.VOID for field in source for _, part in parts((), field.type)):
        assert again.projection == plan.projection


def _parts(schema: Schema) -> list[tuple[tuple[str, ...], object]]:
    """Every leaf by its path; containers stand for themselves."""
    return [
        (path, type(part) if isinstance(part, StructOf | ListOf | MapOf) else part)
        for field in schema
        for path, part in parts((field.name,), field.type)
    ]


def _result(column: Projected, source: Schema) -> Type:
    """The type of a projected value, worked out from what is done to it."""
    if column.source is None:
        return column.type
    (given,) = (field for field in source if field.name == column.source)
    return _converted(given.type, column.conversion)


def _converted(given: Type, conversion: Conversion) -> Type:
    match conversion:
        case Keep():
            return given
        case Cast():
            return conversion.to
        case Rebuild():
            assert isinstance(given, StructOf)
            return StructOf(
                tuple(Field(part.name, _result(part, given.fields)) for part in conversion.fields)
            )
        case Elements():
            assert isinstance(given, ListOf)
            return ListOf(_converted(given.element, conversion.element))
        case Entries():
            assert isinstance(given, MapOf)
            return MapOf(
                _converted(given.key, conversion.key), _converted(given.value, conversion.value)
            )


def _bare(type_: Type) -> Type:
    """As Spark compares it: without NOT NULL, and with the types it shows for those it lacks."""
    match type_:
        case StructOf():
            return StructOf(tuple(Field(part.name, _bare(part.type)) for part in type_.fields))
        case ListOf():
            return ListOf(_bare(type_.element))
        case MapOf():
            return MapOf(_bare(type_.key), _bare(type_.value))
        case _:
            return shown(type_)


@settings(max_examples=60)
@given(meetings(), POLICIES)
def test_a_plan_only_grows(meeting: Meeting, policy: Policy) -> None:
    check_plan(*meeting, policy)


@settings(max_examples=60)
@given(meetings(), LENIENT)
def test_a_lenient_plan_only_grows(meeting: Meeting, policy: Policy) -> None:
    check_plan(*meeting, policy)


@pytest.mark.long
@pytest.mark.parametrize("on_type_change", get_args(OnTypeChange))
def test_thousands_of_plans_only_grow(on_type_change: OnTypeChange) -> None:
    policies = (Policy(on_type_change, "relax"), Policy(on_type_change, "fail", "fail"))
    for seed in range(1_500):
        target, source = random_meeting(seeded(seed))
        for policy in policies:
            check_plan(target, source, policy)


@settings(max_examples=30)
@given(meetings())
def test_a_new_table_takes_every_column(meeting: Meeting) -> None:
    _, source = meeting
    plan = plan_growth((), source)
    assert [field.name for field in plan.after] == [field.name for field in source]
    assert not any(field.required for field in plan.after)
    assert not any(part == model.VOID for f in plan.after for _, part in parts((), f.type))


def test_most_generated_meetings_are_accepted_by_a_lenient_policy() -> None:
    plans = [
        plan_growth(*random_meeting(seeded(seed)), Policy("side_column", "relax"))
        for seed in range(200)
    ]
    assert sum(not plan.refused for plan in plans) > 150
    assert sum(plan.changes_schema for plan in plans) > 100
