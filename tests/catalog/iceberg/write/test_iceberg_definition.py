"""A definition that went into an Iceberg table comes out again, also after others changed the table."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema, assign_fresh_schema_ids
from pyiceberg.table import Table as Native
from pyiceberg.table.metadata import TableMetadataUtil
from pyiceberg.transforms import DayTransform, IdentityTransform, VoidTransform
from pyiceberg.types import LongType, NestedField, StringType, TimestampType

from lakeport.catalog.definition import (
    Check,
    Definition,
    PrimaryKey,
    Unique,
    comment_of,
    default_of,
    with_comment,
    with_default,
)
from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.create import create_table, drop_table
from lakeport.catalog.iceberg.definition import columns_of, definition_of, described
from lakeport.catalog.iceberg.parts import Source
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import TableName
from tests.behaviours.lake import schema_of
from tests.catalog.iceberg.write.fresh import Fresh, batch
from tests.strategies import random_schema, seeded

SCHEMA = pa.schema(
    [
        pa.field("k", pa.int64(), nullable=False),
        with_default(with_comment(pa.field("Size", pa.uint8()), "in pieces"), "3"),
        pa.field("ts", pa.timestamp("s")),
        pa.field("place", pa.struct([pa.field("city", pa.string()), pa.field("zip", pa.uint16())])),
    ]
)
WHOLE = Definition(
    SCHEMA,
    (PrimaryKey(("k",)), Unique(("Size", "ts"), "sizes"), Check("(Size < 200)", "small")),
    "things",
    ("day(ts)", "bucket(4, k)", "truncate(3, place.city)", "Size"),
    ("ts desc", "place.city nulls last"),
    {"owner": "ann"},
)


def test_a_definition_comes_back_as_it_was_given(fresh: Fresh) -> None:
    fresh.create(WHOLE)
    found = fresh.definition()
    assert found.schema.equals(SCHEMA, check_metadata=True)
    assert found == WHOLE


@pytest.mark.parametrize("seed", range(20))
def test_any_schema_comes_back_as_it_was_given(fresh: Fresh, seed: int) -> None:
    schema = random_schema(seeded(seed), depth=3)
    fresh.create(schema)
    assert fresh.definition().schema.equals(schema, check_metadata=True)


def test_a_rename_by_another_engine_loses_nothing(fresh: Fresh) -> None:
    native = fresh.create(WHOLE)
    with native.update_schema() as update:
        update.rename_column("Size", "Amount")
        update.rename_column("place.city", "town")
        update.rename_column("k", "key")
    found = fresh.definition()
    assert found.schema.field("Amount").type == pa.uint8()
    assert default_of(found.schema.field("Amount")) == "3"
    assert comment_of(found.schema.field("Amount")) == "in pieces"
    assert found.constraints == (
        PrimaryKey(("key",)),
        Unique(("Amount", "ts"), "sizes"),
        Check("(Amount < 200)", "small"),
    )
    assert found.partitioned_by == (
        *("day(ts)", "bucket(4, key)", "truncate(3, place.town)", "Amount"),
    )
    assert found.sorted_by == ("ts desc", "place.town nulls last")
    with pytest.raises(Exception, match="small"):
        fresh.insert([batch(found.schema, (1, 200, None, None))])


def test_columns_that_changed_places_keep_their_own_rules(fresh: Fresh) -> None:
    schema = pa.schema([pa.field("a", pa.int64()), pa.field("b", pa.int64())])
    native = fresh.create(Definition(schema, (Check("a < b", "order"), Unique(("a",), "one"))))
    for names in ([("a", "c")], [("b", "a")], [("c", "b")]):
        with native.update_schema() as update:
            for before, after in names:
                update.rename_column(before, after)
    assert fresh.definition().constraints == (Check("(b < a)", "order"), Unique(("b",), "one"))


def test_a_dropped_column_takes_its_default_and_blocks_its_constraints(fresh: Fresh) -> None:
    native = fresh.create(Definition(SCHEMA, (Check("Size < 200", "small"),)))
    with native.update_schema() as update:
        update.delete_column("Size")
    found = fresh.definition()
    assert found.schema.names == ["k", "ts", "place"]
    assert [c.name for c in found.constraints] == ["small"]
    with pytest.raises(PreconditionError, match="small"):
        fresh.insert([batch(found.schema, (1, None, None))])


def test_an_older_schema_shows_only_the_constraints_it_could_have_had(fresh: Fresh) -> None:
    native = fresh.create(WHOLE)
    old = native.schema()
    with native.update_schema() as update:
        update.add_column("more", LongType())
    text = json.loads(native.properties["lakeport.constraints"])
    text.append({"kind": "unique", "name": "later", "columns": {"more": 7}})
    with native.transaction() as transaction:
        transaction.set_properties({"lakeport.constraints": json.dumps(text)})
    assert described(native.metadata, old).definition.constraints == WHOLE.constraints
    assert len(fresh.definition().constraints) == 4


@pytest.mark.parametrize("text", ["", "{", "7", '{"kind": "check"}', "[7]", '[{"kind": "check"}]'])
def test_constraints_that_cannot_be_read_let_nothing_in(fresh: Fresh, text: str) -> None:
    native = fresh.create(WHOLE)
    with native.transaction() as transaction:
        transaction.set_properties({"lakeport.constraints": text})
    (found,) = fresh.definition().constraints
    assert found.name.startswith("unreadable")
    assert fresh.rows().num_rows == 0
    with pytest.raises(PreconditionError, match="unreadable"):
        fresh.insert([batch(SCHEMA, (1, 2, None, None))])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"x": "1"}', '{"2": 7}'])
def test_defaults_that_cannot_be_read_count_as_absent(fresh: Fresh, text: str) -> None:
    native = fresh.create(WHOLE)
    with native.transaction() as transaction:
        transaction.set_properties({"lakeport.defaults": text, "lakeport.types": text})
    found = fresh.definition().schema
    assert default_of(found.field("Size")) is None
    assert found.field("Size").type == pa.int32()


def test_a_widened_column_is_what_it_was_made(fresh: Fresh) -> None:
    native = fresh.create(pa.schema([pa.field("n", pa.uint8())]))
    fresh.insert([batch(pa.schema([pa.field("n", pa.uint8())]), (200,))])
    native.refresh()
    with native.update_schema() as update:
        update.update_column("n", LongType())
    assert fresh.definition().schema.field("n").type == pa.int64()
    assert fresh.rows().to_pylist() == [{"n": 200}]


# -- tables of others ----------------------------------------------------------------------------


def foreign(fields: list[dict[str, Any]], **more: Any) -> Any:
    return TableMetadataUtil.parse_obj(
        {
            "format-version": 3,
            "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
            "location": "/nowhere",
            "last-sequence-number": 0,
            "last-updated-ms": 0,
            "last-column-id": 99,
            "current-schema-id": 0,
            "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}],
            "default-spec-id": 0,
            "partition-specs": [{"spec-id": 0, "fields": []}],
            "last-partition-id": 999,
            "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "next-row-id": 0,
            **more,
        }
    )


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("int", 7, "7"),
        ("boolean", True, "TRUE"),
        ("double", 1.5, "1.5"),
        ("string", "it's", "'it''s'"),
        ("date", "2024-02-29", "'2024-02-29'"),
        ("timestamp", "2024-02-29T10:00:00", "'2024-02-29T10:00:00'"),
        ("decimal(9, 2)", "1.25", "'1.25'"),
        ("binary", "00ff", r"'\x00\xFF'::BLOB"),
        ("uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7", "'f79c3e09-677c-4bbd-a479-3f349cb785e7'"),
    ],
)
def test_a_default_of_format_3_is_shown_as_sql(kind: str, value: object, shown: str) -> None:
    field = {"id": 1, "name": "x", "required": False, "type": kind, "write-default": value}
    metadata = foreign([field])
    schema = described(metadata, metadata.schema()).definition.schema
    assert default_of(schema.field("x")) == shown


def test_layouts_of_others_are_shown(fresh: Fresh) -> None:
    schema = Schema(
        NestedField(1, "a b", LongType()),
        NestedField(2, "ts", TimestampType()),
        NestedField(3, "gone", StringType()),
    )
    spec = PartitionSpec(
        PartitionField(1, 1000, IdentityTransform(), "a b"),
        PartitionField(3, 1001, VoidTransform(), "gone"),
        PartitionField(2, 1002, DayTransform(), "ts_day"),
    )
    fresh.catalog.pyiceberg.create_table("s.t", schema, partition_spec=spec)
    assert fresh.definition().partitioned_by == ('"a b"', "day(ts)")


def test_a_term_that_nobody_here_knows_is_shown_as_unknown() -> None:
    fields = [{"id": 1, "name": "x", "required": False, "type": "long"}]
    spec = {"name": "x_z", "transform": "z-order[3]", "source-id": 1, "field-id": 1000}
    metadata = foreign(fields, **{"partition-specs": [{"spec-id": 0, "fields": [spec]}]})
    found = described(metadata, metadata.schema()).definition
    assert found.partitioned_by == ("unknown(x)",)


# -- creating ------------------------------------------------------------------------------------


def test_a_name_that_is_taken_or_has_no_namespace_is_refused(fresh: Fresh) -> None:
    fresh.create(WHOLE)
    with pytest.raises(AlreadyExistsError, match=r"s\.t"):
        fresh.create(WHOLE)
    drop_table(fresh.catalog.pyiceberg, TableName("s", "t"))
    with pytest.raises(NotFoundError, match=r"s\.t"):
        drop_table(fresh.catalog.pyiceberg, TableName("s", "t"))
    fresh.catalog.drop_namespace("s")
    with pytest.raises(NotFoundError, match="`s`"):
        fresh.create(WHOLE)


@pytest.mark.parametrize("key", ["lakeport.types", "lakeport.anything", "format-version"])
def test_properties_of_ours_cannot_be_given(fresh: Fresh, key: str) -> None:
    with pytest.raises(InvalidRequestError, match=key):
        fresh.create(Definition(SCHEMA, properties={key: "1"}))


def test_names_that_iceberg_cannot_tell_apart_are_refused(fresh: Fresh) -> None:
    inner = pa.struct([pa.field("b", pa.int64())])
    outer = pa.struct([pa.field("a", inner), pa.field("a.b", pa.int64())])
    with pytest.raises(InvalidRequestError, match="dots"):
        fresh.create(pa.schema([pa.field("x", outer)]))


def test_settings_of_every_table_are_hidden_unless_changed(fresh: Fresh) -> None:
    given = {"write.parquet.compression-codec": "snappy"}
    fresh.create(Definition(SCHEMA, properties=given))
    assert fresh.definition().properties == given
    assert fresh.load().properties["write.parquet.row-group-limit"] == "122880"


@pytest.mark.parametrize(
    ("term", "fault"),
    [
        ("hour(k)", "stored as long"),
        ("day(t)", "stored as long"),
        ("truncate(3, f)", "stored as double"),
        ("s", "stored as struct"),
        ("l", "stored as list"),
        ("sha(k)", "no transform"),
        ("bucket(k)", "no transform"),
        ("bucket(0, k)", "no transform"),
        ("day(3, ts)", "no transform"),
        ("k desc", "direction"),
        ("l.element", "cannot be arranged"),
    ],
)
def test_a_term_that_iceberg_cannot_work_out_is_refused(
    fresh: Fresh, term: str, fault: str
) -> None:
    schema = schema_of(
        k=pa.int64(),
        f=pa.float64(),
        t=pa.timestamp("ns"),
        ts=pa.timestamp("us"),
        s=pa.struct([pa.field("x", pa.int64())]),
        l=pa.list_(pa.int64()),
    )
    with pytest.raises(InvalidRequestError, match=fault):
        fresh.create(Definition(schema, partitioned_by=(term,)))


def test_partition_fields_never_clash_with_columns(fresh: Fresh) -> None:
    names = ("ts", "ts_day", "TS_DAY_2", "x")
    schema = pa.schema([pa.field(name, pa.timestamp("us")) for name in names])
    terms = ("day(ts)", "x", "month(ts)", "years(ts)")
    native = fresh.create(Definition(schema, partitioned_by=terms))
    assert [field.name for field in native.spec().fields] == [
        *("ts_day_3", "x", "ts_month", "ts_year"),
    ]
    assert fresh.definition().partitioned_by == ("day(ts)", "x", "month(ts)", "year(ts)")
    with pytest.raises(InvalidRequestError, match="twice"):
        fresh.create(Definition(schema, partitioned_by=("x", "X")), "u")


class Renumbering(SqlCatalog):
    """A catalog that gives ids of its own choice, as the specification lets it."""

    def create_table(self, identifier: Any, schema: Any, *args: Any, **more: Any) -> Native:
        table = super().create_table(identifier, schema, *args, **more)
        ids = count(table.metadata.last_column_id + 1)
        schema = assign_fresh_schema_ids(schema, ids.__next__)
        with table.update_schema(allow_incompatible_changes=True) as update:
            for field in table.schema().fields:
                update.delete_column(field.name)
        with table.update_schema() as update:
            for field in schema.fields:
                update.add_column(field.name, field.field_type, doc=field.doc)
        return table


def test_properties_follow_the_ids_that_the_catalog_gave(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'catalog.db'}"
    with Renumbering("lake", uri=database, warehouse=tmp_path.as_uri()) as catalog:
        catalog.create_namespace("s")
        schema = pa.schema([pa.field("a", pa.uint8()), pa.field("b", pa.list_(pa.timestamp("s")))])
        definition = Definition(schema, (Unique(("a",), "one"),))
        native = create_table(catalog, TableName("s", "t"), definition)
        assert json.loads(native.properties["lakeport.types"]) == {
            "4": "uint8",
            "5": "list<item>",
            "6": "timestamp[s]",
        }
        assert described(native.metadata, native.schema()).definition == definition


# -- caching -------------------------------------------------------------------------------------


def test_what_did_not_change_is_worked_out_once(fresh: Fresh) -> None:
    native = fresh.create(WHOLE)

    def source() -> Source:
        return Source(TableName("s", "t"), native.metadata, native.io, caches)

    caches = Caches()
    first = definition_of(source(), native.schema())
    fresh.insert([batch(SCHEMA, (1, 2, 3, None))])
    native.refresh()
    assert definition_of(source(), native.schema()) is first
    assert columns_of(source(), native.schema()) is columns_of(source(), native.schema())
    with native.transaction() as transaction:
        transaction.set_properties({"comment": "other things"})
    assert definition_of(source(), native.schema()).comment == "other things"


def test_the_properties_are_what_the_manual_shows(fresh: Fresh) -> None:
    properties = fresh.create(WHOLE).properties
    assert json.loads(properties["lakeport.types"]) == {
        "2": "uint8",
        "3": "timestamp[s]",
        "6": "uint16",
    }
    assert json.loads(properties["lakeport.defaults"]) == {"2": "3"}
    assert json.loads(properties["lakeport.constraints"]) == [
        {"kind": "primary key", "name": "primary key", "columns": {"k": 1}},
        {"kind": "unique", "name": "sizes", "columns": {"Size": 2, "ts": 3}},
        {"kind": "check", "name": "small", "expression": "(Size < 200)", "columns": {"Size": 2}},
    ]
    assert properties["comment"] == "things"
