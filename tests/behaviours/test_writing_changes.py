"""ALTER TABLE: every change, every refusal, each one a version with the schema of its time."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest

from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropConstraint,
    DropField,
    RelaxColumn,
    RenameColumn,
    RenameField,
    RequireColumn,
    SetComment,
    SetDefault,
    WidenColumn,
)
from lakeport.catalog.definition import (
    Check,
    Definition,
    PrimaryKey,
    Unique,
    comment_of,
    default_of,
    with_default,
)
from lakeport.catalog.ports import ScanRequest
from lakeport.core.errors import (
    AlreadyExistsError,
    ConstraintViolationError,
    InvalidRequestError,
    KeyViolationError,
    LakeportError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.timepoint import NANOSECONDS, AtTime, AtVersion
from tests.behaviours.implementations import START
from tests.behaviours.lake import Lake, Subject, schema_of, values

INNER = pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())])


@pytest.fixture
def wares(lake: Lake) -> Subject:
    """Two rows at version 1."""
    subject = lake.create(
        schema_of(k=pa.int32(), name=pa.string(), price=pa.float32(), spec=INNER), name="wares"
    )
    subject.insert(
        [
            {"k": 1, "name": "10", "price": 1.5, "spec": {"x": 1, "y": "a"}},
            {"k": 2, "name": None, "price": 2.5, "spec": None},
        ]
    )
    return subject


def test_a_change_is_a_version_and_old_versions_keep_their_schema(wares: Subject) -> None:
    state = wares.alter(AddColumn(pa.field("colour", pa.string())))
    assert state == wares.state
    assert state.version == 2
    assert wares.schema.names == ["k", "name", "price", "spec", "colour"]
    assert wares.travelable.state_at(AtVersion(1)).definition.schema.names[-1] == "spec"
    assert wares.rows("k", "colour") == [(1, None), (2, None)]
    newest = wares.travelable.history()[-1]
    assert (newest.version, newest.schema_id) == (2, state.schema_id)


def test_the_past_has_the_first_schema_and_the_future_the_current_one(
    lake: Lake, wares: Subject
) -> None:
    wares.alter(RenameColumn("name", "label"))
    past = AtTime(START - NANOSECONDS)
    future = AtTime(lake.clock() + 60 * NANOSECONDS)
    assert wares.read(ScanRequest(at=past)).schema.names == ["k", "name", "price", "spec"]
    assert wares.read(ScanRequest(at=future)).schema.names == ["k", "label", "price", "spec"]
    assert wares.rows(at=past) == wares.rows(at=future) == []


def test_an_empty_table_can_be_altered(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()))
    subject.alter(AddColumn(pa.field("v", pa.int8(), nullable=False)))
    assert (subject.state.version, subject.rows()) == (1, [])
    assert subject.travelable.state_at(AtVersion(0)).definition.schema.names == ["k"]


def test_several_changes_are_one_version(wares: Subject) -> None:
    wares.alter(
        RenameColumn("name", "label"),
        AddColumn(pa.field("stock", pa.int64())),
        WidenColumn(("k",), pa.int64()),
        DropColumn("spec"),
        SetComment(None, "things"),
    )
    assert wares.state.version == 2
    assert wares.schema.names == ["k", "label", "price", "stock"]
    assert wares.rows() == [(1, "10", 1.5, None), (2, None, 2.5, None)]


def test_one_refused_change_refuses_all(wares: Subject) -> None:
    before = wares.state
    with pytest.raises(LakeportError):
        wares.alter(AddColumn(pa.field("ok", pa.int8())), DropColumn("missing"))
    assert wares.state == before


# -- columns -------------------------------------------------------------------------------------


def test_an_added_column_fills_rows_that_exist_with_its_default(wares: Subject) -> None:
    wares.alter(AddColumn(with_default(pa.field("stock", pa.int64(), nullable=False), "7")))
    wares.insert([{"k": 3}])
    assert wares.rows("k", "stock") == [(1, 7), (2, 7), (3, 7)]


def test_an_added_required_column_needs_a_default_when_rows_exist(wares: Subject) -> None:
    with pytest.raises(LakeportError):
        wares.alter(AddColumn(pa.field("stock", pa.int64(), nullable=False)))
    assert wares.state.version == 1


def test_adding_a_column_that_exists_is_an_error_unless_told_otherwise(wares: Subject) -> None:
    with pytest.raises(AlreadyExistsError, match="NAME"):
        wares.alter(AddColumn(pa.field("NAME", pa.int8())))
    state = wares.alter(AddColumn(pa.field("NAME", pa.int8()), if_absent=True))
    assert state.version == 1  # nothing changed, so nothing was committed


@pytest.mark.parametrize("name", ["", "rowid", "a.b", "_file", " x", "__lakeport_k"])
def test_an_unsafe_column_name_is_refused(wares: Subject, name: str) -> None:
    with pytest.raises(InvalidRequestError):
        wares.alter(AddColumn(pa.field(name, pa.int8())))
    with pytest.raises(InvalidRequestError):
        wares.alter(RenameColumn("name", name))


def test_a_dropped_column_stays_in_history(wares: Subject) -> None:
    wares.alter(DropColumn("PRICE"))
    assert wares.schema.names == ["k", "name", "spec"]
    assert wares.rows("price", at=AtVersion(1)) == [(1.5,), (2.5,)]


def test_a_column_added_again_does_not_bring_back_old_values(wares: Subject) -> None:
    wares.alter(DropColumn("price"))
    wares.alter(AddColumn(pa.field("price", pa.float32())))
    assert wares.rows("price") == [(None,), (None,)]


def test_dropping_an_unknown_column_is_an_error_unless_told_otherwise(wares: Subject) -> None:
    with pytest.raises(NotFoundError, match="prise"):
        wares.alter(DropColumn("prise"))
    assert wares.alter(DropColumn("prise", if_exists=True)).version == 1


def test_the_last_column_cannot_be_dropped(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()))
    with pytest.raises(LakeportError):
        subject.alter(DropColumn("k"))


def test_a_renamed_column_keeps_its_values(wares: Subject) -> None:
    wares.alter(RenameColumn("Price", "cost"))
    assert wares.rows("cost") == [(1.5,), (2.5,)]
    with pytest.raises(NotFoundError):
        wares.rows("price")


def test_a_rename_to_a_taken_name_is_refused_but_case_may_change(wares: Subject) -> None:
    with pytest.raises(AlreadyExistsError):
        wares.alter(RenameColumn("price", "NAME"))
    wares.alter(RenameColumn("price", "PRICE"))
    assert wares.schema.names == ["k", "name", "PRICE", "spec"]


@pytest.mark.parametrize(
    ("column", "to"),
    [("k", pa.int64()), ("price", pa.float64())],
)
def test_a_widened_column_keeps_its_values(wares: Subject, column: str, to: pa.DataType) -> None:
    before = wares.rows(column)
    wares.alter(WidenColumn((column,), to))
    assert wares.schema.field(column).type == to
    assert wares.rows(column) == before


def test_a_widening_that_could_lose_values_is_refused(wares: Subject) -> None:
    with pytest.raises(LakeportError):
        wares.alter(WidenColumn(("k",), pa.int8()))


def test_a_type_is_changed_by_a_checked_cast(wares: Subject) -> None:
    wares.alter(ChangeType("name", pa.int64()))
    assert wares.rows("k", "name") == [(1, 10), (2, None)]
    assert wares.rows("name", at=AtVersion(1)) == [("10",), (None,)]


def test_a_type_is_changed_by_an_expression(wares: Subject) -> None:
    wares.alter(ChangeType("name", pa.string(), using="upper(coalesce(name, 'none')) || k"))
    assert wares.rows("name") == [("101",), ("NONE2",)]


@pytest.mark.parametrize(
    "change",
    [
        ChangeType("name", pa.int64(), using="missing + 1"),
        ChangeType("name", pa.int64(), using="random()"),
        ChangeType("name", pa.date32()),
        ChangeType("missing", pa.int64()),
        ChangeType("k", pa.float16()),
    ],
    ids=repr,
)
def test_a_type_change_that_cannot_be_made_changes_nothing(wares: Subject, change: Change) -> None:
    with pytest.raises(LakeportError):
        wares.alter(change)
    assert wares.state.version == 1
    assert wares.rows("name") == [("10",), (None,)]


POINT = struct.pack("<BIdd", 1, 1, 1.0, 2.0)  # well-known binary: little-endian, a point, x, y


@pytest.mark.parametrize("using", [None, "CAST(place AS VARCHAR)"])
def test_a_geometry_becomes_what_sql_makes_of_it(lake: Lake, using: str | None) -> None:
    """By its Arrow type it is bytes: the field's metadata alone says what they mean."""
    known = {"ARROW:extension:name": "geoarrow.wkb", "ARROW:extension:metadata": "{}"}
    schema = pa.schema([pa.field("place", pa.binary(), metadata=known)])
    places = lake.create(schema)
    places.insert(pa.table([pa.array([POINT, None], pa.binary())], schema=schema))
    with pytest.raises(LakeportError, match="GEOMETRY"):
        places.alter(ChangeType("place", pa.int64()))
    places.alter(ChangeType("place", pa.string(), using))
    assert places.rows() == [("POINT (1 2)",), (None,)]
    assert places.schema.field("place").metadata is None


