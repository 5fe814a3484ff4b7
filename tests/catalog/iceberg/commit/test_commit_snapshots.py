"""What a commit leaves behind, as PyIceberg and an independent checker read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyiceberg.manifest import DataFile
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.update import (
    AddPartitionSpecUpdate,
    AddSchemaUpdate,
    SetCurrentSchemaUpdate,
    SetDefaultSpecUpdate,
    SetPropertiesUpdate,
    SetSnapshotRefUpdate,
)
from pyiceberg.transforms import IdentityTransform, TruncateTransform
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.effect import Committed, Effect
from lakeport.catalog.ports import WriteContext
from lakeport.core.errors import ConflictError
from tests.catalog.iceberg.commit.members import (
    NAME,
    SCHEMA,
    Statement,
    commit,
    embedded,
    head,
    ids_in,
    insert,
    metadata_files,
    new_table,
    write_deletes,
    write_rows,
)
from tests.lakes.conformance import assert_conforms

BY_REGION = PartitionSpec(
    PartitionField(source_id=2, field_id=1000, transform=IdentityTransform(), name="region")
)


def loaded(catalog: IcebergCatalog) -> Table:
    return catalog.pyiceberg.load_table((NAME.namespace, NAME.table))


def said(done: Committed) -> dict[str, str]:
    assert done.snapshot is not None
    assert done.snapshot.summary is not None
    return done.snapshot.summary.additional_properties


def added(*files: DataFile) -> Statement:
    return Statement(Effect(rows=sum(file.record_count for file in files), added=files))


def test_an_append_is_read_by_pyiceberg(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    done = commit(catalog, source, insert(source, [1, 2, 3]))
    assert ids_in(catalog) == [1, 2, 3]
    assert done.snapshot is not None
    assert done.snapshot.sequence_number == 1
    assert_conforms(loaded(catalog).metadata_location)


def test_the_state_that_is_given_back_is_the_one_that_everybody_reads(
    catalog: IcebergCatalog,
) -> None:
    source = new_table(catalog)
    done = commit(catalog, source, insert(source, [1]))
    assert head(catalog).metadata is done.source.metadata
    assert loaded(catalog).metadata == done.source.metadata


def test_the_summary_counts_and_adds_up(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    first = write_rows(source, [1, 2, 3])
    commit(catalog, source, added(first))
    deletes = write_deletes(source, first, [0])
    moved = write_rows(source, [10])
    done = commit(catalog, source, Statement(Effect(rows=1, added=(moved,), deletes=(deletes,))))
    assert ids_in(catalog) == [2, 3, 10]
    found = said(done)
    assert found["added-records"] == "1"
    assert found["added-position-deletes"] == "1"
    assert found["total-records"] == "4"
    assert found["total-position-deletes"] == "1"
    assert found["total-data-files"] == "2"
    assert found["total-delete-files"] == "1"
    sizes = [file.file_size_in_bytes for file in (first, deletes, moved)]
    assert found["total-files-size"] == str(sum(sizes))
    assert found["engine-name"] == "lakeport"
    assert done.snapshot is not None
    assert done.snapshot.summary is not None
    assert done.snapshot.summary.operation is Operation.OVERWRITE
    assert_conforms(loaded(catalog).metadata_location)


@pytest.mark.parametrize("together", [1, 4])
def test_files_that_leave_are_listed_once_more_as_deleted(
    catalog: IcebergCatalog, together: int
) -> None:
    source = new_table(catalog)
    files = [write_rows(source, [number]) for number in range(4)]
    for start in range(0, len(files), together):
        commit(catalog, source, added(*files[start : start + together]))
    deletes = write_deletes(source, files[0], [0])
    commit(catalog, source, Statement(Effect(rows=1, deletes=(deletes,))))
    gone = Effect(
        removed=frozenset({files[0].file_path, files[1].file_path}),
        removed_deletes=frozenset({deletes.file_path}),
    )
    done = commit(catalog, source, Statement(gone))
    assert ids_in(catalog) == [2, 3]
    found = said(done)
    assert found["deleted-data-files"] == found["deleted-records"] == "2"
    assert found["removed-position-deletes"] == found["removed-delete-files"] == "1"
    assert (found["total-records"], found["total-delete-files"]) == ("2", "0")
    assert_conforms(loaded(catalog).metadata_location)
    commit(catalog, source, insert(source, [9]))
    snapshot = head(catalog).metadata.current_snapshot()
    assert snapshot is not None
    live = [
        row
        for row in snapshot.manifests(source.io)
        if row.added_files_count or row.existing_files_count
    ]
    assert snapshot.manifests(source.io) == live
    assert_conforms(loaded(catalog).metadata_location)


def test_a_file_that_is_gone_cannot_be_removed(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    file = write_rows(source, [1])
    commit(catalog, source, added(file))
    commit(catalog, source, Statement(Effect(removed=frozenset({file.file_path}))))
    before = metadata_files(source)
    with pytest.raises(ConflictError):
        commit(catalog, source, Statement(Effect(removed=frozenset({file.file_path}))))
    assert metadata_files(source) == before


def test_files_of_several_specs_share_a_snapshot(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    plain = write_rows(source, [1])
    commit(catalog, source, added(plain))
    spec = PartitionSpec(*BY_REGION.fields, spec_id=1)
    parts = [
        write_rows(source, [place], partition=[region], spec_id=1)
        for place, region in enumerate("ab")
    ]
    late = write_rows(source, [7])
    done = commit(
        catalog,
        source,
        Statement(
            Effect(
                rows=3,
                added=(*parts, late),
                updates=(
                    AddPartitionSpecUpdate(spec=spec),
                    SetDefaultSpecUpdate.model_validate({"spec-id": -1}),
                ),
            ),
            shares=False,
        ),
    )
    assert ids_in(catalog) == [0, 1, 1, 7]
    assert said(done)["changed-partition-count"] == "3"
    assert done.source.metadata.default_spec_id == 1
    assert_conforms(loaded(catalog).metadata_location)


def test_values_of_a_partition_are_summed_up_for_pruning(catalog: IcebergCatalog) -> None:
    source = new_table(catalog, spec=BY_REGION)
    files = [write_rows(source, [place], partition=[region]) for place, region in enumerate("ca")]
    commit(catalog, source, added(*files, write_rows(source, [5], partition=[None])))
    snapshot = head(catalog).metadata.current_snapshot()
    assert snapshot is not None
    [manifest] = snapshot.manifests(source.io)
    [summary] = manifest.partitions or []
    assert (summary.lower_bound, summary.upper_bound) == (b"a", b"c")
    assert (summary.contains_null, summary.contains_nan) == (True, False)
    rows = loaded(catalog).scan(row_filter="region = 'a'").to_arrow()
    assert rows["id"].to_pylist() == [1]


def test_a_schema_change_is_a_snapshot_of_its_own_schema(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    commit(catalog, source, insert(source, [1]))
    more = NestedField(3, "more", LongType(), required=False)
    wider = Schema(*SCHEMA.fields, more, schema_id=1)
    change = Effect(
        updates=(
            AddSchemaUpdate.model_validate({"schema": wider}),
            SetCurrentSchemaUpdate.model_validate({"schema-id": -1}),
            SetPropertiesUpdate(updates={"lakeport.defaults": "{}"}),
        )
    )
    done = commit(catalog, source, Statement(change, shares=False))
    assert done.snapshot is not None
    assert (done.snapshot.sequence_number, done.snapshot.schema_id) == (2, 1)
    assert done.source.metadata.properties["lakeport.defaults"] == "{}"
    assert loaded(catalog).scan().to_arrow().column_names == ["id", "region", "more"]
    assert_conforms(loaded(catalog).metadata_location)


def test_rows_may_be_older_than_the_commit_that_adds_them(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    old = write_rows(source, [1])
    commit(catalog, source, added(old))
    commit(catalog, source, insert(source, [2]))
    rewritten = write_rows(source, [1])
    effect = Effect(
        added=(rewritten,),
        removed=frozenset({old.file_path}),
        sequence=1,
        operation=Operation.REPLACE,
    )
    done = commit(catalog, source, Statement(effect, shares=False))
    assert done.snapshot is not None
    assert done.snapshot.summary is not None
    assert done.snapshot.summary.operation is Operation.REPLACE
    entries = loaded(catalog).inspect.entries().to_pylist()
    numbers = {entry["data_file"]["file_path"]: entry["sequence_number"] for entry in entries}
    assert numbers[rewritten.file_path] == 1
    assert_conforms(loaded(catalog).metadata_location)


def test_who_and_what_are_in_the_summary_and_own_words_stay_as_given(
    catalog: IcebergCatalog,
) -> None:
    source = new_table(catalog)
    lies = {"added-records": "a lie", "operation": "another"}
    context = WriteContext("ann", "INSERT …", {"run": "7", **lies})
    found = said(commit(catalog, source, insert(source, [1], context)))
    assert (found["lakeport.actor"], found["lakeport.statement"]) == ("ann", "INSERT …")
    assert (found["run"], found["added-records"]) == ("7", "1")


def test_a_branch_goes_on_keeping_as_many_snapshots_as_it_said(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    done = commit(catalog, source, insert(source, [1]))
    kept = {
        "ref-name": "main",
        "type": "branch",
        "snapshot-id": done.source.metadata.current_snapshot_id,
        "min-snapshots-to-keep": 7,
        "max-snapshot-age-ms": 1000,
    }
    update = SetSnapshotRefUpdate.model_validate(kept)
    uuid = str(source.metadata.table_uuid)
    catalog.commits.change(NAME, uuid, lambda _: ((update,), ()))
    done = commit(catalog, source, insert(source, [2]))
    main = done.source.metadata.refs["main"]
    assert (main.min_snapshots_to_keep, main.max_snapshot_age_ms) == (7, 1000)
    assert main.snapshot_id == done.source.metadata.current_snapshot_id


def test_nothing_to_do_makes_no_snapshot(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    statement = Statement(lambda _: None)
    done = commit(catalog, source, statement)
    assert (done.effect, done.snapshot, statement.discarded) == (None, None, 1)


def test_time_does_not_run_backwards(tmp_path: Path) -> None:
    times = iter([5_000_000_000, 2_000_000_000])
    opened = IcebergCatalog(embedded(tmp_path), clock=lambda: next(times, 9_000_000_000))
    with opened as catalog:
        source = new_table(catalog)
        stamps = []
        for number in range(3):
            done = commit(catalog, source, insert(source, [number]))
            assert done.snapshot is not None
            stamps.append(done.snapshot.timestamp_ms)
    assert stamps == sorted(stamps)


def test_a_truncated_text_partition_is_written_as_text(catalog: IcebergCatalog) -> None:
    field = PartitionField(2, 1000, TruncateTransform(2), "start")
    source = new_table(catalog, spec=PartitionSpec(field))
    commit(catalog, source, added(write_rows(source, [1], partition=["no"])))
    entries = loaded(catalog).inspect.entries().to_pylist()
    assert [entry["data_file"]["partition"] for entry in entries] == [{"start": "no"}]
