"""Other processes are faster, or the table is another one: nothing is lost, and nothing is left."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pyiceberg.table.update import (
    AssertTableUUID,
    RemovePropertiesUpdate,
    SetPropertiesUpdate,
    TableRequirement,
    TableUpdate,
)

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.parts import Source
from lakeport.core.errors import ConflictError, CorruptDataError, NotFoundError
from tests.catalog.iceberg.commit.members import (
    NAME,
    SCHEMA,
    Statement,
    commit,
    data_files,
    embedded,
    head,
    ids_in,
    insert,
    metadata_files,
    new_table,
    write_rows,
)
from tests.catalog.iceberg.rest_server import rest_server

_WRITER = """
import sys
from pathlib import Path
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.catalog.iceberg.commit.members import commit, embedded, head, insert

folder, writer, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
with IcebergCatalog(embedded(folder)) as catalog:
    source = head(catalog)
    statements = [insert(source, [writer * 100 + step]) for step in range(count)]
    sys.stdout.write("ready\\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for statement in statements:
        commit(catalog, source, statement)
"""


def overtaken(
    source: Source, ids: list[int], times: int, overtake: Callable[[], object]
) -> Statement:
    """It is prepared, and then somebody else commits, so many times."""
    effect = Effect(rows=len(ids), added=(write_rows(source, ids),))
    left = iter(range(times))

    def prepare(_: Head) -> Effect:
        if next(left, None) is not None:
            overtake()
        return effect

    return Statement(prepare)


def test_an_append_that_was_overtaken_is_committed_on_top(tmp_path: Path) -> None:
    profile = embedded(tmp_path)
    with IcebergCatalog(profile) as catalog, IcebergCatalog(profile) as other:
        source = new_table(catalog)
        late = overtaken(source, [1], 1, lambda: commit(other, source, insert(source, [2])))
        commit(catalog, source, late)
        assert ids_in(catalog) == [1, 2]
        heads = [each.snapshot and each.snapshot.sequence_number for each in late.heads]
        assert heads == [None, 1]
        assert [each.sequence_number for each in head(catalog).metadata.snapshots] == [1, 2]


def test_an_attempt_that_was_lost_leaves_no_file(tmp_path: Path) -> None:
    profile = embedded(tmp_path)
    with IcebergCatalog(profile) as catalog, IcebergCatalog(profile) as other:
        source = new_table(catalog)
        late = overtaken(source, [1], 1, lambda: commit(other, source, insert(source, [2])))
        commit(catalog, source, late)
        # Per commit a manifest, a list and a metadata file, beside the first one of the table.
        assert len(metadata_files(source)) == 1 + 2 * 3


def test_who_is_overtaken_for_too_long_is_told_to_come_again(tmp_path: Path) -> None:
    with rest_server(tmp_path) as server:
        profile = server.profile(**{"lakeport.commit-seconds": "0.001"})
        with IcebergCatalog(profile) as catalog, IcebergCatalog(profile) as other:
            source = new_table(catalog)
            numbers = iter(range(2, 1_000_000))
            late = overtaken(
                source,
                [1],
                1_000_000,
                lambda: commit(other, source, insert(source, [next(numbers)])),
            )
            with pytest.raises(ConflictError, match="kept changing") as caught:
                commit(catalog, source, late)
            assert caught.value.hint
            assert late.discarded == 1
            assert 1 not in ids_in(catalog)


def test_what_no_longer_fits_the_head_fails_and_is_removed(tmp_path: Path) -> None:
    profile = embedded(tmp_path)
    with IcebergCatalog(profile) as catalog, IcebergCatalog(profile) as other:
        source = new_table(catalog)
        file = write_rows(source, [1, 2])
        commit(catalog, source, Statement(Effect(rows=2, added=(file,))))
        effect = Effect(removed=frozenset({file.file_path}), added=(write_rows(source, [3]),))

        def prepare(given: Head) -> Effect:
            assert given.snapshot is not None
            if given.snapshot.sequence_number == 1:
                commit(other, source, Statement(Effect(removed=effect.removed)))
                return effect
            message = "the rows are gone"
            raise ConflictError(message)

        late = Statement(prepare)
        with pytest.raises(ConflictError, match="the rows are gone"):
            commit(catalog, source, late)
        assert late.discarded == 1
        assert ids_in(catalog) == []


def test_a_table_in_the_place_of_another_is_not_written_to(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    statement = insert(source, [1])
    with catalog.changing() as native:
        native.drop_table((NAME.namespace, NAME.table))
    late = insert(source, [2])
    with pytest.raises(NotFoundError):
        commit(catalog, source, late)
    with catalog.changing() as native:
        native.create_table((NAME.namespace, NAME.table), SCHEMA)
    with pytest.raises(ConflictError, match="replaced"):
        commit(catalog, source, statement)
    assert data_files(source) == set()


@pytest.mark.parametrize("again", [False, True], ids=["dropped", "replaced"])
def test_a_table_that_goes_while_it_is_prepared_is_noticed(
    catalog: IcebergCatalog, *, again: bool
) -> None:
    source = new_table(catalog)

    def replace() -> None:
        with catalog.changing() as native:
            native.drop_table((NAME.namespace, NAME.table))
            if again:
                native.create_table((NAME.namespace, NAME.table), SCHEMA)

    late = overtaken(source, [1], 1, replace)
    with pytest.raises(ConflictError if again else NotFoundError):
        commit(catalog, source, late)
    assert late.discarded == 1


def set_property(
    key: str, value: str
) -> Callable[[Source], tuple[tuple[TableUpdate, ...], tuple[TableRequirement, ...]]]:
    def propose(
        source: Source,
    ) -> tuple[tuple[TableUpdate, ...], tuple[TableRequirement, ...]]:
        if source.metadata.properties.get(key) == value:
            return (), ()
        uuid = source.metadata.table_uuid
        return (SetPropertiesUpdate(updates={key: value}),), (AssertTableUUID(uuid=uuid),)

    return propose


def test_a_change_without_a_snapshot(catalog: IcebergCatalog) -> None:
    source = new_table(catalog)
    uuid = str(source.metadata.table_uuid)
    done = catalog.commits.change(NAME, uuid, set_property("colour", "red"))
    assert head(catalog).metadata is done.metadata
    assert done.metadata.properties["colour"] == "red"
    assert done.metadata.current_snapshot() is None
    before = metadata_files(source)
    catalog.commits.change(NAME, uuid, set_property("colour", "red"))
    assert metadata_files(source) == before


def test_a_property_that_is_gone_already_can_be_removed(catalog: IcebergCatalog) -> None:
    source = new_table(catalog, properties={"colour": "red"})
    uuid = source.metadata.table_uuid
    removal = RemovePropertiesUpdate(removals=["colour", "size", "colour"])
    done = catalog.commits.change(
        NAME, str(uuid), lambda _: ((removal,), (AssertTableUUID(uuid=uuid),))
    )
    assert "colour" not in done.metadata.properties


def race(tmp_path: Path, writers: int, commits: int) -> list[int]:
    """So many processes at once; what is there in the end."""
    with IcebergCatalog(embedded(tmp_path)) as catalog:
        new_table(catalog)
        command = [sys.executable, "-c", _WRITER, str(tmp_path)]
        running = [
            subprocess.Popen(
                [*command, str(writer), str(commits)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for writer in range(writers)
        ]
        for process in running:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in running:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in running:
            process.communicate()
        assert [process.returncode for process in running] == [0] * writers
        assert len(metadata_files(head(catalog))) >= 2 * writers * commits
        return ids_in(catalog)


def test_processes_that_race_all_come_through(tmp_path: Path) -> None:
    expected = [writer * 100 + step for writer in range(2) for step in range(6)]
    assert race(tmp_path, 2, 6) == expected


@pytest.mark.long
def test_eight_processes_with_ten_commits_each_all_come_through(tmp_path: Path) -> None:
    expected = [writer * 100 + step for writer in range(8) for step in range(10)]
    assert race(tmp_path, 8, 10) == expected


@pytest.mark.parametrize("moved", [True, False], ids=["expired", "damaged"])
def test_a_missing_file_is_damage_only_if_the_table_stayed_as_it_was(
    catalog: IcebergCatalog, *, moved: bool
) -> None:
    source = new_table(catalog)
    effect = Effect(rows=1, added=(write_rows(source, [1]),))

    def prepare(given: Head) -> Effect:
        if given.snapshot is None:
            if moved:
                commit(catalog, source, insert(source, [2]))
            message = "data file `x` is missing"
            raise CorruptDataError(message)
        return effect

    statement = Statement(prepare)
    if moved:
        commit(catalog, source, statement)
        assert ids_in(catalog) == [1, 2]
    else:
        with pytest.raises(CorruptDataError):
            commit(catalog, source, statement)
        assert statement.discarded == 1