def test_recomputed_values_must_keep_the_constraints(wares: Subject) -> None:
    wares.alter(RequireColumn("k"), AddConstraint(Check("price > 1", "dear")))
    with pytest.raises(ConstraintViolationError):
        wares.alter(ChangeType("k", pa.int64(), using="nullif(k, 2)"))
    with pytest.raises(ConstraintViolationError, match="dear"):
        wares.alter(ChangeType("price", pa.float64(), using="price - 1"))
    assert wares.rows("k", "price") == [(1, 1.5), (2, 2.5)]
    assert wares.state.version == 2


def test_not_null_is_set_only_where_no_row_breaks_it(wares: Subject) -> None:
    with pytest.raises(LakeportError):
        wares.alter(RequireColumn("name"))
    wares.alter(RequireColumn("k"))
    assert not wares.schema.field("k").nullable
    with pytest.raises(ConstraintViolationError):
        wares.insert([{"name": "x"}])
    wares.alter(RelaxColumn(("k",)))
    wares.insert([{"name": "x"}])
    assert len(wares.rows()) == 3


def test_a_deleted_row_does_not_stand_in_the_way_of_not_null(wares: Subject) -> None:
    wares.delete(wares.row_ids("name IS NULL"))
    wares.alter(RequireColumn("name"))
    assert wares.rows("name") == [("10",)]


