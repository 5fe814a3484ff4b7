from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest

from tests.together import TOGETHER

SCRIPT = Path(__file__).parents[2] / "scripts" / "lanes.py"


@pytest.fixture(scope="module")
def lanes() -> ModuleType:
    spec = util.spec_from_file_location("lanes", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules["lanes"] = module
    spec.loader.exec_module(module)
    return module


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_every_command_of_a_lane_runs_and_failures_are_named(lanes: ModuleType) -> None:
    failing, passing = python("raise SystemExit(4)"), python("pass")
    (report,) = lanes.run_lanes([lanes.Lane("toy", (failing, passing), 60)])
    assert report.outcome == "failed"
    assert "raise SystemExit(4)" in report.reason
    assert "pass" not in report.reason


def test_a_lane_over_its_limit_is_killed_with_all_it_started(
    lanes: ModuleType, tmp_path: Path
) -> None:
    # The grandchild keeps a pipe open for as long as it lives: reading to the end proves it died.
    pipe = tmp_path / "alive"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    script = f"(echo started; exec sleep 600) > {pipe} & exec sleep 600"
    (report,) = lanes.run_lanes([lanes.Lane("slow", (("sh", "-c", script),), 2)])
    os.set_blocking(reader, True)
    with os.fdopen(reader) as alive:
        assert alive.read() == "started\n"
    assert report.outcome == "too slow"
    assert "over 2 s" in report.reason


def test_lanes_are_beside_each_other_and_what_each_says_stays_whole(
    lanes: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Each opens one end of two pipes and waits for who opens the other: alone it would wait for ever.
    there, back = tmp_path / "there", tmp_path / "back"
    os.mkfifo(there)
    os.mkfifo(back)
    first = f"print('a', flush=True); open({str(there)!r}); open({str(back)!r}, 'w'); print('b')"
    second = f"print('c', flush=True); open({str(there)!r}, 'w'); open({str(back)!r}); print('d')"
    both = [lanes.Lane(name, (python(code),), 60) for name, code in (("x", first), ("y", second))]
    reports = lanes.run_lanes(both, room=2)
    assert [(report.lane, report.outcome) for report in reports] == [
        ("x", "passed"),
        ("y", "passed"),
    ]
    told = capsys.readouterr().out
    assert "== lane x has ended ==\na\nb\n" in told
    assert "== lane y has ended ==\nc\nd\n" in told


def test_the_wide_lane_comes_first_and_then_the_longest(lanes: ModuleType, tmp_path: Path) -> None:
    log = tmp_path / "log"

    def lane(name: str, *, limit: float, width: int = 1) -> object:
        code = f"open({str(log)!r}, 'a').write({name!r})"
        return lanes.Lane(name, (python(code),), limit, width=width)

    lanes.run_lanes(
        [lane("c", limit=30), lane("b", limit=40), lane("a", limit=20, width=9)], room=1
    )
    assert log.read_text() == "abc"


def test_of_wide_lanes_there_is_one_at_a_time(lanes: ModuleType, tmp_path: Path) -> None:
    # Whoever finds the folder of the other there fails, and so does who cannot remove his own.
    code = f"import os; os.mkdir({str(tmp_path / 'here')!r}); os.rmdir({str(tmp_path / 'here')!r})"
    wide = [lanes.Lane(name, (python(code),) * 3, 60, width=2) for name in "abc"]
    assert {report.outcome for report in lanes.run_lanes(wide, room=9)} == {"passed"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_that_is_running(tmp_path: Path, number: int) -> None:
    pipe = tmp_path / "alive"
    os.mkfifo(pipe)
    code = (
        f"import runpy; lanes = runpy.run_path({str(SCRIPT)!r})\n"
        f"line = ('sh', '-c', 'exec > {pipe}; echo started; exec sleep 600')\n"
        "lanes['heed_signals']()\n"
        "lanes['run_lanes']([lanes['Lane'](name, (line,), 60) for name in 'ab'], room=2)"
    )
    with subprocess.Popen(python(code), stderr=subprocess.PIPE) as process:
        with pipe.open() as alive:
            assert alive.readline() == "started\n"
            process.send_signal(number)
            # It ends when nobody has it open any more.
            assert set(alive.read().split()) <= {"started"}
        assert process.stderr is not None
        assert b"KeyboardInterrupt" in process.stderr.read()


def test_a_missing_outside_thing_skips_its_lane_unless_it_is_required(lanes: ModuleType) -> None:
    lane = lanes.Lane("web", (python("raise SystemExit(1)"),), 60, needs=("browser",))
    probes = {"browser": lambda: "no chromium on the path"}
    (skipped,) = lanes.run_lanes([lane], probes=probes)
    assert (skipped.outcome, skipped.reason) == ("skipped", "browser: no chromium on the path")
    (failed,) = lanes.run_lanes([lane], probes=probes, required=frozenset({"browser"}))
    assert failed.outcome == "failed"


def test_the_summary_shows_each_lane_with_its_duration(lanes: ModuleType) -> None:
    reports = [
        lanes.Report("unit", "passed", 12.34),
        lanes.Report("web", "skipped", 0.0, "browser: none"),
    ]
    assert lanes.summarise(reports, 12.0).splitlines() == [
        "unit  passed       12.3 s",
        "web   skipped       0.0 s  browser: none",
        "      total        12.0 s",
    ]


def test_requiring_what_no_lane_needs_is_wrong_use(
    lanes: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAKEPORT_REQUIRE", "unicorns")
    assert lanes.main(["check"]) == 2
    assert lanes.main(["nonsense"]) == 2


ROOT = SCRIPT.parent.parent


def strays(lanes: ModuleType, group: str, tests: Iterable[Path]) -> list[str]:
    """The tests that no lane of this group runs."""
    words = [word for lane in lanes.LANES[group] for command in lane.commands for word in command]
    places = [ROOT / word for word in words if word.startswith("tests/")]
    return [
        path.relative_to(ROOT).as_posix()
        for path in tests
        if not any(path.is_relative_to(place) for place in places)
    ]


def test_every_test_belongs_to_a_lane(lanes: ModuleType) -> None:
    assert strays(lanes, "test", (ROOT / "tests").rglob("test_*.py")) == []


def test_every_long_test_belongs_to_a_long_lane(lanes: ModuleType) -> None:
    marked = re.compile(r"^@pytest\.mark\.long$", re.MULTILINE)
    tests = [
        path for path in (ROOT / "tests").rglob("test_*.py") if marked.search(path.read_text())
    ]
    assert tests
    assert strays(lanes, "long", tests) == []


def test_what_stays_together_is_in_a_lane_that_asks_for_it(lanes: ModuleType) -> None:
    places = [
        ROOT / word
        for lane in lanes.LANES["test"]
        for command in lane.commands
        if "loadgroup" in command
        for word in command
        if word.startswith("tests/")
    ]
    for name in TOGETHER:
        assert (ROOT / name).exists(), name
        assert any((ROOT / name).is_relative_to(place) for place in places), name
