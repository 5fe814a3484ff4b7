"""Schema changes of partitioned and sorted tables: what other engines can still open, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import (
    AddColumn,
    ChangeType,
    DropColumn,
    DropField,
    RelaxColumn,
    RenameColumn,
    RenameField,
    WidenColumn,
)
from lakeport.catalog.definition import Definition
from lakeport.core.errors import InvalidRequestError, PreconditionError
from lakeport.core.timepoint import AtVersion
from tests.catalog.iceberg.alter.ground import Ground, Ware

COLUMNS: list[Field] = [
    pa.field("k", pa.int32()),
    pa.field("region", pa.string()),
    pa.field("at", pa.timestamp("us")),
    pa.field("v", pa.float32()),
    pa.field("s", pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())])),
]
SCHEMA = pa.schema(COLUMNS)
ROWS: list[dict[str, object]] = [
    {
        "k": k,
        "region": None if k == 5 else "ab"[k % 2],
        "at": datetime(2024, 1, 1 + k % 3, tzinfo=UTC).replace(tzinfo=None),
        "v": float(k),
        "s": {"x": k, "y": "q"},
    }
    for k in range(9)
]


@pytest.fixture
def wares(ground: Ground) -> Ware:
    definition = Definition(
        SCHEMA,
        partitioned_by=("region", "day(at)", "bucket(4, k)", "s.x"),
        sorted_by=("k desc", "s.y"),
    )
    ware = ground.create(definition, ROWS)
    ware.delete("k = 3")
    return ware


def specs_in_use(ware: Ware) -> set[int]:
    return {task.file.spec_id for task in ware.native.scan().plan_files()}


@pytest.mark.parametrize(
    ("column", "terms"),
    [
        ("region", ("day(at)", "bucket(4, k)", "s.x")),
        ("at", ("region", "bucket(4, k)", "s.x")),
        ("k", ("region", "day(at)", "s.x")),
        ("s", ("region", "day(at)", "bucket(4, k)")),
    ],
)
def test_a_partitions_source_goes_with_cascade_and_all_rows_move_to_the_new_spec(
    wares: Ware, column: str, terms: tuple[str, ...]
) -> None:
    kept = [name for name in SCHEMA.names if name != column]
    before, whole = wares.rows(*kept), wares.rows()
    with pytest.raises(PreconditionError, match="partition field"):
        wares.alter(DropColumn(column))
    state = wares.alter(DropColumn(column, cascade=True))
    assert state.definition.partitioned_by == terms
    assert wares.rows() == before
    assert specs_in_use(wares) == {wares.native.metadata.default_spec_id}
    assert wares.rows(at=AtVersion(2)) == whole
    wares.check(lost_a_partition=True)


def test_a_table_can_lose_all_of_its_partitions_and_its_order(wares: Ware) -> None:
    wares.alter(*(DropColumn(name, cascade=True) for name in ("region", "at", "k", "s")))
    assert wares.native.spec().fields == PartitionSpec().fields
    assert wares.native.sort_order().is_unsorted
    wares.check(lost_a_partition=True)
    wares.insert([{"v": 1.5}])
    wares.check(lost_a_partition=True)


def test_a_field_that_partitions_goes_with_cascade(wares: Ware) -> None:
    with pytest.raises(PreconditionError, match="partition field"):
        wares.alter(DropField(("s", "x")))
    state = wares.alter(DropField(("s", "x"), cascade=True))
    assert state.definition.partitioned_by == ("region", "day(at)", "bucket(4, k)")
    wares.check(lost_a_partition=True)


def test_renames_leave_the_files_of_a_partitioned_table_alone(wares: Ware) -> None:
    held = {task.file.file_path for task in wares.native.scan().plan_files()}
    state = wares.alter(
        RenameColumn("region", "area"), RenameColumn("at", "moment"), RenameField(("s", "x"), "w")
    )
    assert state.definition.partitioned_by == ("area", "day(moment)", "bucket(4, k)", "s.w")
    assert {task.file.file_path for task in wares.native.scan().plan_files()} == held
    wares.check()


def test_a_partitions_source_grows_as_iceberg_lets_it(wares: Ware) -> None:
    wares.alter(WidenColumn(("k",), pa.int64()), WidenColumn(("s", "x"), pa.int64()))
    wares.insert([{"k": 2**40, "region": "a", "s": {"x": 2**40, "y": None}}])
    assert len(wares.rows()) == 9
    wares.check()


@pytest.mark.parametrize("column", ["region", "k"])
def test_a_partitions_source_takes_no_type_that_its_old_values_are_not_of(
    wares: Ware, column: str
) -> None:
    with pytest.raises(PreconditionError, match="partitioned by") as refused:
        wares.alter(ChangeType(column, pa.binary() if column == "region" else pa.string()))
    assert refused.value.hint
    assert wares.table.state().version == 2


@pytest.mark.parametrize("name", ["at_day", "k_bucket", "s_x"])
def test_no_column_is_called_like_a_partition_field(wares: Ware, name: str) -> None:
    """Spark binds every spec to the current schema by name and could not open the table."""
    with pytest.raises(InvalidRequestError, match="partition field"):
        wares.alter(AddColumn(pa.field(name, pa.int8())))
    with pytest.raises(InvalidRequestError, match="partition field"):
        wares.alter(RenameColumn("v", name))


def test_the_name_of_a_dropped_partition_stays_taken(wares: Ware) -> None:
    wares.alter(DropColumn("region", cascade=True))
    with pytest.raises(InvalidRequestError, match="in its past"):
        wares.alter(AddColumn(pa.field("region", pa.string())))


def test_a_sorted_column_that_changes_its_type_stays_sorted(ground: Ground) -> None:
    ware = ground.create(Definition(SCHEMA, sorted_by=("region", "k desc")), ROWS)
    ware.alter(ChangeType("region", pa.binary(), using="encode(coalesce(region, ''))"))
    assert ware.table.state().definition.sorted_by == ("region", "k desc")
    ware.check()
    ware.alter(DropColumn("k", cascade=True))
    assert ware.table.state().definition.sorted_by == ("region",)
    ware.check()


def test_a_sorted_column_takes_no_type_that_it_cannot_be_sorted_by(ground: Ground) -> None:
    ware = ground.create(Definition(SCHEMA, sorted_by=("truncate(2, region)",)), ROWS)
    with pytest.raises(PreconditionError, match="sorted by"):
        ware.alter(ChangeType("region", pa.bool_(), using="region IS NULL"))
    assert ware.table.state().version == 1


def test_a_partition_is_not_replaced_by_what_nothing_is_partitioned_by(wares: Ware) -> None:
    hollow = pa.schema([pa.field("region", pa.list_(pa.string()))])
    with pytest.raises(InvalidRequestError, match="partition field"):
        wares.ground.replace(wares, Definition(hollow))


def test_a_partitioned_table_is_replaced_by_one_with_the_same_names(wares: Ware) -> None:
    before = wares.rows()
    again = Definition(SCHEMA, partitioned_by=("region",), sorted_by=("v",))
    wares.ground.replace(wares, again)
    assert wares.table.state().definition == again
    assert wares.rows() == []
    wares.check(lost_a_partition=True)
    wares.insert(ROWS)
    wares.check(lost_a_partition=True)
    assert wares.rows(at=AtVersion(2)) == before
    assert [field.field_id for field in wares.native.spec().fields] == [1000]


# -- identifier fields, which only other engines set ---------------------------------------------


@pytest.fixture
def identified(ground: Ground) -> Ware:
    schema = Schema(
        NestedField(1, "k", LongType(), required=True),
        NestedField(2, "name", StringType(), required=True),
        NestedField(3, "v", StringType()),
        identifier_field_ids=[1, 2],
    )
    ground.catalog.pyiceberg.create_table(("shop", "wares"), schema)
    return Ware(ground, ground.catalog.namespace("shop").table("wares"))


def test_an_identifier_field_goes_with_cascade_and_leaves_none(identified: Ware) -> None:
    with pytest.raises(PreconditionError, match="identifies rows"):
        identified.alter(DropColumn("name"))
    identified.alter(DropColumn("name", cascade=True))
    assert identified.native.schema().identifier_field_ids == []


def test_an_identifier_field_stays_required_and_may_be_renamed(identified: Ware) -> None:
    with pytest.raises(PreconditionError, match="identifies rows"):
        identified.alter(RelaxColumn(("k",)))
    with pytest.raises(PreconditionError, match="identifies rows"):
        identified.alter(ChangeType("k", pa.float64()))
    identified.alter(RenameColumn("k", "key"), ChangeType("name", pa.binary(), "encode(name)"))
    schema = identified.native.schema()
    assert {schema.find_column_name(at) for at in schema.identifier_field_ids} == {"key", "name"}
