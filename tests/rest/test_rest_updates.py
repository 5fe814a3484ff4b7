"""Every update of format 2 does to a table what Iceberg's reference implementation does."""

from __future__ import annotations

import gzip
import json
from typing import Any
from urllib.parse import urlparse

import pytest

from tests.rest.raw import RawLake, column, schema, update

BAD = (400, "BadRequestException")
WIDER = schema(
    {"id": 1, "name": "k", "type": "long", "required": True},
    column(2, "v", "string"),
    column(3, "w"),
)


def test_a_schema_is_added_and_made_current(raw: RawLake) -> None:
    after = raw.table().changed(
        update("add-schema", schema=WIDER, last_column_id=3),
        update("set-current-schema", schema_id=-1),
    )
    assert after["current-schema-id"] == 1
    assert after["last-column-id"] == 3
    assert [each["name"] for each in after["schemas"][1]["fields"]] == ["k", "v", "w"]


def test_a_schema_that_is_there_is_not_added_again(raw: RawLake) -> None:
    table = raw.table()
    table.changed(update("add-schema", schema=WIDER), update("set-current-schema", schema_id=-1))
    back = table.changed(
        update("add-schema", schema=schema(number=7)), update("set-current-schema", schema_id=-1)
    )
    assert back["current-schema-id"] == 0
    assert [each["schema-id"] for each in back["schemas"]] == [0, 1]
    assert back["last-column-id"] == 3


def test_a_schema_id_that_is_taken_gives_way(raw: RawLake) -> None:
    after = raw.table().changed(update("add-schema", schema={**WIDER, "schema-id": 0}))
    assert [each["schema-id"] for each in after["schemas"]] == [0, 1]
    assert after["current-schema-id"] == 0


def test_an_unknown_schema_cannot_be_current(raw: RawLake) -> None:
    table = raw.table()
    assert table.refuse(update("set-current-schema", schema_id=5)).error == BAD
    assert table.refuse(update("set-current-schema", schema_id=-1)).error == BAD


def test_schemas_are_removed_unless_something_needs_them(raw: RawLake) -> None:
    table = raw.table()
    table.append()
    table.changed(update("add-schema", schema=WIDER), update("set-current-schema", schema_id=-1))
    table.changed(update("add-schema", schema=schema(column(1, "k"), number=2)))
    assert table.refuse(update("remove-schemas", schema_ids=[1])).error == BAD
    assert table.refuse(update("remove-schemas", schema_ids=[0])).error == BAD
    after = table.changed(update("remove-schemas", schema_ids=[2, 99]))
    assert [each["schema-id"] for each in after["schemas"]] == [0, 1]


@pytest.mark.parametrize(
    "fields",
    [
        [column(1, "k"), column(1, "v")],
        [column(1, "k"), column(2, "k")],
        [column(1, "k"), column(2, "K")],
        [column(1, "k", {"type": "struct", "fields": [column(2, "a"), column(3, "A")]})],
        [column(1, "k", "no such type")],
        [column(1, "k", "timestamp_ns")],
        [column(1, "k", "variant")],
        [column(1, "k", **{"initial-default": 5})],
    ],
)
def test_a_schema_that_cannot_be_is_refused(raw: RawLake, fields: list[dict[str, Any]]) -> None:
    reply = raw.table().refuse(update("add-schema", schema=schema(*fields)))
    assert reply.error == BAD


def test_a_partition_spec_is_added_and_made_the_default(raw: RawLake) -> None:
    field = {"source-id": 1, "field-id": 1000, "transform": "bucket[4]", "name": "b"}
    after = raw.table().changed(
        update("add-spec", spec={"spec-id": 1, "fields": [field]}),
        update("set-default-spec", spec_id=-1),
    )
    assert after["default-spec-id"] == 1
    assert after["last-partition-id"] == 1000
    assert after["partition-specs"][1] == {"spec-id": 1, "fields": [field]}


def test_a_partition_field_without_an_id_gets_one(raw: RawLake) -> None:
    field = {"source-id": 1, "transform": "identity", "name": "k"}
    after = raw.table().changed(update("add-spec", spec={"fields": [field]}))
    assert after["partition-specs"][1]["fields"][0]["field-id"] == 1000
    assert after["default-spec-id"] == 0


