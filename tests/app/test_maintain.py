"""Maintaining tables: which ones, what is due, and that one's trouble is not another's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import lakeport
from lakeport.app.initialize import initialize
from lakeport.app.lake.lake import Lake
from lakeport.app.maintain import (
    Report,
    choose_tables,
    maintain_tables,
    policy_of,
    require_own_upkeep,
)
from lakeport.app.settings import Maintenance, Settings
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import DynamicCatalog, DynamicNamespace, NamespaceInfo, require
from lakeport.catalog.statements import insert_rows
from lakeport.catalog.upkeep import DAY, Compacted, Expired, Policy, Task
from lakeport.core.errors import NotFoundError, UnsupportedError
from tests.app.conftest import Read
from tests.lakes.lake import Lake as HandMade
from tests.lakes.spark_tables import unpack_spark_table

SCHEMA = pa.schema([("k", pa.int64())])
EAGER = Policy(small_files=2, keep_snapshots=1, keep_for=0, orphan_grace=0)


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    """`shop.busy` has nine commits of a row each, `shop.calm` one, `work.empty` none."""
    initialize(tmp_path / "project")
    with lakeport.open(tmp_path / "project") as opened:
        for name, commits in (("shop.busy", 9), ("shop.calm", 1), ("work.empty", 0)):
            fill(opened, name, commits)
        yield opened


def fill(lake: Lake, name: str, commits: int) -> None:
    namespace, _, table = name.partition(".")
    catalog = require(lake.catalog, DynamicCatalog, "the catalog")
    if namespace not in {info.name for info in lake.namespaces()}:
        catalog.create_namespace(NamespaceInfo(namespace))
    made = require(lake.catalog.namespace(namespace), DynamicNamespace, "the namespace")
    port = made.create_table(table, Definition(SCHEMA))
    for k in range(commits):
        insert_rows(port, pa.table({"k": [k]}, SCHEMA))


def run(
    lake: Lake,
    *names: str,
    policy: Policy = EAGER,
    tasks: tuple[Task, ...] = tuple(Task),
    dry_run: bool = False,
) -> Report:
    chosen = choose_tables(lake.catalog, names)
    return maintain_tables(lake.catalog, chosen, tasks, policy, dry_run=dry_run, actor="anna")


def names_of(lake: Lake, *given: str) -> list[str]:
    return [chosen.name for chosen in choose_tables(lake.catalog, given)]


# -- which tables --------------------------------------------------------------------------------


def test_tables_are_chosen_by_name_by_pattern_or_all(lake: Lake) -> None:
    assert names_of(lake) == ["shop.busy", "shop.calm", "work.empty"]
    assert names_of(lake, "SHOP.Calm") == ["shop.calm"]
    assert names_of(lake, "shop.*") == ["shop.busy", "shop.calm"]
    assert names_of(lake, "*.?????", "shop.c*", "shop.busy") == [
        "shop.busy",
        "shop.calm",
        "work.empty",
    ]


@pytest.mark.parametrize("given", ["shop.bsy", "nothing.*"])
def test_a_name_that_means_nothing_is_an_error_that_says_what_there_is(
    lake: Lake, given: str
) -> None:
    with pytest.raises(NotFoundError) as caught:
        names_of(lake, given)
    assert "shop.busy" in (caught.value.hint or "")


# -- what is done --------------------------------------------------------------------------------


def test_what_is_due_is_done_and_measured(lake: Lake) -> None:
    busy, calm, empty = run(lake).tables
    assert [(task.task, task.due) for task in busy.tasks] == [
        ("expire", True),
        ("compact", True),
        ("manifests", False),
        ("orphans", False),
    ]
    expired, compacted = busy.tasks[0].done, busy.tasks[1].done
    assert isinstance(expired, Expired)
    assert expired.snapshots == 8
    assert isinstance(compacted, Compacted)
    assert (compacted.rewritten, compacted.written) == (9, 1)
    assert busy.before is not None
    assert busy.after is not None
    assert (busy.before.snapshots, busy.before.data_files, busy.before.manifests) == (9, 9, 9)
    assert (busy.after.snapshots, busy.after.data_files, busy.after.manifests) == (2, 1, 1)
    assert busy.after.bytes < busy.before.bytes
    for quiet in (calm, empty):
        assert quiet.after is None
        assert not any(task.done for task in quiet.tasks)
    table = lake.table("shop.busy")
    assert sorted(row["k"] for row in table.scan().read_all().to_pylist()) == list(range(9))
    summary = table.history()[-1].summary
    assert (summary["lakeport.actor"], summary["lakeport.statement"]) == (
        "anna",
        "maintain: compact",
    )


def test_a_rehearsal_says_the_same_and_changes_nothing(lake: Lake) -> None:
    before = lake.table("shop.busy").history()
    report = run(lake, "shop.busy", dry_run=True)
    (busy,) = report.tables
    assert [task.due for task in busy.tasks] == [True, True, False, False]
    assert not any(task.done for task in busy.tasks)
    assert (report.dry_run, busy.after) == (True, None)
    assert lake.table("shop.busy").history() == before


def test_only_the_tasks_that_were_asked_for_are_looked_at(lake: Lake) -> None:
    (busy,) = run(lake, "shop.busy", tasks=(Task.COMPACT,)).tables
    assert [task.task for task in busy.tasks] == ["compact"]
    assert len(lake.table("shop.busy").history()) == 10


def test_force_does_what_is_not_due(lake: Lake) -> None:
    (busy,) = run(lake, "shop.busy", policy=Policy(), tasks=(Task.MANIFESTS,)).tables
    assert busy.tasks[0].done is None
    (busy,) = run(lake, "shop.busy", policy=Policy(force=True), tasks=(Task.MANIFESTS,)).tables
    assert busy.after is not None
    assert busy.after.manifests == 1
    (busy,) = run(lake, "shop.busy", policy=Policy(force=True), tasks=(Task.MANIFESTS,)).tables
    assert (busy.tasks[0].has_changed, busy.after) == (False, None)


# -- what cannot be done -------------------------------------------------------------------------


def test_a_table_of_another_format_is_skipped_unless_it_was_named(tmp_path: Path) -> None:
    made = HandMade(tmp_path)
    unpack_spark_table(made, "vectors")
    with IcebergCatalog(made.profile) as catalog:
        report = run(Lake(catalog))
        assert not report.has_problems
        assert "read-only" in (report.tables[0].skipped or "")
        named = run(Lake(catalog), "spark.vectors")
        assert named.has_problems
        assert "read-only" in (named.tables[0].problem or "")


def test_a_damaged_table_does_not_keep_the_others_from_their_turn(
    lake: Lake, tmp_path: Path
) -> None:
    for path in tmp_path.rglob("snap-*.avro"):
        if "calm" in str(path):
            path.write_bytes(b"no Avro")
    report = run(lake, tasks=(Task.EXPIRE, Task.COMPACT))
    busy, calm, _ = report.tables
    assert report.has_problems
    assert "damaged" in (calm.problem or "")
    assert busy.problem is None
    assert busy.after is not None


def test_a_storage_without_files_needs_no_upkeep() -> None:
    lake = Lake(MemoryCatalog("lake"))
    fill(lake, "s.t", 1)
    assert "cannot be maintained" in (run(lake).tables[0].skipped or "")


# -- settings ------------------------------------------------------------------------------------


def test_settings_become_the_policy(read: Read) -> None:
    assert policy_of(Maintenance()) == Policy()
    settings = read("[maintenance]\nkeep_days = 0.5\nsmall_files = 3\norphan_days = 4\n")
    policy = policy_of(settings.maintenance, force=True)
    assert (policy.keep_for, policy.small_files, policy.orphan_grace, policy.force) == (
        DAY // 2,
        3,
        4 * DAY,
        True,
    )
    assert policy_of(settings.maintenance, grace=7).orphan_grace == 7


def test_a_catalog_that_maintains_itself_is_left_alone(read: Read) -> None:
    require_own_upkeep(read())
    settings: Settings = read(
        '[catalog]\ntype = "rest"\nuri = "https://s3tables.eu-west-1.amazonaws.com/iceberg"\n'
    )
    with pytest.raises(UnsupportedError, match="itself"):
        require_own_upkeep(settings)
