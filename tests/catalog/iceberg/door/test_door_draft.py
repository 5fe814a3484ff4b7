"""What random commits make of a table is what PyIceberg makes of it, where the two mean the same.

They differ by intent where PyIceberg is wrong: what is there already is added again, -1 means the highest id,
and removed snapshots leave gaps in the history. Those have tests of their own (`tests/rest`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil, new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.table.update import TableUpdate
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.decoding import decoded
from lakeport.catalog.iceberg.door.draft import Draft
from lakeport.catalog.iceberg.door.messages import Commit
from lakeport.catalog.iceberg.door.updates import apply
from lakeport.catalog.iceberg.metadata import updated
from tests.rest.raw import column, schema, update

NOW = 1_900_000_000_000
THEIRS: TypeAdapter[tuple[TableUpdate, ...]] = TypeAdapter(tuple[TableUpdate, ...])
SEEDS = (*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 36)))

Updates = list[dict[str, Any]]


def empty_table() -> TableMetadata:
    columns = Schema(NestedField(1, "k", LongType()), NestedField(2, "v", StringType()))
    return new_table_metadata(
        columns, UNPARTITIONED_PARTITION_SPEC, UNSORTED_SORT_ORDER, "file:///lake/t", {}
    )


def wider(before: TableMetadata, _chance: random.Random) -> Updates:
    number = before.last_column_id + 1
    fields = [json.loads(field.model_dump_json()) for field in before.schema().fields]
    added = schema(*fields, column(number, f"c{number}"), number=len(before.schemas))
    return [
        update("add-schema", schema=added, last_column_id=number),
        update("set-current-schema", schema_id=-1),
    ]


def older_schema(before: TableMetadata, chance: random.Random) -> Updates:
    # The first columns are in all of them, so that no partition loses its source.
    return [update("set-current-schema", schema_id=chance.choice(before.schemas).schema_id)]


def partitioned(before: TableMetadata, _chance: random.Random) -> Updates:
    number = (before.last_partition_id or 999) + 1
    field = {
        "source-id": 1,
        "field-id": number,
        "transform": f"bucket[{number}]",
        "name": f"p{number}",
    }
    return [
        update("add-spec", spec={"spec-id": len(before.partition_specs), "fields": [field]}),
        update("set-default-spec", spec_id=-1),
    ]


def sorted_(before: TableMetadata, _chance: random.Random) -> Updates:
    number = len(before.sort_orders)
    field = {
        "source-id": 1,
        "transform": f"bucket[{number + 1}]",
        "direction": "asc",
        "null-order": "nulls-first",
    }
    return [
        update("add-sort-order", sort_order={"order-id": number, "fields": [field]}),
        update("set-default-sort-order", sort_order_id=-1),
    ]


def properties(before: TableMetadata, chance: random.Random) -> Updates:
    known = sorted(before.properties)
    if known and chance.random() < 0.3:
        return [update("remove-properties", removals=[chance.choice(known)])]
    return [update("set-properties", updates={f"p{chance.randrange(5)}": str(chance.random())})]


def append(before: TableMetadata, chance: random.Random) -> Updates:
    number = chance.randrange(1, 2**62)
    snapshot = {
        "snapshot-id": number,
        "parent-snapshot-id": before.current_snapshot_id,
        "sequence-number": before.next_sequence_number(),
        "timestamp-ms": NOW + len(before.snapshots),
        "manifest-list": f"file:///lake/t/metadata/{number}.avro",
        "summary": {"operation": "append", "added-records": "1"},
        "schema-id": before.current_schema_id,
    }
    branch = chance.choice(("main", "main", "dev"))
    return [
        update("add-snapshot", snapshot=snapshot),
        update("set-snapshot-ref", ref_name=branch, type="branch", snapshot_id=number),
    ]


def tagged(before: TableMetadata, chance: random.Random) -> Updates:
    if not before.snapshots:
        return []
    number = chance.choice(before.snapshots).snapshot_id
    return [update("set-snapshot-ref", ref_name="tag", type="tag", snapshot_id=number)]


def untagged(before: TableMetadata, chance: random.Random) -> Updates:
    names = sorted(before.refs)
    return [update("remove-snapshot-ref", ref_name=chance.choice(names))] if names else []


def measured(before: TableMetadata, chance: random.Random) -> Updates:
    if not before.snapshots:
        return []
    number = chance.choice(before.snapshots).snapshot_id
    file = {"snapshot-id": number, "statistics-path": "s", "file-size-in-bytes": 1}
    whole = {**file, "file-footer-size-in-bytes": 1, "blob-metadata": []}
    return [
        update("set-partition-statistics", partition_statistics=file),
        update("set-statistics", statistics=whole),
    ]


STEPS: tuple[Callable[[TableMetadata, random.Random], Updates], ...] = (
    wider,
    older_schema,
    partitioned,
    sorted_,
    properties,
    append,
    append,
    append,
    tagged,
    untagged,
    measured,
)


def plain(metadata: TableMetadata) -> dict[str, Any]:
    """Without what is the clock's."""
    found: dict[str, Any] = json.loads(metadata.model_dump_json())
    del found["last-updated-ms"]
    found["snapshot-log"] = [entry["snapshot-id"] for entry in found["snapshot-log"]]
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_random_commits_make_the_same_table(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  to be the same every time
    table = empty_table()
    for _ in range(25):
        updates = chance.choice(STEPS)(table, chance)
        draft = Draft(table, NOW)
        apply(draft, decoded(json.dumps({"updates": updates}).encode(), Commit).updates)
        ours = draft.finished(None)
        theirs = updated(table, THEIRS.validate_python(updates))
        assert plain(ours) == plain(theirs)
        assert (
            draft.is_changed
            or ours.model_copy(update={"last_updated_ms": table.last_updated_ms}) == table
        )
        # What is written is what is read.
        assert plain(TableMetadataUtil.parse_raw(ours.model_dump_json())) == plain(ours)
        table = ours
