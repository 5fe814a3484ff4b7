"""Runs at the same time, runs beside people who write, and runs that are stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from lakeport.app import wiring
from lakeport.pipeline.running.events import Event, ModelReached, ModelWaits, Stopping
from lakeport.pipeline.running.result import RunResult
from lakeport.pipeline.writing import Point, Progress
from tests.spark.running.folder import Folder, of, statuses

PATIENCE = 100.0


def test_two_runs_of_the_same_models_come_one_after_the_other(folder: Folder) -> None:
    folder.load("raw.n", [{"n": 1}, {"n": 2}])
    folder.model("t.a", "SELECT n, :run_id AS run FROM raw.n", strategy="append")
    folder.model("t.b", "SELECT count(*) AS n, :run_id AS run FROM t.a", strategy="append")
    other = replace(folder, events=[])
    held, waiting = threading.Event(), threading.Event()

    def first(seen: Progress) -> None:
        if seen.point is Point.STAGED and str(seen.table) == "t.a":
            held.set()
            assert waiting.wait(PATIENCE)

    def second(event: Event) -> None:
        if isinstance(event, ModelWaits):
            waiting.set()

    def overtaken() -> RunResult:
        assert held.wait(PATIENCE)
        return other.run(listen=second, new=True)

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.submit(folder.run, observe=first), pool.submit(overtaken)
        results = [one.result(), two.result()]
    assert [result.status for result in results] == ["succeeded", "succeeded"]
    waits = next(event for event in other.events if isinstance(event, ModelWaits))
    assert results[0].run_id in waits.holder
    runs = [result.run_id for result in results]
    assert folder.runs("t.a") == runs
    assert sorted(folder.runs("t.b")) == sorted(runs)
    assert len(folder.rows("t.a")) == 4
    with wiring.open_state(folder.settings()) as store:
        assert store.leases.held() == []


def test_a_run_and_people_who_write_to_its_tables_lose_nothing(folder: Folder) -> None:
    folder.model("t.a", "SELECT * FROM VALUES (1, 10), (2, 20) AS v (k, v)", unique_key=["k"])
    assert folder.run().status == "succeeded"
    done: list[str] = []

    def meddle(seen: Progress) -> None:
        if seen.point is Point.WRITING and not done:
            done.append("written")
            with folder.lake() as lake:
                lake.table("t.a").update({"v": "v + 1"}, where="k = 2")
                lake.table("t.a").append([{"k": 3, "v": 30}])

    for publish in ("direct", "branch", "run-atomic"):
        done.clear()
        result = folder.run(publish=publish, observe=meddle)
        assert result.status == "succeeded", of(result, "t.a").error
        assert done
    assert folder.rows("t.a") == [(1, 10), (2, 20), (3, 30), (3, 30), (3, 30)]


def test_the_lease_of_a_dead_run_is_taken_over_at_once(folder: Folder) -> None:
    folder.model("t.a", "SELECT 1 AS k")
    settings = folder.settings()
    code = (
        "import os, sys\n"
        "from lakeport.core.names import TableName\n"
        "from lakeport.state import Store\n"
        "from lakeport.state.owners import Owner\n"
        "store = Store.open(sys.argv[1])\n"
        "store.leases.acquire('lake', TableName('t', 'a'), Owner.here('dead'), 3600.0)\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(settings.state.uri)], check=True)
    assert folder.run().status == "succeeded"
    assert not any(isinstance(event, ModelWaits) for event in folder.events)


def test_a_run_that_is_stopped_cancels_what_runs_and_begins_nothing(folder: Folder) -> None:
    slow = "SELECT count(*) AS n FROM range(0, 1000000000000000) WHERE id % 7 = rand()"
    folder.model("t.a", "SELECT 1 AS n")
    folder.model("t.slow", slow)
    folder.model("t.below", "SELECT * FROM t.slow")
    folder.model("t.z", "SELECT * FROM t.a")
    stopped = threading.Event()
    tracker: Any = folder.jvm.fresh().sparkContext.statusTracker()  # type: ignore[attr-defined]

    def interrupt() -> None:
        """As soon as Spark computes something: by then the slow one is all there is."""
        while not stopped.wait(0.05):
            if tracker.getActiveJobsIds():
                os.kill(os.getpid(), signal.SIGINT)
                return

    watcher = threading.Thread(target=interrupt)

    def listen(event: Event) -> None:
        if isinstance(event, ModelReached) and event.progress.point is Point.ANALYSED:
            watcher.start()  # there is one model at a time, and the first is the slow one

    try:
        result = folder.run("t.slow+", jobs=1, listen=listen)
    finally:
        stopped.set()
        watcher.join()
    assert result.status == "stopped"
    assert statuses(result) == {"t.slow": "stopped", "t.below": "stopped"}
    assert any(isinstance(event, Stopping) for event in folder.events)
    while tracker.getActiveJobsIds():
        pass  # Spark notes an end after it has told who waited for it; the slow one itself has none
    with wiring.open_state(folder.settings()) as store:
        assert store.leases.held() == []
        assert store.runs.recent()[0].status == "stopped"
    folder.model("t.slow", "SELECT 5 AS n")
    again = folder.run(retry=True)
    assert again.run_id == result.run_id
    assert statuses(again) == {"t.slow": "succeeded", "t.below": "succeeded"}
    assert folder.rows("t.below") == [(5,)]
