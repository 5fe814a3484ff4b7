"""What counts as growth: whatever was there is still there, by id, name, type and NULLs."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.catalog.evolution.growing import Loss, losses

PRIMITIVES = ("boolean", "int", "long", "float", "double", "decimal(9, 2)", "string", "timestamp")
WIDER = {"int": "long", "float": "double", "decimal(9, 2)": "decimal(12,2)"}
NARROWER = {"long": "int", "double": "float", "decimal(9, 2)": "decimal(8, 2)", "string": "binary"}


class Ids:
    def __init__(self) -> None:
        self.last = 0

    def next(self) -> int:
        self.last += 1
        return self.last


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    ids = Ids()
    return {"type": "struct", "schema-id": 0, "fields": draw(fields(ids, depth=0))}


@st.composite
def fields(draw: st.DrawFn, ids: Ids, depth: int) -> list[dict[str, Any]]:
    names = draw(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True))
    return [
        {
            "id": ids.next(),
            "name": name,
            "required": draw(st.booleans()),
            "type": draw(types(ids, depth + 1)),
        }
        for name in names
    ]


@st.composite
def types(draw: st.DrawFn, ids: Ids, depth: int) -> Any:
    kinds = ["primitive", "struct", "list", "map"] if depth < 3 else ["primitive"]
    match draw(st.sampled_from(kinds)):
        case "struct":
            return {"type": "struct", "fields": draw(fields(ids, depth))}
        case "list":
            return {
                "type": "list",
                "element-id": ids.next(),
                "element-required": draw(st.booleans()),
                "element": draw(types(ids, depth + 1)),
            }
        case "map":
            return {
                "type": "map",
                "key-id": ids.next(),
                "key": "string",
                "value-id": ids.next(),
                "value-required": draw(st.booleans()),
                "value": draw(types(ids, depth + 1)),
            }
    return draw(st.sampled_from(PRIMITIVES))


Place = tuple[dict[str, Any], str, str]
"""What holds a type, under which key, and under which it says that NULL is not allowed."""


def places(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, Place]]:
    for field in schema["fields"]:
        here = f"{path}.{field['name']}" if path else field["name"]
        yield from _below(here, (field, "type", "required"))


def _below(path: str, place: Place) -> Iterator[tuple[str, Place]]:
    yield path, place
    holder, key, _ = place
    match holder[key]:
        case {"type": "struct"} as inner:
            yield from places(inner, path)
        case {"type": "list"} as inner:
            yield from _below(f"{path}.element", (inner, "element", "element-required"))
        case {"type": "map"} as inner:
            yield from _below(f"{path}.value", (inner, "value", "value-required"))


def structs(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "", schema
    for path, (holder, key, _) in places(schema):
        if isinstance(holder[key], dict) and holder[key]["type"] == "struct":
            yield path, holder[key]


@given(schemas())
def test_a_schema_grows_into_itself(schema: dict[str, Any]) -> None:
    assert list(losses(schema, copy.deepcopy(schema))) == []


@given(schemas(), st.data())
def test_adding_widening_relaxing_and_moving_is_growth(
    schema: dict[str, Any], data: st.DataObject
) -> None:
    grown = copy.deepcopy(schema)
    for _, (holder, key, required) in places(grown):
        if data.draw(st.booleans()):
            holder[required] = False
        if isinstance(holder[key], str) and data.draw(st.booleans()):
            holder[key] = WIDER.get(holder[key], holder[key])
    for number, (_, struct) in enumerate(structs(grown), 1_000):
        if data.draw(st.booleans()):
            new = {"id": number, "name": "new", "required": False, "type": "string"}
            struct["fields"].insert(0, new)
    for field in grown["fields"]:
        field["doc"] = "a comment"
    grown["fields"].reverse()
    assert list(losses(schema, grown)) == []


@given(schemas(), st.data())
def test_a_field_that_is_dropped_at_any_depth_is_named(
    schema: dict[str, Any], data: st.DataObject
) -> None:
    shrunk = copy.deepcopy(schema)
    path, struct = data.draw(st.sampled_from(list(structs(shrunk))))
    doomed = data.draw(st.sampled_from(struct["fields"]))
    struct["fields"].remove(doomed)
    column = f"{path}.{doomed['name']}" if path else doomed["name"]
    assert list(losses(schema, shrunk)) == [Loss(column, "would be dropped")]


@given(schemas(), st.data())
def test_another_field_of_the_same_name_does_not_stand_in_for_it(
    schema: dict[str, Any], data: st.DataObject
) -> None:
    swapped = copy.deepcopy(schema)
    _, struct = data.draw(st.sampled_from(list(structs(swapped))))
    field = data.draw(st.sampled_from(struct["fields"]))
    field["id"] = 1_000
    field["required"] = False
    assert [loss.what for loss in losses(schema, swapped)] == ["would be dropped"]


@given(schemas(), st.data())
def test_a_new_name_is_a_loss_of_the_old_one(schema: dict[str, Any], data: st.DataObject) -> None:
    renamed = copy.deepcopy(schema)
    path, struct = data.draw(st.sampled_from(list(structs(renamed))))
    field = data.draw(st.sampled_from(struct["fields"]))
    column = f"{path}.{field['name']}" if path else field["name"]
    field["name"] = "other"
    found = list(losses(schema, renamed))
    assert found == [Loss(column, "would be renamed to `other`")]


@given(schemas(), st.data())
def test_narrowing_and_retyping_are_losses(schema: dict[str, Any], data: st.DataObject) -> None:
    changed = copy.deepcopy(schema)
    path, (holder, key, _) = data.draw(st.sampled_from(list(places(changed))))
    before = holder[key]
    holder[key] = NARROWER.get(before, "date") if isinstance(before, str) else "string"
    assert [loss.column for loss in losses(schema, changed)] == [path]


@given(schemas(), st.data())
def test_no_null_any_more_is_a_loss(schema: dict[str, Any], data: st.DataObject) -> None:
    path, (holder, _, required) = data.draw(st.sampled_from(list(places(schema))))
    holder[required] = False
    stricter = copy.deepcopy(schema)
    dict(places(stricter))[path][0][required] = True
    assert list(losses(schema, stricter)) == [Loss(path, "would no longer allow NULL")]


def test_a_required_column_that_is_new_has_no_values_in_old_rows() -> None:
    before: dict[str, Any] = {"type": "struct", "fields": []}
    new = {"id": 1, "name": "k", "required": True, "type": "long"}
    assert list(losses(before, {**before, "fields": [new]})) == [
        Loss("k", "is new and must allow NULL")
    ]


@pytest.mark.parametrize("key", ["long", {"type": "struct", "fields": []}])
def test_a_maps_key_never_changes(key: Any) -> None:
    def schema(kind: Any) -> dict[str, Any]:
        held = {"type": "map", "key-id": 2, "key": kind, "value-id": 3, "value": "int"}
        return {"fields": [{"id": 1, "name": "m", "required": False, "type": held}]}

    assert [loss.column for loss in losses(schema("int"), schema(key))] == ["m.key"]
