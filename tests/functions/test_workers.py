"""Functions in processes of their own: whatever they do, the caller is told and the next call works."""

from __future__ import annotations

import logging
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.functions import (
    InOutFunction,
    MeasuredFunction,
    ScalarFunction,
    Stability,
    TableFunction,
)
from lakeport.catalog.ports import ColumnStatistics, ScanRequest
from lakeport.core.errors import (
    CancelledError,
    DeadlineError,
    FunctionError,
    InvalidRequestError,
    LakeportError,
    LimitError,
    UnavailableError,
)
from lakeport.core.request import Request, serving
from lakeport.functions.workers.messages import Load
from lakeport.functions.workers.pool import Pool
from tests.functions.rows import batch, called, nothing, poured, read

Functions = Mapping[str, Any]

DOINGS: dict[str, tuple[type[LakeportError], str]] = {
    "raises": (FunctionError, "function `hostile.raises` raised LookupError: no 1"),
    "refuses": (InvalidRequestError, "raised ValueError: only positive numbers"),
    "leaves": (FunctionError, "raised SystemExit: 3"),
    "ends": (FunctionError, "function `hostile.ends` ended its process (exit code 3)"),
    "crashes": (FunctionError, "ended its process (signal SIGSEGV)"),
    "loops": (DeadlineError, "function `hostile.loops` ran longer than 0.5 s"),
    "sleeps": (DeadlineError, "function `hostile.sleeps` ran longer than 0.5 s"),
    "recurses": (FunctionError, "raised RecursionError"),
    "lies": (FunctionError, "function `hostile.lies` declares int64 and gave"),
    "shortens": (FunctionError, "function `hostile.shortens` gave 0 values for 1 rows"),
    "forks_and_ends": (FunctionError, "ended its process (exit code 5)"),
}


@pytest.mark.parametrize("name", DOINGS)
def test_what_a_function_does_is_told_and_the_next_call_works(
    hostile: Functions, name: str
) -> None:
    kind, told = DOINGS[name]
    with pytest.raises(kind) as failed:
        called(hostile[name], x=[1])
    assert told in failed.value.message
    assert "Traceback" not in str(failed.value)
    assert called(hostile["double"], x=[21]) == [42]


def test_memory_beyond_the_limit_is_refused_and_less_is_not(hostile: Functions) -> None:
    assert called(hostile["swells"], megabytes=[50]) == [50 << 20]
    with pytest.raises(LimitError, match="needed more memory than 256 MB"):
        called(hostile["swells"], megabytes=[2_000])
    assert called(hostile["swells"], megabytes=[50]) == [50 << 20]


def test_a_result_that_is_too_large_is_refused(hostile: Functions) -> None:
    with pytest.raises(LimitError, match="gave 3 MB in one piece, more than 1 MB"):
        called(hostile["pours"], megabytes=[3])


def test_what_a_function_keeps_is_gone_before_the_next_one_misses_it(hostile: Functions) -> None:
    pids = [called(hostile["keeps"], megabytes=[250])[0] for _ in range(2)]
    assert len(set(pids)) == 2


def test_a_function_that_writes_into_our_pipes_is_stopped(hostile: Functions) -> None:
    with pytest.raises(LakeportError, match=r"hostile\.babbles"):
        called(hostile["babbles"], x=[1])
    assert called(hostile["double"], x=[1]) == [2]


def test_a_process_that_a_function_forks_off_never_answers(hostile: Functions) -> None:
    for _ in range(3):
        assert called(hostile["forks"], x=[1, 2]) == [1, 2]


def test_functions_run_elsewhere_and_processes_are_used_again(hostile: Functions) -> None:
    pids = {hostile["process"].call(nothing()).to_pylist()[0] for _ in range(5)}
    assert len(pids) < 5
    assert os.getpid() not in pids


def test_a_worker_knows_for_whom_it_works(hostile: Functions) -> None:
    with serving(Request("ada", "lake")):
        assert hostile["caller"].call(nothing()).to_pylist() == ["ada"]
    assert hostile["caller"].call(nothing()).to_pylist() == [None]