def test_a_default_is_for_rows_to_come(wares: Subject) -> None:
    wares.alter(SetDefault("name", "'new' || 'er'"))
    wares.insert([{"k": 3}])
    assert wares.rows("k", "name") == [(1, "10"), (2, None), (3, "newer")]
    wares.alter(SetDefault("name", None))
    wares.insert([{"k": 4}])
    assert wares.rows("name", where="k = 4") == [(None,)]
    assert default_of(wares.schema.field("name")) is None


@pytest.mark.parametrize("default", ["k + 1", "random()", "'a'::INTEGER", ")"])
def test_a_default_that_is_no_constant_is_refused(wares: Subject, default: str) -> None:
    with pytest.raises(LakeportError):
        wares.alter(SetDefault("k", default))


def test_comments_are_kept(wares: Subject) -> None:
    wares.alter(SetComment("k", "the key"), SetComment(None, "all wares"))
    assert comment_of(wares.schema.field("k")) == "the key"
    assert wares.state.definition.comment == "all wares"
    wares.alter(SetComment("k", None))
    assert comment_of(wares.schema.field("k")) is None


# -- fields --------------------------------------------------------------------------------------


def test_fields_are_added_renamed_and_dropped(wares: Subject) -> None:
    wares.alter(AddField(("spec",), pa.field("z", pa.float64())))
    wares.alter(RenameField(("spec", "x"), "width"))
    wares.alter(DropField(("spec", "y")))
    assert wares.rows("k", "spec") == [(1, {"width": 1, "z": None}), (2, None)]
    assert wares.rows("spec", at=AtVersion(1))[1] == ({"x": 1, "y": "a"},)


