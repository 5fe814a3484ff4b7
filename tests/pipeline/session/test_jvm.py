from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from lakeport.core.errors import UnavailableError
from lakeport.pipeline.session.jvm import Gateway, Jvm, open_log
from tests.pipeline.session.programs import LIVE, UP, make_java


def started(folder: Path, then: str) -> Jvm:
    program = make_java(folder / "jdk", then=then) / "bin" / "java"
    return Jvm([str(program), "-cp", "x"], os.environ, folder, folder / "logs" / "spark.log")


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_tells_where_it_listens_and_ends_when_it_is_closed(tmp_path: Path) -> None:
    with started(tmp_path, UP + LIVE) as jvm:
        assert jvm.gateway() == Gateway(4321, "hushed")
        assert is_there(jvm.process_id)
    assert not is_there(jvm.process_id)


def test_its_secret_shows_in_no_text() -> None:
    assert "hushed" not in repr(Gateway(1, "hushed"))


def test_what_it_prints_goes_to_the_log(tmp_path: Path) -> None:
    talk = "print('one', flush=True); print('two', file=sys.stderr)"
    with started(tmp_path, f"{talk}\n{UP}{LIVE}") as jvm:
        jvm.gateway()
    assert (tmp_path / "logs" / "spark.log").read_text().split() == ["one", "two"]


_THROWN = r"""
print("WARNING: Using incubator modules", file=sys.stderr)
print('Exception in thread "main" org.apache.spark.SparkException: Could not parse Master URL: x',
      "\tat org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)", sep="\n", file=sys.stderr)
sys.exit(1)
"""
_CRASHED = r"""
print("#", "# A fatal error has been detected by the Java Runtime Environment:", "#",
      "#  SIGBUS (0x7) at pc=0x00007f718debc53d, pid=18155, tid=18156", "#", sep="\n")
os.abort()
"""
_REFUSED = 'print("WARNING: a", "Invalid maximum heap size: -Xmxlots", sep="\\n"); sys.exit(1)'


@pytest.mark.parametrize(
    ("then", "reason"),
    [
        (_THROWN, ": Could not parse Master URL: x"),
        (_REFUSED, ": Invalid maximum heap size: -Xmxlots"),
        (_CRASHED, ": Java itself crashed, SIGBUS"),
        ("sys.exit(1)", ""),
    ],
)
def test_one_that_ends_early_says_why_in_one_sentence(
    tmp_path: Path, then: str, reason: str
) -> None:
    with started(tmp_path, then) as jvm, pytest.raises(UnavailableError) as refused:
        jvm.gateway()
    assert refused.value.message == f"Spark's JVM ended before it was up{reason}"
    assert str(tmp_path / "logs" / "spark.log") in (refused.value.hint or "")


def test_words_of_an_earlier_one_are_not_taken_for_its_own(tmp_path: Path) -> None:
    with open_log(tmp_path / "logs" / "spark.log") as log:
        log.write(b'Exception in thread "main" x.Y: long ago\n')
    with started(tmp_path, "sys.exit(1)") as jvm, pytest.raises(UnavailableError) as refused:
        jvm.gateway()
    assert "long ago" not in refused.value.message


def test_one_that_was_killed_can_still_be_closed(tmp_path: Path) -> None:
    with started(tmp_path, UP + LIVE) as jvm:
        jvm.gateway()
        os.kill(jvm.process_id, signal.SIGKILL)
    assert not is_there(jvm.process_id)


def test_one_that_does_not_end_is_killed(tmp_path: Path) -> None:
    jvm = started(tmp_path, UP + "while True: import time; time.sleep(60)")
    jvm.gateway()
    assert not jvm.end(0.0)
    assert not is_there(jvm.process_id)


def test_ctrl_c_reaches_python_alone(tmp_path: Path) -> None:
    with started(tmp_path, UP + LIVE) as jvm:
        jvm.gateway()
        assert os.getpgid(jvm.process_id) != os.getpgid(0)


def test_a_long_log_is_put_aside(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    with log.open("wb") as out:
        out.truncate((16 << 20) + 1)
    with open_log(log) as out:
        out.write(b"new")
    assert log.read_bytes() == b"new"
    assert (tmp_path / "spark.old.log").stat().st_size > 16 << 20
