"""Four clients at once over the wire: what they were told happened, happened, one statement after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.airport.programs.standard_table import StandardTable
from tests.airport.programs.wire_lake import SERVED, WireLake, wire_lake
from tests.airport.programs.wire_table import WireTable
from tests.behaviours.history import ImpossibleHistoryError, shared
from tests.behaviours.programs import STATEMENTS, WRITERS
from tests.catalog.iceberg.faults.planted import BUGS

PROGRAMS = {"iceberg": 5, "memory": 3}
"""Of each of the two ways."""

STANDARD = {"iceberg": 2, "memory": 2}


@pytest.fixture(params=sorted(SERVED))
def wire(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WireLake]:
    with wire_lake(str(request.param), tmp_path) as made:
        yield made


@pytest.fixture
def iceberg(tmp_path: Path) -> Iterator[WireLake]:
    with wire_lake("iceberg", tmp_path) as made:
        yield made


def run_interleaved(wire: WireLake, seeds: range) -> None:
    """And at least a third of the statements touches rows that another client touches, too."""
    touching = statements = 0
    refused: Counter[str] = Counter()
    for seed in seeds:
        log = wire.create(seed).interleaved()
        touching += shared(log.attempts)
        statements += len(log.attempts)
        refused += log.refused
    assert statements > len(seeds) * WRITERS * STATEMENTS * 0.8
    assert touching * 3 >= statements, f"{touching} of {statements}"
    assert refused.total() * 10 >= statements, refused  # real collisions, not only shared rows


def run_threads(wire: WireLake, seeds: range, way: type[WireTable] = WireTable) -> None:
    for seed in seeds:
        wire.create(seed, way=way).on_threads()


def test_interleaved_clients_leave_a_serial_history(wire: WireLake) -> None:
    run_interleaved(wire, range(PROGRAMS[wire.name]))


def test_clients_on_threads_leave_a_serial_history(wire: WireLake) -> None:
    run_threads(wire, range(100, 100 + PROGRAMS[wire.name]))


def test_standard_clients_on_threads_leave_a_serial_history(wire: WireLake) -> None:
    run_threads(wire, range(300, 300 + STANDARD[wire.name]), StandardTable)


@pytest.mark.parametrize("report", sorted(BUGS))
def test_a_bug_in_the_writer_is_seen_through_the_wire(
    iceberg: WireLake, report: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without RETURNING: where rows have to be shown, the server misses those that are not there."""
    BUGS[report](monkeypatch)
    reports = []
    for seed in range(14, 34):  # the first of them shows all four, today
        try:
            iceberg.create(seed, returning=False).interleaved()
        except ImpossibleHistoryError as found:
            reports.append(str(found))
            if report in str(found):
                return
    pytest.fail(f"nobody noticed: {reports}")


# -- many of them: two hundred -----------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("first", range(1_000, 1_080, 10))
def test_many_interleaved_clients_leave_serial_histories(iceberg: WireLake, first: int) -> None:
    run_interleaved(iceberg, range(first, first + 10))


@pytest.mark.long
@pytest.mark.parametrize("first", range(2_000, 2_080, 10))
def test_many_clients_on_threads_leave_serial_histories(iceberg: WireLake, first: int) -> None:
    run_threads(iceberg, range(first, first + 10))


@pytest.mark.long
@pytest.mark.parametrize("first", range(3_000, 3_040, 10))
def test_many_standard_clients_leave_serial_histories(iceberg: WireLake, first: int) -> None:
    run_threads(iceberg, range(first, first + 10), StandardTable)
