"""Lakes that are written through a daemon: found by itself, its owner's only, nothing can be dropped."""

from __future__ import annotations

import gc
import logging
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import lakeport
from lakeport.app.lake.lake import Lake
from lakeport.app.project.daemon import daemon_status, open_spark, place_of, start_daemon
from lakeport.app.settings import Settings, load
from lakeport.app.spark import spark_options
from lakeport.core.errors import ConfigurationError, PreconditionError, UnavailableError
from lakeport.pipeline.session import adopt, said, start_spark
from lakeport.pipeline.session.daemon import join
from lakeport.pipeline.session.daemon.join import DaemonSpark
from lakeport.pipeline.session.daemon.locks import is_shared
from lakeport.pipeline.staging import STAGING
from lakeport.pipeline.writing import Point, Progress
from tests.spark.daemon.figures import both

OWN = "no bin/java|Spark runs already in this process"
"""Why a Spark of its own cannot start here: that it was tried is what is to be seen."""


@pytest.fixture
def lake(warm: Settings) -> Iterator[Lake]:
    with lakeport.open(warm.root) as opened:
        yield opened


def rows(lake: Lake, table: str) -> list[tuple[object, ...]]:
    with lake.table(table).scan() as found:
        return sorted((tuple(row.values()) for row in found.read_all().to_pylist()), key=repr)


def test_a_lake_finds_it_and_stages_rows_as_checkpoints(lake: Lake) -> None:
    staged: list[list[str]] = []

    def observe(seen: Progress) -> None:
        if seen.point is Point.STAGED:
            staged.append([name for name in lake.tables() if name.startswith(STAGING)])

    lake.write("SELECT 1L AS k, 'a' AS name", into="found.t", unique_key="k", observe=observe)
    frame = lake.spark().sql("SELECT k, 10 AS v FROM found.t")
    lake.write(frame, into="found.t", unique_key="k", observe=observe)
    lake.write(pa.table({"k": [9]}), into="found.t", unique_key="k")
    assert isinstance(lake.pipeline().spark(), DaemonSpark)
    assert staged == [[], []]
    assert rows(lake, "found.t") == [(1, None, 10), (9, None, None)]


def test_a_session_of_it_that_is_adopted_is_known_to_be_one_jvm(lake: Lake) -> None:
    spark = adopt(lake.spark(), lake.pipeline().spark().log)
    assert (spark.is_connect, spark.is_local) == (True, True)


def test_a_run_that_is_repeated_by_the_next_process_writes_nothing(warm: Settings) -> None:
    made = []
    for _ in range(2):
        with lakeport.open(warm.root) as lake:
            made.append(lake.write("SELECT 1 AS k", into="again.t", run_id="r1"))
    assert [each.repeated for each in made] == [False, True]


def test_what_takes_columns_away_is_refused_at_the_door(lake: Lake) -> None:
    lake.write("SELECT 1 AS k, 'x' AS note", into="kept.t")
    session = lake.spark()
    with pytest.raises(Exception, match="would be dropped") as refused:
        session.sql("ALTER TABLE kept.t DROP COLUMN note")
    assert said(refused.value).startswith("Malformed request: column `note` would be dropped")
    assert rows(lake, "kept.t") == [(1, "x")]


def test_it_is_in_use_as_long_as_a_lake_works_with_it(warm: Settings) -> None:
    users = place_of(warm).users
    with lakeport.open(warm.root) as lake:
        session = lake.spark()
        assert is_shared(users)
        assert daemon_status(warm).used is True
    assert not is_shared(users)
    assert daemon_status(warm).used is False
    with pytest.raises(Exception, match="NO_ACTIVE_SESSION"):
        session.sql("SELECT 1").collect()
    gc.collect()


def test_nobody_gets_in_without_its_token(warm: Settings) -> None:
    place = place_of(warm)
    record = place.running()
    assert record is not None
    stranger = replace(spark_options(warm), connect=record.address, conf={})
    with pytest.raises(UnavailableError, match="gives no session") as refused:
        start_spark(stranger)
    assert record.token not in str(refused.value)
    assert record.token not in repr(record)
    assert record.token not in repr(daemon_status(warm))
    assert stat.S_IMODE(place.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(place.record.stat().st_mode) == 0o600


def test_its_token_and_its_settings_are_in_no_command_line(warm: Settings) -> None:
    record = place_of(warm).running()
    assert record is not None
    for process in (record.pid, record.java_pid):
        line = Path(f"/proc/{process}/cmdline").read_bytes()
        assert record.token.encode() not in line
        assert b"shuffle.partitions" not in line


def test_a_second_start_finds_the_one_that_runs(warm: Settings) -> None:
    before = daemon_status(warm)
    again = start_daemon(warm)
    assert (before.state, before.matches) == ("running", True)
    assert (again.state, again.pid, again.address) == ("running", before.pid, before.address)


def test_other_settings_pass_it_over_with_a_line_in_the_log(
    warm: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    other = load(project=warm.root, flags={"pipeline.java_home": "/nowhere"})
    with caplog.at_level(logging.WARNING), pytest.raises(PreconditionError, match=OWN):
        open_spark(other)
    assert [line.message for line in caplog.records] == ["daemon.has_other_settings"]
    assert daemon_status(other).matches is False
    assert daemon_status(warm).matches is True


def test_never_passes_it_over_in_silence(warm: Settings, caplog: pytest.LogCaptureFixture) -> None:
    flags = {"pipeline.daemon.use": "never", "pipeline.java_home": "/nowhere"}
    with pytest.raises(PreconditionError, match=OWN):
        open_spark(load(project=warm.root, flags=flags))
    assert not caplog.records


def test_spark_that_is_elsewhere_needs_none(warm: Settings) -> None:
    elsewhere = load(project=warm.root, flags={"pipeline.spark.connect": "sc://far:1/;token=hush"})
    with pytest.raises(ConfigurationError, match="Spark runs at") as refused:
        start_daemon(elsewhere)
    assert "hush" not in str(refused.value)


def test_sessions_see_the_settings_it_was_started_with(warm: Settings) -> None:
    spark = join(place_of(warm), spark_options(warm))
    assert spark is not None
    with spark:
        assert spark.fresh().conf.get("spark.sql.shuffle.partitions") == "1"


def test_a_catalog_of_a_session_leaves_no_thread_pool_behind_when_that_ends(lake: Lake) -> None:
    """Iceberg makes one, with a hook that keeps the session, for every token it knows to be one."""
    conf = lake.spark().conf
    assert conf.get("spark.sql.catalog.lake.rest.auth.type") == "none"
    assert conf.get("spark.sql.catalog.lake.token", None) is None


@pytest.mark.parametrize("rows", [0, 1000])
def test_figures_of_rows_are_told_with_their_checkpoint(warm: Settings, rows: int) -> None:
    with open_spark(warm) as spark:
        passing, asked = both(spark.fresh(), rows)
    assert passing == asked
