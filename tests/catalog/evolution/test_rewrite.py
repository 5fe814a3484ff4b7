from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.arrays.containers import child_fields, is_list
from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropField,
    Path,
    RelaxColumn,
    RenameColumn,
    RenameField,
    WidenColumn,
)
from lakeport.catalog.definition import Definition, Unique, with_default
from lakeport.catalog.evolution.evolve import evolve
from lakeport.catalog.evolution.plan import same_definition
from lakeport.catalog.evolution.rewrite import rewrite
from lakeport.core.errors import InvalidRequestError, LakeportError
from tests.catalog.tables import columns, rows, table
from tests.strategies import random_batch, random_schema, random_type, seeded

_POINT = pa.struct([("x", pa.int32()), ("y", pa.string())])


def points() -> tuple[Definition, pa.RecordBatch]:
    definition = table(
        p=_POINT, many=pa.list_(_POINT), named=pa.map_(pa.string(), _POINT), n=pa.int32()
    )
    one, other = {"x": 1, "y": "a"}, {"x": None, "y": "b"}
    batch = rows(
        definition.schema,
        (one, [one, other, None], [("k", one)], 1),
        (None, None, None, 2),
        (other, [], [("k", None), ("l", other)], 3),
        (one, [other], [], 4),
    )
    return definition, batch


def after(*changes: Change) -> list[dict[str, Any]]:
    """The rows of `points` but the first: a slice is where offsets show."""
    definition, batch = points()
    evolved = evolve(definition, changes)
    written = rewrite(batch.slice(1), evolved)
    written.validate(full=True)
    assert written.schema.equals(evolved.definition.schema, check_metadata=True)
    for array, field in zip(written.columns, written.schema, strict=True):
        assert array.type.equals(field.type, check_metadata=True)
    return written.to_pylist()


def test_untouched_columns_are_not_copied() -> None:
    definition, batch = points()
    written = rewrite(batch, evolve(definition, [AddColumn(pa.field("z", pa.int8()))]))
    before, now = batch.column("n").buffers()[1], written.column("n").buffers()[1]
    assert before is not None
    assert now is not None
    assert now.address == before.address


def test_a_field_is_null_in_structs_and_absent_under_null() -> None:
    grown = after(AddField(("p",), pa.field("z", pa.int8())))
    assert [row["p"] for row in grown] == [
        None,
        {"x": None, "y": "b", "z": None},
        {"x": 1, "y": "a", "z": None},
    ]


def test_fields_are_rebuilt_inside_lists() -> None:
    found = after(RenameField(("many", "element", "x"), "w"), DropField(("many", "element", "y")))
    assert [row["many"] for row in found] == [None, [], [{"w": None}]]


def test_fields_are_rebuilt_inside_maps() -> None:
    found = after(
        AddField(("named", "value"), pa.field("z", pa.int8())),
        WidenColumn(("named", "value", "x"), pa.int64()),
    )
    grown = {"x": None, "y": "b", "z": None}
    assert [row["named"] for row in found] == [None, [("k", None), ("l", grown)], []]


def test_a_default_fills_every_row() -> None:
    found = after(AddColumn(with_default(pa.field("d", pa.decimal128(5, 2)), "1.5")))
    assert [str(row["d"]) for row in found] == ["1.50"] * 3


def test_an_expression_reads_the_row_as_earlier_changes_left_it() -> None:
    found = after(
        RenameColumn("n", "m"),
        AddColumn(with_default(pa.field("k", pa.int32()), "10")),
        ChangeType("m", pa.string(), "m * k"),
        DropColumn("k"),
        ChangeType("m", pa.int64()),
    )
    assert [row["m"] for row in found] == [20, 30, 40]


def test_a_value_that_cannot_be_cast_refuses_the_change() -> None:
    definition = table(a=pa.string())
    evolved = evolve(definition, [ChangeType("a", pa.int64())])
    batch = rows(definition.schema, ("1",), ("x",))
    assert rewrite(batch.slice(0, 1), evolved).column(0).to_pylist() == [1]
    with pytest.raises(InvalidRequestError, match="x"):
        rewrite(batch, evolved)


