"""A daemon from its start to its end, by command and by force."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from lakeport.app.project.daemon import (
    daemon_status,
    place_of,
    start_daemon,
    stop_daemon,
)
from lakeport.app.settings import Settings
from lakeport.app.spark import spark_options
from lakeport.core.errors import PreconditionError, UnavailableError
from lakeport.pipeline.session.daemon import Record, join, start
from lakeport.pipeline.session.daemon.locks import free_within, take
from lakeport.pipeline.session.daemon.record import write
from tests.spark.daemon.conftest import Project

PROGRAM = str(Path(sys.executable).with_name("lakeport"))
_PATIENCE = 60.0


def lakeport(settings: Settings, *words: str) -> subprocess.Popen[str]:
    line = [PROGRAM, "--project", str(settings.root), *words, "--json"]
    return subprocess.Popen(line, stdout=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen[str]) -> tuple[int, dict[str, object]]:
    told, _ = process.communicate()
    return process.returncode, json.loads(told)


def begun(settings: Settings, idle_seconds: float | None = None) -> Record:
    """Without the rows that `start_daemon` writes, to be quicker."""
    return start(place_of(settings), spark_options(settings), idle_seconds).record


def ended(process: int) -> bool:
    """Whether a process that is not ours is gone within a minute."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@contextmanager
def somebody() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has nothing to do with it."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_two_that_start_it_at_once_get_one_and_stop_ends_it(project: Project) -> None:
    settings = project()
    code, told = answer(lakeport(settings, "daemon", "status"))
    assert (code, told["state"]) == (1, "not running")
    both = [lakeport(settings, "daemon", "start") for _ in range(2)]
    answers = [answer(each) for each in both]
    assert [code for code, _ in answers] == [0, 0]
    assert sorted(str(told["state"]) for _, told in answers) == ["running", "started"]
    (pid,) = {told["pid"] for _, told in answers}
    record = place_of(settings).running()
    assert record is not None
    assert record.pid == pid
    code, told = answer(lakeport(settings, "daemon", "status"))
    assert (code, told["state"], told["pid"]) == (0, "running", pid)
    assert record.token not in json.dumps(told)
    code, told = answer(lakeport(settings, "daemon", "stop"))
    assert (code, told["state"], told["pid"]) == (0, "stopped", pid)
    assert ended(record.pid)
    assert ended(record.java_pid)
    assert not place_of(settings).record.exists()
    assert answer(lakeport(settings, "daemon", "stop")) == (
        0,
        told | {"state": "not running", "pid": None},
    )


@pytest.mark.long
def test_other_settings_replace_it_unless_somebody_works_with_it(project: Project) -> None:
    first = begun(project())
    other = project(pipeline__spark__master="local[1]")
    place = place_of(other)
    with (
        take(place.users, shared=True),
        pytest.raises(PreconditionError, match="is being used") as refused,
    ):
        begun(other)
    assert "lakeport daemon stop" in (refused.value.hint or "")
    assert daemon_status(project()).pid == first.pid
    replaced = start_daemon(other)
    assert replaced.state == "replaced"
    assert replaced.pid != first.pid
    assert ended(first.pid)
    assert ended(first.java_pid)
    assert daemon_status(other).matches is True


def test_one_that_is_killed_takes_its_jvm_along_and_is_not_missed(project: Project) -> None:
    settings = project()
    place, options = place_of(settings), spark_options(settings)
    record = begun(settings)
    spark = join(place, options)
    assert spark is not None
    with spark:
        session = spark.fresh()
        os.kill(record.pid, signal.SIGKILL)
        assert ended(record.java_pid)
        with pytest.raises(Exception, match="UNAVAILABLE") as cut:
            session.sql("SELECT 1").collect()
        gone = spark.gone(cut.value)
        assert gone is not None
        assert gone.message == f"the Spark daemon (process {record.pid}) is gone"
    assert daemon_status(settings).state == "not running"
    assert place.record.exists()  # nobody was there to remove it
    assert join(place, options) is None
    assert stop_daemon(settings).state == "not running"
    assert not place.record.exists()


def test_one_whose_jvm_is_killed_ends_and_says_so(project: Project) -> None:
    settings = project()
    place = place_of(settings)
    record = begun(settings)
    os.kill(record.java_pid, signal.SIGKILL)
    assert free_within(place.alive, _PATIENCE)
    assert not place.record.exists()
    assert "the daemon ends: Spark's JVM was killed by signal 9" in place.log.read_text()
    assert daemon_status(settings).state == "not running"


@pytest.mark.long
def test_one_that_nobody_uses_ends_itself(project: Project) -> None:
    settings = project()
    place, options = place_of(settings), spark_options(settings)
    place.make()
    with take(place.users, shared=True):  # a busy machine may take longer than that to join it
        begun(settings, idle_seconds=1.0)
        spark = join(place, options)
    assert spark is not None
    with spark:
        assert not free_within(place.alive, 3.0)
    assert free_within(place.alive, _PATIENCE)
    assert not place.record.exists()
    assert "nobody has worked with it for 1 seconds" in place.log.read_text()


def test_a_process_that_got_the_number_of_a_dead_one_is_left_alone(project: Project) -> None:
    settings = project()
    place = place_of(settings)
    place.make()
    with somebody() as other:
        stale = Record(
            pid=other.pid,
            java_pid=other.pid,
            port=1,
            token="t",  # noqa: S106
            fingerprint="f",
            spark="4.1.4",
            lakeport="0",
            java="17",
            is_local=True,
            started=0.0,
            idle_seconds=None,
        )
        write(place.record, stale)
        assert daemon_status(settings).state == "not running"
        assert stop_daemon(settings).state == "not running"
        assert other.poll() is None
    assert not place.record.exists()


@pytest.mark.parametrize("text", [b"", b"{", b'{"pid": 1}', b"\xff"])
def test_a_record_that_cannot_be_read_is_none(project: Project, text: bytes) -> None:
    settings = project()
    place = place_of(settings)
    place.make()
    place.record.write_bytes(text)
    assert daemon_status(settings).state == "not running"
    assert join(place, spark_options(settings)) is None
    assert stop_daemon(settings).state == "not running"
    assert not place.record.exists()


def test_why_it_cannot_start_is_told_and_nothing_is_left(project: Project) -> None:
    settings = project(pipeline__java_home="/nowhere")
    place = place_of(settings)
    with pytest.raises(UnavailableError, match=r"/nowhere .* has no bin/java") as refused:
        begun(settings)
    assert "install Java" in (refused.value.hint or "")
    assert free_within(place.alive, _PATIENCE)
    assert not place.record.exists()


def test_one_that_cannot_speak_is_told_by_its_log(project: Project) -> None:
    """A setting that Spark refuses in the middle of its start."""
    settings = project()
    broken = replace(
        spark_options(settings),
        conf={"spark.driver.memory": "1g", "spark.plugins": "no.such.Plugin"},
    )
    with pytest.raises(UnavailableError, match=r"no\.such\.Plugin"):
        start(place_of(settings), broken, None)
    assert daemon_status(settings).state == "not running"


def test_what_is_told_between_processes_comes_back_the_same(project: Project) -> None:
    from lakeport.pipeline.session.daemon.order import Order  # noqa: PLC0415

    settings = project()
    order = Order(
        folder=settings.home, options=spark_options(settings), fingerprint="f", idle_seconds=None
    )
    assert msgspec.structs.asdict(Order.decode(order.encode())) == msgspec.structs.asdict(order)