def test_the_same_partition_spec_is_there_once(raw: RawLake) -> None:
    table = raw.table()
    field = {"source-id": 1, "field-id": 1000, "transform": "identity", "name": "k"}
    spec = {"spec-id": 1, "fields": [field]}
    table.changed(update("add-spec", spec=spec), update("set-default-spec", spec_id=-1))
    after = table.changed(
        update("add-spec", spec={"spec-id": 5, "fields": []}),
        update("set-default-spec", spec_id=-1),
    )
    assert after["default-spec-id"] == 0
    assert len(after["partition-specs"]) == 2


def test_partition_specs_are_removed_but_for_the_default(raw: RawLake) -> None:
    table = raw.table()
    field = {"source-id": 1, "field-id": 1000, "transform": "identity", "name": "k"}
    table.changed(update("add-spec", spec={"spec-id": 1, "fields": [field]}))
    assert table.refuse(update("remove-partition-specs", spec_ids=[0])).error == BAD
    after = table.changed(update("remove-partition-specs", spec_ids=[1]))
    assert [each["spec-id"] for each in after["partition-specs"]] == [0]
    assert after["last-partition-id"] == 1000


@pytest.mark.parametrize(
    "field",
    [
        {"source-id": 9, "transform": "identity", "name": "k"},
        {"source-id": 2, "transform": "day", "name": "d"},
        {"source-id": 1, "transform": "no such", "name": "d"},
        {"transform": "identity", "name": "d"},
        "not an object",
    ],
)
def test_a_partition_that_cannot_be_is_refused(raw: RawLake, field: Any) -> None:
    reply = raw.table().refuse(
        update("add-spec", spec={"fields": [field]}), update("set-default-spec", spec_id=-1)
    )
    assert reply.error == BAD


def test_a_transform_that_nobody_knows_is_refused_by_its_name(raw: RawLake) -> None:
    """Also where nothing is to be written by it yet."""
    table = raw.table()
    field = {"source-id": 1, "transform": "zorder[4]", "name": "z"}
    order = {**field, "direction": "asc", "null-order": "nulls-first"}
    for change in (
        update("add-spec", spec={"fields": [field]}),
        update("add-sort-order", sort_order={"order-id": 1, "fields": [order]}),
    ):
        refused = table.refuse(change)
        assert refused.error == BAD
        assert "`zorder[4]`" in refused.message


@pytest.mark.parametrize("number", [2**31, 2**63, 10**30])
def test_a_number_that_other_engines_cannot_read_is_refused(raw: RawLake, number: int) -> None:
    table = raw.table()
    table.append()
    field = {"source-id": 1, "transform": "identity", "name": "i"}
    order = {**field, "direction": "asc", "null-order": "nulls-first"}
    for change in (
        update("add-schema", schema=schema(column(1, "k"), column(number, "n"))),
        update("add-schema", schema=schema(column(1, "k"), number=number)),
        update("add-spec", spec={"spec-id": number, "fields": [field]}),
        update("add-spec", spec={"fields": [{**field, "field-id": number}]}),
        update("add-sort-order", sort_order={"order-id": number, "fields": [order]}),
        update("add-snapshot", snapshot=table.snapshot(2**63)),
        update("add-snapshot", snapshot=table.snapshot(2, **{"snapshot-id": 2**33 * number})),
    ):
        assert table.refuse(change).error == BAD


def test_a_sort_order_is_added_and_made_the_default(raw: RawLake) -> None:
    table = raw.table()
    field = {
        "source-id": 1,
        "transform": "identity",
        "direction": "asc",
        "null-order": "nulls-last",
    }
    order = {"order-id": 1, "fields": [field]}
    after = table.changed(
        update("add-sort-order", sort_order=order),
        update("set-default-sort-order", sort_order_id=-1),
    )
    assert after["default-sort-order-id"] == 1
    assert after["sort-orders"][1] == order
    back = table.changed(
        update("add-sort-order", sort_order={"order-id": 0, "fields": []}),
        update("set-default-sort-order", sort_order_id=-1),
    )
    assert back["default-sort-order-id"] == 0
    assert table.refuse(update("set-default-sort-order", sort_order_id=9)).error == BAD


def test_properties_are_set_and_removed(raw: RawLake) -> None:
    table = raw.table()
    after = table.changed(update("set-properties", updates={"a": "1", "b": "2"}))
    assert after["properties"].items() >= {"a": "1", "b": "2"}.items()
    after = table.changed(update("remove-properties", removals=["a", "never there"]))
    assert "a" not in after["properties"]
    assert after["properties"]["b"] == "2"