def test_relaxing_a_field_only_changes_the_type() -> None:
    inner = pa.struct([pa.field("f", pa.int8(), nullable=False)])
    definition = Definition(columns(s=pa.list_(inner)))
    written = rewrite(
        rows(definition.schema, ([{"f": 1}],), (None,)),
        evolve(definition, [RelaxColumn(("s", "element", "f"))]),
    )
    assert written.schema.field("s").type == pa.list_(pa.struct([("f", pa.int8())]))
    assert written.column("s").to_pylist() == [[{"f": 1}], None]


def test_a_batch_without_rows_gets_the_new_schema() -> None:
    definition, batch = points()
    evolved = evolve(definition, [ChangeType("n", pa.string()), DropField(("p", "x"))])
    assert rewrite(batch.slice(0, 0), evolved).schema == evolved.definition.schema


@pytest.mark.parametrize("seed", range(60))
def test_any_rows_survive_a_rename_and_a_new_column(seed: int) -> None:
    rng = seeded(seed)
    schema = random_schema(rng)
    batch = random_batch(rng, schema, rng.randint(0, 9))
    changes: list[Change] = [
        RenameColumn(schema.names[0], "renamed"),
        AddColumn(pa.field("new", pa.int8())),
    ]
    written = rewrite(batch, evolve(Definition(schema), changes))
    assert written.schema.names == ["renamed", *schema.names[1:], "new"]
    for old, new in zip(batch.columns, written.columns, strict=False):
        assert new is old or new.equals(old) or str(new) == str(old)


# -- any changes of any schema -------------------------------------------------------------------


def _path_in(rng: random.Random, schema: pa.Schema) -> Path:
    field = rng.choice(list(schema))
    path, kind = [field.name], field.type
    while rng.random() < 0.7:
        if pa.types.is_struct(kind) or pa.types.is_union(kind):
            inner = kind.field(rng.randrange(kind.num_fields))
            path, kind = [*path, inner.name], inner.type
        elif pa.types.is_map(kind):
            path, kind = [*path, rng.choice(["key", "value"])], kind.item_type
        elif is_list(kind):
            path, kind = [*path, "element"], child_fields(kind)[0].type
        else:
            break
    return tuple(path)


_WIDE: list[pa.DataType] = [pa.int64(), pa.float64(), pa.large_string(), pa.decimal128(38, 2)]


def _any_change(rng: random.Random, schema: pa.Schema) -> Change:
    def name() -> str:
        return rng.choice([*schema.names, "new", 'q"q', "rowid"])

    path = _path_in(rng, schema)
    new = pa.field(rng.choice(["new", "other", *schema.names]), random_type(rng, depth=1))
    wide: pa.DataType = rng.choice(_WIDE)
    makers: list[Callable[[], Change]] = [
        lambda: AddColumn(new, if_absent=rng.random() < 0.3),
        lambda: AddField(path, new, if_absent=rng.random() < 0.3),
        lambda: WidenColumn(path, wide),
        lambda: RelaxColumn(path),
        lambda: RenameColumn(name(), name()),
        lambda: RenameField(path, name()),
        lambda: DropColumn(name(), cascade=rng.random() < 0.5),
        lambda: DropField(path, cascade=rng.random() < 0.5),
        lambda: ChangeType(name(), random_type(rng, depth=1), rng.choice([None, "1", "NULL"])),
        lambda: AddConstraint(Unique((name(),), "")),
    ]
    return rng.choice(makers)()


@pytest.mark.parametrize("seed", range(60))
def test_changes_in_one_statement_do_what_they_do_one_by_one(seed: int) -> None:
    rng = seeded(seed)
    schema = random_schema(rng)
    first = random_batch(rng, schema, rng.randint(0, 6))
    definition, batch, done = Definition(schema), first, list[Change]()
    for _ in range(6):
        change = _any_change(rng, definition.schema)
        try:
            evolved = evolve(definition, [change])
            written = rewrite(batch, evolved)
        except LakeportError:
            continue
        written.validate(full=True)
        assert written.schema.equals(evolved.definition.schema, check_metadata=True)
        for array, field in zip(written.columns, written.schema, strict=True):
            assert array.type.equals(field.type, check_metadata=True)
        definition, batch, done = evolved.definition, written, [*done, change]
    whole = evolve(Definition(schema), done)
    assert same_definition(whole.definition, definition)
    for one, other in zip(rewrite(first, whole).columns, batch.columns, strict=True):
        assert one.equals(other) or str(one) == str(other)
