"""The analyzer against a database that is asked by experiment.

An output column that changes when a source column changes must claim it, and every source that an
output column claims must be able to change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lineage.oracle.claims import Claims, claims_about
from tests.lineage.oracle.generate import other_worlds
from tests.lineage.oracle.perturb import ENOUGH, Bags, Database, perturbed, telling_scenario

if TYPE_CHECKING:
    from tests.lineage.oracle.generate import Scenario

SHORT = 60
LONG = 600
WORLDS = 60


@pytest.mark.parametrize("seed", range(SHORT))
def test_lineage_is_what_the_database_does(seed: int) -> None:
    _compare(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SHORT, SHORT + LONG))
def test_lineage_is_what_the_database_does_at_length(seed: int) -> None:
    _compare(seed)


def _compare(seed: int) -> None:
    scenario = telling_scenario(seed)
    claims = claims_about(scenario)
    context = f"\nseed {seed}: {scenario.sql}\nissues: {claims.issues}\n"
    assert not claims.approximate, f"{context}a full schema leaves nothing approximate"
    unseen = [set(sources) for sources in claims.direct]
    for world in (scenario, *other_worlds(scenario, WORLDS)):
        with Database(world) as database:
            assert claims.names == database.output_names(), context
            _experiment(world, claims, database, unseen)
        if not any(unseen):
            return
    invented = [(claims.names[index], sorted(left)) for index, left in enumerate(unseen) if left]
    raise AssertionError(f"{context}claimed but never seen: {invented}")


def _experiment(
    world: Scenario, claims: Claims, database: Database, unseen: list[set[str]]
) -> None:
    """Change every column; take what shows out of `unseen`, and insist that it was claimed."""
    first = unseen == claims.direct
    before = database.bags()
    for table in world.tables:
        for position, column in enumerate(table.columns):
            source = f"{table.name}.{column.name}"
            for attempt, rows in enumerate(perturbed(table, position, seed=position)):
                wanted = any(source in left for left in unseen)
                if not wanted and (not first or attempt >= ENOUGH):
                    break
                database.fill(table, rows)
                for index in _changed(before, database.bags()):
                    unseen[index].discard(source)
                    missing = source not in claims.reaching[index]
                    assert not missing, f"{world.sql}\n{claims.names[index]} depends on {source}"
            database.fill(table, table.rows)


def _changed(before: Bags, after: Bags) -> list[int]:
    return [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