def test_a_field_is_widened_inside_a_list(lake: Lake) -> None:
    subject = lake.create(schema_of(tags=pa.list_(INNER)))
    subject.insert([{"tags": [{"x": 1, "y": "a"}, None]}, {"tags": None}, {"tags": []}])
    subject.alter(WidenColumn(("tags", "element", "x"), pa.int64()))
    found = values(subject.read(), "tags")
    assert found == [[{"x": 1, "y": "a"}, None], None, []]
    element = subject.schema.field("tags").type.value_type
    assert element.field("x").type == pa.int64()


@pytest.mark.parametrize(
    "change",
    [
        AddField(("spec",), pa.field("X", pa.int8())),
        AddField(("name",), pa.field("z", pa.int8())),
        RenameField(("spec", "missing"), "z"),
        RenameField(("spec", "x"), "Y"),
        DropField(("spec", "missing")),
    ],
    ids=repr,
)
def test_a_field_change_that_makes_no_sense_is_refused(wares: Subject, change: Change) -> None:
    with pytest.raises(LakeportError):
        wares.alter(change)
    assert wares.state.version == 1


# -- constraints ---------------------------------------------------------------------------------


def test_a_constraint_is_added_only_where_no_row_breaks_it(wares: Subject) -> None:
    with pytest.raises(ConstraintViolationError):
        wares.alter(AddConstraint(Check("price < 2", "cheap")))
    wares.alter(AddConstraint(Check("price < 3", "cheap")))
    with pytest.raises(ConstraintViolationError, match="cheap"):
        wares.insert([{"k": 3, "price": 4.0}])


def test_a_key_is_added_only_where_no_row_repeats_it(wares: Subject) -> None:
    wares.insert([{"k": 2}])
    with pytest.raises(KeyViolationError):
        wares.alter(AddConstraint(Unique(("k",), "one_k")))
    wares.delete(wares.row_ids("name IS NULL AND price IS NULL"))
    wares.alter(AddConstraint(PrimaryKey(("k",))))
    assert not wares.schema.field("k").nullable
    with pytest.raises(KeyViolationError):
        wares.insert([{"k": 1}])


def test_a_dropped_constraint_is_no_longer_enforced(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()), Check("k > 0", "positive"))
    subject.alter(DropConstraint("POSITIVE"))
    subject.insert([{"k": -1}])
    assert subject.rows() == [(-1,)]
    with pytest.raises(NotFoundError):
        subject.alter(DropConstraint("positive"))


def test_a_rename_goes_through_constraints_and_layout(lake: Lake) -> None:
    definition = Definition(
        schema_of(k=pa.int64(), low=pa.int64(), region=pa.string()),
        (PrimaryKey(("k",)), Check("low > 0 AND k > low", "sane")),
        partitioned_by=("region",),
        sorted_by=("low",),
    )
    subject = Subject(lake.namespace().create_table("orders", definition))
    subject.alter(RenameColumn("low", "minimum"), RenameColumn("region", "area"))
    kept = subject.state.definition
    assert (kept.partitioned_by, kept.sorted_by) == (("area",), ("minimum",))
    with pytest.raises(ConstraintViolationError, match="sane"):
        subject.insert([{"k": 1, "minimum": 5}])
    subject.insert([{"k": 9, "minimum": 5}])


def test_a_column_that_something_depends_on_is_dropped_only_with_cascade(lake: Lake) -> None:
    subject = lake.create(
        schema_of(k=pa.int64(), v=pa.int64()), Check("v > 0", "positive"), Unique(("v",), "one_v")
    )
    with pytest.raises(PreconditionError, match="positive"):
        subject.alter(DropColumn("v"))
    subject.alter(DropColumn("v", cascade=True))
    assert subject.state.definition.constraints == ()
    assert subject.schema.names == ["k"]


def test_row_ids_survive_changes_that_leave_values_alone(wares: Subject) -> None:
    ids = wares.row_ids("k = 1")
    wares.alter(AddColumn(pa.field("stock", pa.int64())))
    wares.alter(RenameColumn("name", "label"))
    wares.update(ids, stock=[5])
    assert wares.rows("label", "stock", where="k = 1") == [("10", 5)]


def test_statistics_and_conditions_follow_a_change(wares: Subject) -> None:
    wares.alter(ChangeType("name", pa.int64()), RenameColumn("name", "number"))
    assert wares.rows("k", where="number > 9") == [(1,)]
    assert wares.measurable.statistics("number").maximum == pa.scalar(10, pa.int64())
