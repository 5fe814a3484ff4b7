"""The analyzer against a database that is asked by experiment.

An output column that changes when a source column changes must claim it, and every source that an
output column claims must be able to change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lineage.oracle.claims import Claims, claims_about
from tests.lineage.oracle.perturb import ENOUGH, Bags, Database, perturbed, telling_scenario

if TYPE_CHECKING:
    from tests.lineage.oracle.generate import Scenario

SHORT = 60
LONG = 600


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
    with Database(scenario) as database:
        assert claims.names == database.output_names(), context
        proven = _experiment(scenario, claims, database, context)
    invented = {
        (name, source)
        for name, sources, changed in zip(claims.names, claims.direct, proven, strict=True)
        for source in sources - changed
    }
    assert not invented, f"{context}claimed but never seen: {sorted(invented)}"


def _experiment(
    scenario: Scenario, claims: Claims, database: Database, context: str
) -> list[set[str]]:
    """Per output column the sources that were seen to change it."""
    proven: list[set[str]] = [set() for _ in claims.names]
    before = database.bags()
    for table in scenario.tables:
        for position, column in enumerate(table.columns):
            source = f"{table.name}.{column.name}"
            claimed = [index for index, sources in enumerate(claims.direct) if source in sources]
            for attempt, rows in enumerate(perturbed(table, position, seed=position)):
                if attempt >= ENOUGH and all(source in proven[index] for index in claimed):
                    break
                database.fill(table, rows)
                for index in _changed(before, database.bags()):
                    proven[index].add(source)
                    missing = source not in claims.reaching[index]
                    assert not missing, f"{context}{claims.names[index]} depends on {source}"
            database.fill(table, table.rows)
    return proven


def _changed(before: Bags, after: Bags) -> list[int]:
    return [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
