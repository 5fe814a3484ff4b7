"""Constraints, DEFAULTs and types after another engine changed the columns behind our back."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from pyiceberg.types import LongType, StringType

from lakeport.catalog.changes import AddColumn, AddConstraint, DropConstraint, RenameField
from lakeport.catalog.definition import Check, Definition, PrimaryKey, Unique, default_of
from lakeport.catalog.evolution.rules import CONSTRAINTS
from lakeport.catalog.iceberg.broken import broken_rules
from lakeport.core.errors import ConstraintViolationError, KeyViolationError, PreconditionError
from tests.catalog.iceberg.alter.ground import Ground, Ware

SPEC = pa.struct([("x", pa.int64()), ("deep", pa.struct([("y", pa.int64()), ("z", pa.int64())]))])
SCHEMA = pa.schema({"k": pa.int64(), "v": pa.int64(), "spec": SPEC, "n": pa.string()})
RULES = (
    PrimaryKey(("k",)),
    Unique(("v", "n"), "one_v"),
    Check("v > 0", "positive"),
    Check("spec.x > 0 AND spec.deep.y > spec.deep.z", "deep"),
)


@pytest.fixture
def wares(ground: Ground) -> Ware:
    ware = ground.create(Definition(SCHEMA, RULES))
    ware.insert([row()])
    return ware


def row(**changed: object) -> dict[str, object]:
    return {"k": 1, "v": 1, "spec": {"x": 1, "deep": {"y": 2, "z": 1}}, "n": "a", **changed}


def reasons(ware: Ware) -> dict[str, str]:
    return {rule.name: reason for rule, reason in broken_rules(ware.native.metadata)}


def test_renames_by_another_engine_are_followed_into_constraints(wares: Ware) -> None:
    with wares.native.update_schema() as update:
        update.rename_column("k", "key")
        update.rename_column("spec.x", "wide")
        update.rename_column("spec.deep.y", "tmp")
        update.rename_column("spec.deep", "below")
        update.rename_column("spec", "size")
    constraints = {rule.name: rule for rule in wares.table.state().definition.constraints}
    assert constraints["primary key"] == PrimaryKey(("key",))
    deep = constraints["deep"]
    assert isinstance(deep, Check)
    assert "wide" in deep.expression
    assert broken_rules(wares.native.metadata) == []
    with pytest.raises(ConstraintViolationError, match="deep"):
        wares.insert([{"key": 2, "v": 2, "size": {"wide": 0, "below": {"tmp": 2, "z": 1}}}])
    with pytest.raises(ConstraintViolationError, match="deep"):
        wares.insert([{"key": 2, "v": 2, "size": {"wide": 1, "below": {"tmp": 1, "z": 1}}}])
    with pytest.raises(KeyViolationError):
        wares.insert([{"key": 1, "v": 2, "size": {"wide": 1, "below": {"tmp": 2, "z": 1}}}])
    wares.insert([{"key": 2, "v": 2, "size": {"wide": 1, "below": {"tmp": 2, "z": 1}}}])


def test_two_fields_that_changed_places_are_told_apart(wares: Ware) -> None:
    with wares.native.update_schema() as update:
        update.rename_column("spec.deep.y", "w")
    with wares.native.update_schema() as update:
        update.rename_column("spec.deep.z", "y")
    with wares.native.update_schema() as update:
        update.rename_column("spec.deep.w", "z")
    wares.insert([row(k=2, v=2, spec={"x": 1, "deep": {"z": 2, "y": 1}})])
    with pytest.raises(ConstraintViolationError, match="deep"):
        wares.insert([row(k=3, v=3, spec={"x": 1, "deep": {"z": 1, "y": 2}})])


@pytest.mark.parametrize(
    ("column", "broken"),
    [("k", {"primary key"}), ("v", {"one_v", "positive"}), ("spec.deep.z", {"deep"})],
)
def test_a_constraint_whose_column_is_gone_refuses_writes(
    wares: Ware, column: str, broken: set[str]
) -> None:
    with wares.native.update_schema() as update:
        update.delete_column(column)
    assert reasons(wares).keys() == broken
    with pytest.raises(PreconditionError) as refused:
        wares.insert([{"n": "b", "k": 2, "v": 5, "spec": None}])
    assert refused.value.hint
    wares.alter(*(DropConstraint(name) for name in broken))
    assert broken_rules(wares.native.metadata) == []
    wares.insert([{"n": "b", "k": 2, "v": 5, "spec": None}])


@pytest.mark.parametrize("column", ["k", "v"])
def test_a_new_column_does_not_take_the_place_of_one_that_is_gone(wares: Ware, column: str) -> None:
    with wares.native.update_schema() as update:
        update.delete_column(column)
    with wares.native.update_schema() as update:
        update.add_column(column, LongType())
    assert any("(dropped)" in reason for reason in reasons(wares).values())
    with pytest.raises(PreconditionError):
        wares.insert([row(k=2, v=2)])


def test_a_column_of_another_type_makes_its_check_impossible(ground: Ground) -> None:
    ware = ground.create(Definition(SCHEMA, (Check("upper(n) <> 'X'", "no_x"),)))
    with ware.native.update_schema() as update:
        update.delete_column("n")
    with ware.native.update_schema() as update:
        update.add_column("n", StringType())
    assert reasons(ware).keys() == {"no_x"}


def test_a_primary_key_that_was_made_nullable_is_reported_and_kept(wares: Ware) -> None:
    with wares.native.update_schema() as update:
        update.make_column_optional("k")
    assert "NOT NULL" in reasons(wares)["primary key"]
    with pytest.raises(ConstraintViolationError, match="k"):
        wares.insert([row(k=None, v=2)])


def test_what_cannot_be_read_is_kept_when_others_are_changed(wares: Ware) -> None:
    entries = json.loads(wares.native.properties[CONSTRAINTS])
    foreign = {"kind": "exclude", "name": "later", "using": "gist"}
    with wares.native.transaction() as transaction:
        transaction.set_properties({CONSTRAINTS: json.dumps([*entries[:1], foreign])})
    with pytest.raises(PreconditionError):
        wares.insert([row(k=2)])
    wares.alter(AddColumn(pa.field("z", pa.int8())))
    assert foreign in json.loads(wares.native.properties[CONSTRAINTS])
    (unreadable,) = wares.table.state().definition.checks
    wares.alter(DropConstraint(unreadable.name))
    wares.insert([row(k=2)])


def test_a_renamed_field_inside_a_list_is_followed(ground: Ground) -> None:
    element = pa.struct([("x", pa.int64())])
    schema = pa.schema({"k": pa.int64(), "l": pa.list_(element)})
    ware = ground.create(Definition(schema, (Check("l[1].x > 0", "first"),)))
    with ware.native.update_schema() as update:
        update.rename_column("l.element.x", "w")
    assert broken_rules(ware.native.metadata) == []
    with pytest.raises(ConstraintViolationError, match="first"):
        ware.insert([{"k": 1, "l": [{"w": 0}]}])
    ware.alter(RenameField(("l", "element", "w"), "v"))
    with pytest.raises(ConstraintViolationError, match="first"):
        ware.insert([{"k": 1, "l": [{"v": 0}]}])


def test_a_default_follows_its_column_and_goes_with_it(ground: Ground) -> None:
    schema = pa.schema(
        [pa.field("k", pa.int64(), metadata={"default": "7"}), pa.field("v", pa.int8())]
    )
    ware = ground.create(Definition(schema))
    with ware.native.update_schema() as update:
        update.rename_column("k", "key")
    assert default_of(ware.schema.field("key")) == "7"
    with ware.native.update_schema() as update:
        update.delete_column("key")
    with ware.native.update_schema() as update:
        update.add_column("key", LongType())
    assert default_of(ware.schema.field("key")) is None


def test_adding_a_constraint_keeps_those_that_are_broken(wares: Ware) -> None:
    with wares.native.update_schema() as update:
        update.delete_column("v")
    wares.alter(AddConstraint(Check("k < 100", "small")))
    assert reasons(wares).keys() == {"one_v", "positive"}
    assert [check.name for check in wares.table.state().definition.checks] == [
        "positive",
        "deep",
        "small",
    ]
