"""The SQL catalog's own `commit_table` does what PyIceberg's does, for any updates."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError, TableAlreadyExistsError
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import CommitTableRequest, Table
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.table.update import (
    AssertCreate,
    AssertCurrentSchemaId,
    AssertTableUUID,
    SetPropertiesUpdate,
    TableUpdate,
    update_table_metadata,
)
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from tests.catalog.iceberg.commit.members import (
    NAME,
    SCHEMA,
    commit,
    embedded,
    head,
    insert,
    metadata_files,
    new_table,
)

IDENTIFIER = (NAME.namespace, NAME.table)


@pytest.fixture
def native(catalog: IcebergCatalog) -> PatientSqlCatalog:
    assert isinstance(catalog.pyiceberg, PatientSqlCatalog)
    return catalog.pyiceberg


def update(**fields: Any) -> TableUpdate:
    """As a REST client sends it."""
    request = {
        "identifier": {"namespace": [NAME.namespace], "name": NAME.table},
        "requirements": [],
        "updates": [fields],
    }
    return CommitTableRequest.model_validate(request).updates[0]


MORE = Schema(*SCHEMA.fields, NestedField(3, "more", LongType(), required=False), schema_id=1)
SPEC = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "id"), spec_id=1)
ORDER = SortOrder(SortField(source_id=1, transform=IdentityTransform()), order_id=1)

CHANGES: dict[str, list[dict[str, Any]]] = {
    "properties": [
        {"action": "set-properties", "updates": {"a": "1", "b": "2"}},
        {"action": "remove-properties", "removals": ["a"]},
    ],
    "schema": [
        {"action": "add-schema", "schema": MORE.model_dump(mode="json")},
        {"action": "set-current-schema", "schema-id": -1},
    ],
    "spec": [
        {"action": "add-spec", "spec": SPEC.model_dump(mode="json")},
        {"action": "set-default-spec", "spec-id": -1},
    ],
    "order": [
        {"action": "add-sort-order", "sort-order": ORDER.model_dump(mode="json")},
        {"action": "set-default-sort-order", "sort-order-id": -1},
    ],
    "location": [{"action": "set-location", "location": "file:///elsewhere"}],
    "uuid": [{"action": "assign-uuid", "uuid": str(uuid.uuid4())}],
    "tag": [
        {"action": "set-snapshot-ref", "ref-name": "t", "type": "tag", "snapshot-id": "oldest"}
    ],
    "rollback": [
        {
            "action": "set-snapshot-ref",
            "ref-name": "main",
            "type": "branch",
            "snapshot-id": "oldest",
        }
    ],
    "expire": [{"action": "remove-snapshots", "snapshot-ids": ["oldest"]}],
}


@pytest.mark.parametrize("name", CHANGES)
def test_updates_end_as_they_do_in_pyiceberg(
    catalog: IcebergCatalog, native: PatientSqlCatalog, name: str
) -> None:
    source = new_table(catalog)
    for number in range(3):
        commit(catalog, source, insert(source, [number]))
    table = native.load_table(IDENTIFIER)
    oldest = table.metadata.snapshots[0].snapshot_id
    text = json.dumps(CHANGES[name]).replace('"oldest"', str(oldest))
    updates = tuple(update(**each) for each in json.loads(text))
    expected = update_table_metadata(
        table.metadata, updates, metadata_location=table.metadata_location
    )
    answer = native.commit_table(table, (), updates)
    stamp = {"last_updated_ms": answer.metadata.last_updated_ms}
    log = {"snapshot_log": answer.metadata.snapshot_log} if name == "rollback" else {}
    assert answer.metadata == expected.model_copy(update={**stamp, **log})
    # What was written is what was answered, for whoever reads the file.
    again = SqlCatalog("lake", uri=str(native.engine.url), warehouse="file:///nowhere")
    read = again.load_table(IDENTIFIER)
    again.close()
    assert read.metadata == answer.metadata
    assert read.metadata_location == answer.metadata_location


def test_no_change_writes_nothing(catalog: IcebergCatalog, native: PatientSqlCatalog) -> None:
    source = new_table(catalog, properties={"a": "1"})
    before = metadata_files(source)
    table = native.load_table(IDENTIFIER)
    answer = native.commit_table(table, (), (SetPropertiesUpdate(updates={}),))
    assert answer.metadata_location == table.metadata_location
    assert metadata_files(source) == before


def test_an_older_table_is_brought_up_to_date_if_its_requirements_hold(
    catalog: IcebergCatalog, native: PatientSqlCatalog
) -> None:
    new_table(catalog)
    old = native.load_table(IDENTIFIER)
    native.commit_table(old, (), (SetPropertiesUpdate(updates={"a": "1"}),))
    same = AssertTableUUID(uuid=old.metadata.table_uuid)
    answer = native.commit_table(old, (same,), (SetPropertiesUpdate(updates={"b": "2"}),))
    assert answer.metadata.properties == {**old.metadata.properties, "a": "1", "b": "2"}
    schema = AssertCurrentSchemaId.model_validate({"current-schema-id": 7})
    with pytest.raises(CommitFailedException):
        native.commit_table(old, (schema,), (SetPropertiesUpdate(updates={"c": "3"}),))


def test_updates_for_an_older_state_are_a_conflict(
    catalog: IcebergCatalog, native: PatientSqlCatalog
) -> None:
    source = new_table(catalog)
    for number in range(2):
        commit(catalog, source, insert(source, [number]))
    old = native.load_table(IDENTIFIER)
    oldest = old.metadata.snapshots[0].snapshot_id
    expire = update(**{"action": "remove-snapshots", "snapshot-ids": [oldest]})
    native.commit_table(old, (), (expire,))
    with pytest.raises(CommitFailedException):
        native.commit_table(old, (), (expire,))


class Overtaken:
    """Between the metadata file and the row somebody else commits: the second look at the text."""

    def __init__(self, native: PatientSqlCatalog, act: Callable[[], object]) -> None:
        self._inner = native._texts
        self._act = act

    def text(self, metadata: Any) -> str:
        self._act()
        return self._inner.text(metadata)


def test_the_metadata_file_of_a_lost_race_is_removed(
    tmp_path: Path, catalog: IcebergCatalog, native: PatientSqlCatalog
) -> None:
    source = new_table(catalog)
    table = native.load_table(IDENTIFIER)
    with IcebergCatalog(embedded(tmp_path)) as other:
        vars(native)["_texts"] = Overtaken(
            native, lambda: commit(other, source, insert(source, [1]))
        )
        with pytest.raises(CommitFailedException):
            native.commit_table(table, (), (SetPropertiesUpdate(updates={"a": "1"}),))
    newest = native.load_table(IDENTIFIER)
    names = {name for name in metadata_files(source) if name.endswith(".json")}
    known = {newest.metadata_location, table.metadata_location}
    assert names == {location.rpartition("/")[2] for location in known}


def test_old_metadata_files_go_if_the_table_says_so(
    catalog: IcebergCatalog, native: PatientSqlCatalog
) -> None:
    properties = {
        "write.metadata.delete-after-commit.enabled": "true",
        "write.metadata.previous-versions-max": "2",
    }
    source = new_table(catalog, properties=properties)
    for number in range(6):
        commit(catalog, source, insert(source, [number]))
    names = {name for name in metadata_files(source) if name.endswith(".json")}
    assert len(names) == 3
    assert len(head(catalog).metadata.metadata_log) == 2
    assert native.load_table(IDENTIFIER).metadata == head(catalog).metadata


def test_the_log_of_older_files_goes_on(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    locations = []
    for number in range(3):
        locations.append(catalog.pyiceberg.load_table(IDENTIFIER).metadata_location)
        commit(catalog, source, insert(source, [number]))
    log = head(catalog).metadata.metadata_log
    assert [entry.metadata_file for entry in log] == locations


@pytest.fixture
def staged(catalog: IcebergCatalog, native: PatientSqlCatalog) -> Table:
    """A table that is only described yet."""
    new_table(catalog)
    return native._create_staged_table((NAME.namespace, "other"), SCHEMA)


def creation(staged: Table) -> tuple[TableUpdate, ...]:
    metadata = staged.metadata
    return tuple(
        update(**each)
        for each in (
            {"action": "assign-uuid", "uuid": str(metadata.table_uuid)},
            {"action": "upgrade-format-version", "format-version": 2},
            {"action": "add-schema", "schema": metadata.schema().model_dump(mode="json")},
            {"action": "set-current-schema", "schema-id": -1},
            {"action": "add-spec", "spec": metadata.spec().model_dump(mode="json")},
            {"action": "set-default-spec", "spec-id": -1},
            {
                "action": "add-sort-order",
                "sort-order": metadata.sort_order().model_dump(mode="json"),
            },
            {"action": "set-default-sort-order", "sort-order-id": -1},
            {"action": "set-location", "location": metadata.location},
        )
    )


def test_a_table_is_created_by_a_commit(native: PatientSqlCatalog, staged: Table) -> None:
    answer = native.commit_table(staged, (AssertCreate(),), creation(staged))
    created = native.load_table(staged.name())
    assert created.metadata == answer.metadata
    assert created.metadata.table_uuid == staged.metadata.table_uuid
    with pytest.raises(CommitFailedException):
        native.commit_table(staged, (AssertCreate(),), creation(staged))


def test_a_name_that_is_taken_meanwhile_is_refused_without_a_file(
    native: PatientSqlCatalog, staged: Table
) -> None:
    folder = Path(staged.metadata.location.removeprefix("file://")) / "metadata"

    def take() -> None:
        native.create_table((NAME.namespace, "OTHER"), SCHEMA, location=f"{staged.location()}x")

    vars(native)["_texts"] = Overtaken(native, take)
    with pytest.raises(TableAlreadyExistsError):
        native.commit_table(staged, (AssertCreate(),), creation(staged))
    assert list(folder.glob("*")) == []


def test_a_table_that_is_not_there_is_not_made_by_chance(
    native: PatientSqlCatalog, staged: Table
) -> None:
    with pytest.raises((NoSuchTableError, CommitFailedException)):
        native.commit_table(
            staged,
            (AssertTableUUID(uuid=staged.metadata.table_uuid),),
            (SetPropertiesUpdate(updates={"a": "1"}),),
        )
