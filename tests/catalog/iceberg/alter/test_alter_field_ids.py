"""Which field ids a schema change keeps, and whether it touches files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import (
    AddColumn,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropField,
    RelaxColumn,
    RenameColumn,
    RenameField,
    RequireColumn,
    SetComment,
    WidenColumn,
)
from lakeport.catalog.definition import Definition, with_default
from lakeport.catalog.evolution.evolve import evolve
from lakeport.core.timepoint import AtVersion
from tests.catalog.iceberg.alter.ground import Ground, Ware, schema_of

INNER = pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())])
COLUMNS: list[Field] = [
    pa.field("k", pa.int32()),
    pa.field("t", pa.int8()),
    pa.field("u", pa.uint32()),
    pa.field("clock", pa.time32("s")),
    pa.field("name", pa.string()),
    pa.field("s", INNER),
    pa.field("l", pa.list_(INNER)),
    pa.field("m", pa.map_(pa.string(), INNER)),
]
SCHEMA = pa.schema(COLUMNS)
ROWS: list[dict[str, object]] = [
    {
        "k": 1,
        "t": 1,
        "u": 2**32 - 1,
        "clock": None,
        "name": "10",
        "s": {"x": 1, "y": "a"},
        "l": [{"x": 1, "y": "a"}, None],
        "m": [("p", {"x": 1, "y": "a"})],
    },
    {"k": 2, "t": -128, "u": 0, "name": None, "s": None, "l": [], "m": None},
]

KEEPS: list[tuple[str, Sequence[Change], tuple[str, ...], tuple[str, ...]]] = [
    ("rename", [RenameColumn("k", "key")], ("k",), ("key",)),
    ("rename and back", [RenameColumn("k", "q"), RenameColumn("q", "k")], ("k",), ("k",)),
    ("widen in Iceberg", [WidenColumn(("k",), pa.int64())], ("k",), ("k",)),
    ("widen by word alone", [WidenColumn(("t",), pa.int16())], ("t",), ("t",)),
    ("widen by word and type", [WidenColumn(("t",), pa.int64())], ("t",), ("t",)),
    ("unsigned to signed", [WidenColumn(("u",), pa.int64())], ("u",), ("u",)),
    ("comment", [SetComment("k", "the key")], ("k",), ("k",)),
    ("not null", [RequireColumn("k"), RelaxColumn(("k",))], ("k",), ("k",)),
    ("rename a field", [RenameField(("s", "x"), "w")], ("s", "x"), ("s", "w")),
    ("rename in a list", [RenameField(("l", "element", "x"), "w")], ("l", "element", "x"), ("l", "element", "w")),
    ("rename in a map", [RenameField(("m", "value", "y"), "w")], ("m", "value", "y"), ("m", "value", "w")),
    ("widen a field", [WidenColumn(("s", "x"), pa.int64())], ("s", "x"), ("s", "x")),
    ("widen in a list", [WidenColumn(("l", "element", "x"), pa.int64())], ("l", "element", "x"), ("l", "element", "x")),
    ("widen in a map", [WidenColumn(("m", "value", "x"), pa.int64())], ("m", "value", "x"), ("m", "value", "x")),
    ("neighbour dropped", [DropField(("s", "x"))], ("s", "y"), ("s", "y")),
    ("neighbour added", [AddField(("l", "element"), pa.field("z", pa.int8()))], ("l", "element", "y"), ("l", "element", "y")),
    ("column before dropped", [DropColumn("k")], ("name",), ("name",)),
    (
        "many at once",
        [RenameField(("s", "y"), "x2"), DropField(("s", "x")), AddField(("s",), pa.field("x", pa.int8())), RenameColumn("s", "spec")],
        ("s", "y"),
        ("spec", "x2"),
    ),
]  # fmt: skip


@pytest.fixture
def wares(ground: Ground) -> Ware:
    return ground.create(SCHEMA, ROWS)


def files(ware: Ware) -> set[str]:
    return {task.file.file_path for task in ware.native.scan().plan_files()}


@pytest.mark.parametrize(
    ("changes", "before", "after"), [case[1:] for case in KEEPS], ids=[case[0] for case in KEEPS]
)
def test_a_field_that_lives_on_keeps_its_id_and_its_file(
    wares: Ware, changes: Sequence[Change], before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    known, held = wares.id_of(*before), files(wares)
    rows = wares.rows()
    wares.alter(*changes)
    assert wares.id_of(*after) == known
    assert files(wares) == held
    assert wares.rows(at=AtVersion(1)) == rows
    wares.check()


FRESH: list[tuple[str, Change, tuple[str, ...]]] = [
    ("text to number", ChangeType("name", pa.int64()), ("name",)),
    ("number to text", ChangeType("k", pa.string()), ("k",)),
    ("too wide for Iceberg's own growth", WidenColumn(("u",), pa.uint64()), ("u",)),
    ("another unit of the time of day", WidenColumn(("clock",), pa.time64("us")), ("clock",)),
    ("a container", ChangeType("s", pa.string()), ("s",)),
]


@pytest.mark.parametrize(
    ("change", "path"), [case[1:] for case in FRESH], ids=[case[0] for case in FRESH]
)
def test_a_type_that_old_files_cannot_be_read_in_is_written_under_a_fresh_id(
    wares: Ware, change: Change, path: tuple[str, ...]
) -> None:
    known, held, last = wares.id_of(*path), files(wares), wares.native.metadata.last_column_id
    before = wares.rows()
    wares.alter(change)
    assert wares.id_of(*path) > last
    assert not files(wares) & held
    assert wares.rows(at=AtVersion(1)) == before
    old = wares.native.schemas()[0]
    assert old.find_field(known).name == path[-1]
    wares.check()


def test_what_cannot_grow_inside_a_list_or_map_moves_the_column_and_nothing_beside_it(
    ground: Ground,
) -> None:
    deep = pa.struct([pa.field("a", pa.uint32()), pa.field("b", pa.list_(pa.uint32()))])
    schema = schema_of(
        k=pa.int64(), l=pa.list_(pa.uint32()), m=pa.map_(pa.string(), pa.uint32()), d=deep
    )
    rows = [{"k": 1, "l": [1, None, 2**32 - 1], "m": [("p", 7)], "d": {"a": 3, "b": [4]}}]
    ware = ground.create(schema, rows)
    known = {name: ware.id_of(name) for name in schema.names} | {"a": ware.id_of("d", "a")}
    before = ware.rows()
    ware.alter(
        WidenColumn(("l", "element"), pa.uint64()),
        WidenColumn(("m", "value"), pa.uint64()),
        WidenColumn(("d", "b", "element"), pa.uint64()),
    )
    assert ware.rows() == before == ware.rows(at=AtVersion(1))
    kept = {"k": ware.id_of("k"), "d": ware.id_of("d"), "a": ware.id_of("d", "a")}
    assert {name: known[name] for name in kept} == kept
    last = max(known.values())
    assert min(ware.id_of("l"), ware.id_of("m"), ware.id_of("d", "b")) > last
    then = ware.table.state_at(AtVersion(1)).definition.schema
    assert then.equals(schema, check_metadata=True)
    ware.check()


def test_an_added_column_or_field_never_takes_an_id_that_was_used(wares: Ware) -> None:
    used = set(range(1, wares.native.metadata.last_column_id + 1))
    wares.alter(DropColumn("name"), DropField(("s", "y")))
    wares.alter(
        AddColumn(pa.field("name", pa.string())), AddField(("s",), pa.field("y", pa.string()))
    )
    assert wares.id_of("name") not in used
    assert wares.id_of("s", "y") not in used
    assert wares.rows("name", "s") == [(None, None), (None, {"x": 1, "y": None})]


@pytest.mark.parametrize(
    "change",
    [
        lambda: AddColumn(pa.field("more", pa.map_(pa.int32(), pa.list_(INNER)))),
        lambda: AddColumn(with_default(pa.field("more", pa.int8(), nullable=False), "7")),
        lambda: AddField(("s",), pa.field("more", pa.list_(INNER))),
        lambda: WidenColumn(("l",), pa.large_list(pa.field("other", INNER))),
        lambda: WidenColumn(("name",), pa.large_string()),
        lambda: WidenColumn(("s",), pa.struct([("x", pa.int64()), ("y", pa.large_string())])),
        lambda: ChangeType("s", pa.struct([("x", pa.string()), ("y", pa.string())])),
        lambda: ChangeType("l", pa.list_(pa.struct([("x", pa.int64()), ("y", pa.string())]))),
        lambda: ChangeType("u", pa.decimal128(20, 2), using="u / 2"),
        lambda: ChangeType("clock", pa.time64("ns")),
    ],
)
def test_what_is_seen_afterwards_is_what_was_planned(
    wares: Ware, change: Callable[[], Change]
) -> None:
    """The definition that memory's catalog would have: types down to names of list elements."""
    before = wares.table.state().definition
    planned = evolve(before, [change()]).definition
    state = wares.alter(change())
    assert state.definition == planned
    assert state.definition.schema.equals(planned.schema, check_metadata=True)
    assert wares.table.state_at(AtVersion(1)).definition == before
    wares.check()


def test_schemas_that_were_there_before_are_taken_up_again(wares: Ware) -> None:
    wares.alter(RenameColumn("k", "key"))
    wares.alter(RenameColumn("key", "k"))
    metadata = wares.native.metadata
    assert (len(metadata.schemas), metadata.current_schema_id) == (2, 0)
    assert [snapshot.schema_id for snapshot in metadata.snapshots] == [0, 1, 0]


def test_a_table_without_rows_is_altered_without_files(ground: Ground) -> None:
    ware = ground.create(Definition(SCHEMA))
    ware.alter(ChangeType("name", pa.int64()), RequireColumn("name"))
    assert ware.table.state().version == 1
    assert files(ware) == set()
    ware.check()