def test_what_a_function_prints_and_logs_is_in_the_log_with_its_name(hostile: Functions) -> None:
    assert printed(hostile, 7) == [
        ("hostile.prints", "WARNING mine: logged 7"),
        ("hostile.prints", "printed 7"),
    ]


@pytest.mark.parametrize(
    ("name", "keeps_its_process"),
    [("closes_stdout", True), ("replaces_stdout", True), ("closes_stdout_for_good", False)],
)
def test_what_a_function_does_to_its_output_is_its_own(
    hostile: Functions, name: str, *, keeps_its_process: bool
) -> None:
    (before,) = hostile["process"].call(nothing()).to_pylist()
    assert called(hostile[name], x=[1]) == [1]
    (after,) = hostile["process"].call(nothing()).to_pylist()
    assert (before == after) is keeps_its_process
    assert [text for _, text in printed(hostile, 8)] == ["WARNING mine: logged 8", "printed 8"]


def printed(hostile: Functions, number: int) -> list[tuple[str, str]]:
    """What the log has, in order of the alphabet: two pipes are read by two threads."""
    lines: queue.Queue[tuple[str, str]] = queue.Queue()

    class Passes(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.put((vars(record)["function"], vars(record)["text"]))

    logger = logging.getLogger("lakeport.functions.workers.said")
    passes, level = Passes(), logger.level
    logger.addHandler(passes)
    logger.setLevel(logging.INFO)
    try:
        called(hostile["prints"], x=[number])
        return sorted(lines.get(timeout=30) for _ in range(2))
    finally:
        logger.setLevel(level)
        logger.removeHandler(passes)


def test_what_a_function_raised_is_in_the_log_with_its_lines(
    hostile: Functions, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(FunctionError):
        called(hostile["raises"], x=[1])
    (record,) = [each for each in caplog.records if each.getMessage() == "function.raised"]
    assert "hostile.py" in vars(record)["trace"]


def test_functions_are_described_without_their_code(hostile: Functions) -> None:
    assert isinstance(hostile["double"], ScalarFunction)
    assert isinstance(hostile["numbers"], TableFunction)
    assert isinstance(hostile["echo"], InOutFunction)
    assert hostile["double"].signature.description == "Twice."
    assert hostile["double"].stability is Stability.CONSISTENT
    assert not hostile["double"].takes_nulls
    assert hostile["numbers"].returns == pa.schema([("n", pa.int64())])
    assert hostile["echo"].returns is None


# -- tables ----------------------------------------------------------------------------------------


def test_a_table_is_read_from_a_worker(hostile: Functions) -> None:
    assert hostile["numbers"].bind(batch(count=[3], step=[None])).rows == 3
    assert read(hostile["numbers"], count=3, step=2) == [{"n": 0}, {"n": 2}, {"n": 4}]
    limited = ScanRequest(columns=("n",), limit=1)
    assert read(hostile["numbers"], limited, count=3, step=None) == [{"n": 0}]


def test_a_table_that_stops_giving_rows_is_stopped(hostile: Functions) -> None:
    bound = hostile["stalls"].bind(batch(after=[2]))
    with bound.open(ScanRequest()) as stream:
        assert [next(stream).num_rows, next(stream).num_rows] == [1, 1]
        with pytest.raises(DeadlineError, match=r"`hostile\.stalls` ran longer than 3 s"):
            next(stream)


def test_rows_that_were_not_declared_are_refused(hostile: Functions) -> None:
    with pytest.raises(FunctionError, match="declares the column `n` and gave `m`"):
        read(hostile["breaks"])


def test_closing_a_stream_stops_the_work_for_it(hostile: Functions) -> None:
    stream = hostile["blocks"].bind(batch()).open(ScanRequest())
    next(stream)
    raised: list[BaseException] = []

    def wait() -> None:
        try:
            next(stream, None)
        except CancelledError as error:
            raised.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    stream.close()
    waiting.join(60)
    assert not waiting.is_alive()
    assert called(hostile["double"], x=[1]) == [2]


def test_half_read_streams_give_their_worker_back(hostile: Functions) -> None:
    for _ in range(5):
        with (
            hostile["numbers"].bind(batch(count=[10**9], step=[None])).open(ScanRequest()) as stream
        ):
            assert next(stream).num_rows == 1


def test_slow_readers_leave_a_worker_to_scalar_functions_and_are_refused_beyond(
    hostile: Functions,
) -> None:
    bound = hostile["numbers"].bind(batch(count=[10], step=[None]))
    with bound.open(ScanRequest()) as first, bound.open(ScanRequest()) as second:
        assert next(first).num_rows == next(second).num_rows == 1
        assert called(hostile["double"], x=[4]) == [8]


def test_who_finds_all_workers_busy_is_told_so() -> None:
    load = Load("/nowhere", "/nowhere/functions", ())
    with Pool(load, 1, wait_seconds=0.01) as pool:
        worker = pool.lend()
        with pytest.raises(LimitError, match="all 1 processes for functions are busy"):
            pool.lend()
        pool.returned(worker)
        with pool.borrowed() as again:
            assert again is worker


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux lists what is open")
def test_a_process_that_cannot_be_started_leaves_nothing_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    before = len(list(Path("/proc/self/fd").iterdir()))
    with Pool(Load("/nowhere", "/nowhere/functions", ()), 1) as pool:
        for _ in range(20):
            with pytest.raises(UnavailableError, match="could not be started"):
                pool.lend()
    left = len(list(Path("/proc/self/fd").iterdir())) - before
    assert left < 20  # workers of other tests come and go


def test_bounds_of_columns_come_from_a_worker(hostile: Functions) -> None:
    assert isinstance(hostile["measured"], MeasuredFunction)
    assert not isinstance(hostile["numbers"], MeasuredFunction)
    assert hostile["measured"].statistics("n") == ColumnStatistics(
        minimum=pa.scalar(0, pa.int64()), has_null=False
    )


# -- functions of a table --------------------------------------------------------------------------


def test_rows_go_through_a_worker_and_state_stays_in_it(hostile: Functions) -> None:
    rows = pa.record_batch({"n": [1, 2, 3]})
    assert poured(hostile["echo"], rows) == ([[{"n": 1}, {"n": 2}, {"n": 3}]], [])
    assert poured(hostile["Total"], rows, rows, start=10) == ([[], []], [{"total": 16}])


def test_two_calls_at_once_have_a_state_each(hostile: Functions) -> None:
    rows = pa.record_batch({"n": [1]})
    first = hostile["Total"].start(batch(start=[0]), rows.schema)
    second = hostile["Total"].start(batch(start=[100]), rows.schema)
    for call in (first, second, first):
        assert list(call.process(rows)) == []
    totals = [made.to_pylist() for call in (first, second) for made in call.finish()]
    first.close()
    second.close()
    assert totals == [[{"total": 2}], [{"total": 101}]]


# -- the end ---------------------------------------------------------------------------------------

SERVER = """
import sys
from pathlib import Path
from lakeport.functions.project import Options, ProjectFunctions
from tests.functions.rows import nothing

folder = Path(sys.argv[1])
functions = ProjectFunctions(folder, folder / "modules", Options(workers=1))
(process,) = [f for f in functions.functions("hostile") if f.signature.name == "process"]
print(process.call(nothing()).to_pylist()[0], flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a stranger ends")
def test_workers_end_with_the_server_even_if_that_is_killed() -> None:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here.parents[1]), *filter(None, sys.path)])
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(here)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    ) as server:
        assert server.stdout is not None
        worker = os.pidfd_open(int(server.stdout.readline()))
        server.kill()
        ended, _, _ = select.select([worker], [], [], 60)
        os.close(worker)
    assert ended == [worker]