def test_properties_by_their_older_names(raw: RawLake) -> None:
    table = raw.table()
    assert table.changed(update("set-properties", updated={"a": "1"}))["properties"]["a"] == "1"
    assert "a" not in table.changed(update("remove-properties", removed=["a"]))["properties"]


def test_a_location_inside_the_warehouse_can_be_set(raw: RawLake) -> None:
    table = raw.table()
    new = table.loaded()["location"] + "-moved"
    assert table.changed(update("set-location", location=new + "/"))["location"] == new
    assert table.location().startswith(new)


def test_a_table_keeps_its_uuid(raw: RawLake) -> None:
    table = raw.table()
    known = table.loaded()["table-uuid"]
    assert table.commit(update("assign-uuid", uuid=known)).status == 200
    other = "11111111-2222-3333-4444-555555555555"
    assert table.refuse(update("assign-uuid", uuid=other)).error == BAD


def test_formats_are_upgraded_to_two_and_no_further(raw: RawLake) -> None:
    table = raw.table(properties={"format-version": "1"})
    assert table.loaded()["format-version"] == 1
    assert table.changed(update("upgrade-format-version", format_version=2))["format-version"] == 2
    table.append()
    assert table.refuse(update("upgrade-format-version", format_version=1)).error == BAD
    reply = table.refuse(update("upgrade-format-version", format_version=3))
    assert reply.error == BAD
    assert "format 3" in reply.message


def test_the_format_is_no_property(raw: RawLake) -> None:
    """Users write it as one, and clients that do not know better send it."""
    table = raw.table()
    for wanted in ("1", "3", "two"):
        refused = table.refuse(update("set-properties", updates={"format-version": wanted}))
        assert refused.error == BAD
        assert "upgrade-format-version" in refused.message
    after = table.changed(update("set-properties", updates={"format-version": "2", "a": "1"}))
    assert after["properties"]["a"] == "1"
    assert "format-version" not in after["properties"]


def test_a_table_of_format_one_can_be_changed(raw: RawLake) -> None:
    table = raw.table(properties={"format-version": "1"})
    after = table.changed(
        update("add-schema", schema=WIDER), update("set-current-schema", schema_id=-1)
    )
    assert after["schema"]["schema-id"] == 1
    assert after["schemas"][1] == after["schema"]


def test_encryption_keys_are_refused_by_name(raw: RawLake) -> None:
    table = raw.table()
    key = {"key-id": "k", "encrypted-key-metadata": "eA=="}
    assert "format 3" in table.refuse(update("add-encryption-key", encryption_key=key)).message
    assert table.refuse(update("remove-encryption-key", key_id="k")).error == BAD


def test_a_commit_that_changes_nothing_writes_nothing(raw: RawLake) -> None:
    table = raw.table()
    before = table.location()
    reply = table.commit(update("set-current-schema", schema_id=0))
    assert reply.status == 200
    assert reply.json["metadata-location"] == before


def test_older_metadata_files_are_listed_and_cleared_away(raw: RawLake) -> None:
    table = raw.table(properties={"write.metadata.previous-versions-max": "2"})
    places = []
    for count in range(4):
        places.append(table.location())
        table.changed(update("set-properties", updates={"count": str(count)}))
    log = [entry["metadata-file"] for entry in table.loaded()["metadata-log"]]
    assert log == places[-2:]


def test_a_property_that_would_stop_all_commits_is_refused(raw: RawLake) -> None:
    nonsense = {"write.metadata.previous-versions-max": "many"}
    assert raw.table().refuse(update("set-properties", updates=nonsense)).error == BAD


def test_metadata_is_compressed_where_the_table_wants_it(raw: RawLake) -> None:
    table = raw.table(properties={"write.metadata.compression-codec": "gzip"})
    assert table.location().endswith(".gz.metadata.json")
    with gzip.open(urlparse(table.location()).path) as file:
        assert json.load(file) == table.loaded()
    assert table.append()
    assert table.location().rpartition("/")[2].startswith("00001-")


def test_what_is_said_of_old_metadata_never_spoils_a_commit(raw: RawLake) -> None:
    table = raw.table()
    nonsense = {"write.metadata.delete-after-commit.enabled": "perhaps"}
    assert table.changed(update("set-properties", updates=nonsense))
    assert table.append()
