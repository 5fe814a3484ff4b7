"""SIGKILL of `lakeport serve` during DML: acknowledged rows are there once, the rest is whole or not there.

The statements are the lake's own victim's, sent over the wire. `staged` and `acknowledged` are what its client
knows, the points between are the server's.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import grpc
import pytest

from tests.airport.programs.wire_table import WireTable
from tests.behaviours.lake import Subject
from tests.catalog.iceberg.faults.scene import Scene, Witness
from tests.catalog.iceberg.faults.victim import POINTS, Victim
from tests.flight.raw import RawClient

ROOT = Path(__file__).parents[3]


class NamelessTable(WireTable):
    """Of a server that knows everybody under one name: who made a version is not told."""

    def version_of(self, actor: str) -> int:
        del actor
        return 0


class KilledError(Exception):
    """The client goes no further: its server is dead."""


@dataclass
class Executioner:
    """Kills the server when it, or its client, is at this point for the nth time."""

    process: subprocess.Popen[str]
    witness: Witness
    point: str
    nth: int

    def client_at(self, point: str, **more: object) -> None:
        if self._kills({"point": point, **more}):
            raise KilledError

    def hear_server(self, said: IO[str], answers: IO[str]) -> None:
        """Until it says no more."""
        for line in said:
            if self._kills(json.loads(line)):
                return
            answers.write("go\n")
            answers.flush()

    def _kills(self, said: dict[str, object]) -> bool:
        here = self.witness.hear(json.dumps(said))
        is_over = here == self.point and self.witness.reached[here] >= self.nth
        if is_over:
            self.process.kill()
        return is_over


@contextmanager
def watched_server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.airport.kills.watched_server", str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, process.communicate()
            yield process, json.loads(line)["grpc"]
        finally:
            process.kill()


def kill_at(scene: Scene, seed: int, point: str, nth: int) -> None:
    witness = Witness(dict(scene.rows))
    with (
        watched_server(scene.folder) as (process, address),
        RawClient(address.removeprefix("grpc://")) as raw,
        scene.open() as catalog,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        table = Subject(catalog.namespace("shop").table("orders"))
        executioner = Executioner(process, witness, point, nth)
        streams = (process.stdout, process.stdin)
        listener = threading.Thread(target=executioner.hear_server, args=streams)
        listener.start()
        wire = NamelessTable(table, raw, "victim", returning=seed % 2 == 0)
        with pytest.raises((KilledError, grpc.RpcError)):
            Victim(wire, seed, executioner.client_at).run()
        listener.join()
        assert process.wait() == -9
    assert witness.reached[point] == nth
    scene.judge(witness, point, seed)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    settings = (
        f'[catalog]\nuri = "sqlite:///{tmp_path / "catalog.db"}"\n'
        f'warehouse = "{tmp_path / "warehouse"}"\n'
    )
    (tmp_path / "lakeport.toml").write_text(settings)
    return Scene.prepared(tmp_path)


def test_a_server_killed_at_each_point_loses_nothing_and_leaves_nothing(scene: Scene) -> None:
    for number, point in enumerate(POINTS):
        kill_at(scene, 100 + number, point, nth=2)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 30, 5))
def test_thirty_servers_killed_lose_nothing_and_leave_nothing(scene: Scene, first: int) -> None:
    dice = random.Random(first)  # noqa: S311 # repeatable, not secret
    for number, point in enumerate(POINTS):
        kill_at(scene, 1_000 + first + number, point, dice.randint(1, 6))
