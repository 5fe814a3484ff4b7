"""The analyzer against a database that is asked by experiment.

An output column that changes when a source column changes must claim it, and every source that an
output column claims must be able to change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lineage.oracle.claims import Claims, claims_about
from tests.lineage.oracle.generate import make_scenario
from tests.lineage.oracle.perturb import ENOUGH, Bags, Database, perturbed, telling_scenario
from tests.lineage.oracle.wide import make_wide_scenario
from tests.lineage.oracle.world import other_worlds
from tests.lineage.oracle.writes import make_writing_scenario

if TYPE_CHECKING:
    from tests.lineage.oracle.world import Scenario

SHORT = 40
LONG = 520
SHORT_WIDE = 20
LONG_WIDE = 250
SHORT_WRITES = 20
LONG_WRITES = 100
WORLDS = 60


@pytest.mark.parametrize("seed", range(SHORT))
def test_lineage_is_what_the_database_does(seed: int) -> None:
    _compare(telling_scenario(seed, make_scenario))


@pytest.mark.parametrize("seed", range(SHORT_WRITES))
def test_lineage_of_writes_is_what_the_database_does(seed: int) -> None:
    _compare(telling_scenario(seed, make_writing_scenario))


@pytest.mark.parametrize("seed", range(SHORT_WIDE))
def test_lineage_of_wide_queries_is_what_the_database_does(seed: int) -> None:
    _compare(telling_scenario(seed, make_wide_scenario))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SHORT_WIDE, SHORT_WIDE + LONG_WIDE))
def test_lineage_of_wide_queries_is_what_the_database_does_at_length(seed: int) -> None:
    _compare(telling_scenario(seed, make_wide_scenario))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SHORT, SHORT + LONG))
def test_lineage_is_what_the_database_does_at_length(seed: int) -> None:
    _compare(telling_scenario(seed, make_scenario))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SHORT_WRITES, SHORT_WRITES + LONG_WRITES))
def test_lineage_of_writes_is_what_the_database_does_at_length(seed: int) -> None:
    _compare(telling_scenario(seed, make_writing_scenario))


def _compare(scenario: Scenario) -> None:
    claims = claims_about(scenario)
    context = f"\n{scenario.sql}\nissues: {claims.issues}\n"
    assert not claims.approximate, f"{context}a full schema leaves nothing approximate"
    unseen = dict(zip(claims.names, map(set, claims.direct), strict=True))
    for number, world in enumerate((scenario, *other_worlds(scenario, WORLDS))):
        with Database(world) as database:
            names = database.output_names()
            if scenario.target is None or "CREATE" in scenario.sql:
                assert claims.names == names, context
            experiment = _Experiment(world, claims, database, unseen)
            experiment.run(enough=ENOUGH if number == 0 else 0)
        if not any(unseen.values()):
            return
    invented = {name: sorted(left) for name, left in unseen.items() if left}
    raise AssertionError(f"{context}claimed but never seen: {invented}")


class _Experiment:
    """Change every column; take what shows out of `unseen`, and insist that it was claimed."""

    def __init__(
        self, world: Scenario, claims: Claims, database: Database, unseen: dict[str, set[str]]
    ) -> None:
        self._world = world
        self._database = database
        self._unseen = unseen
        self._names = database.output_names()
        self._reaching = dict(zip(claims.names, claims.reaching, strict=True))
        self._rows = claims.rows

    def run(self, *, enough: int) -> None:
        before = self._database.bags()
        for table in self._world.tables:
            for position, column in enumerate(table.columns):
                source = f"{table.name}.{column.name}"
                for attempt, rows in enumerate(perturbed(table, position, seed=position)):
                    wanted = any(source in left for left in self._unseen.values())
                    if not wanted and attempt >= enough:
                        break
                    self._database.fill(table, rows)
                    for index in _changed(before, self._database.bags()):
                        self._shown(self._names[index], source)
                self._database.fill(table, table.rows)

    def _shown(self, name: str, source: str) -> None:
        self._unseen.get(name, set()).discard(source)
        # A row that stays keeps its values, which no edge needs to say.
        kept = source == f"{self._world.target}.{name}"
        claimed = kept or source in self._reaching.get(name, self._rows)
        assert claimed, f"{self._world.sql}\n{name} depends on {source}"


def _changed(before: Bags, after: Bags) -> list[int]:
    return [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
