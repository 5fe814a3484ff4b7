"""The in-memory catalog as the oracle of ALTER: same outcome, same rows, same past, after every step."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.memory.table import MemoryTable
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows
from lakeport.core.errors import ConstraintViolationError, KeyViolationError, LakeportError
from lakeport.core.timepoint import AtVersion, TimePoint
from tests.catalog.iceberg.alter.ground import Ground
from tests.catalog.iceberg.alter.programs import START, Program
from tests.seeds import few_of
from tests.strategies import seeded

STEPS = 10
LAYOUTS = [("bucket(3, k)",), ("truncate(1, n)", "t"), ("s.x",), ("k",)]

# What memory does not know: files of the past keep their partitions.
_OF_ICEBERG_ALONE = ("is, or was, partitioned by", "is the name of a partition field")


class Life:
    """One table twice: on Iceberg, and in memory."""

    def __init__(self, ground: Ground, definition: Definition, rng: random.Random) -> None:
        catalog = MemoryCatalog("oracle")
        catalog.create_namespace(NamespaceInfo("shop"))
        self.ware = ground.create(definition)
        oracle = catalog.namespace("shop").create_table("wares", definition)
        assert isinstance(oracle, MemoryTable)
        self.oracle = oracle
        self.program = Program(rng)
        self.rng = rng

    def insert(self) -> None:
        batch = self.program.rows(self.ware.schema)
        self._both(lambda table: insert_rows(table, batch))

    def delete(self) -> None:
        name = self.rng.choice(self.ware.schema.names)
        self._both(lambda table: delete_where(table, f'"{name}" IS NULL'))

    def alter(self) -> None:
        changes = self.program.changes(self.ware.table.state().definition)
        self._both(lambda table: table.alter(changes))

    def _both(self, step: Callable[[IcebergTable | MemoryTable], object]) -> None:
        ours = _outcome(step, self.ware.table)
        if not any(reason in ours for reason in _OF_ICEBERG_ALONE):
            assert ours == _outcome(step, self.oracle)

    # -- comparing -------------------------------------------------------------------------------

    def compare(self) -> None:
        ours, theirs = self.ware.table.state(), self.oracle.state()
        assert ours.version == theirs.version
        assert ours.definition == theirs.definition
        assert ours.definition.schema.equals(theirs.definition.schema, check_metadata=True)
        assert _rows(self.ware.table) == _rows(self.oracle)
        for name in ours.definition.schema.names:
            self._compare_statistics(name)

    def _compare_statistics(self, column: str) -> None:
        """What is claimed is true; Iceberg may know less."""
        ours, theirs = self.ware.table.statistics(column), self.oracle.statistics(column)
        for claim in ("minimum", "maximum", "has_null", "has_values"):
            said = getattr(ours, claim)
            assert said is None or said == getattr(theirs, claim), (column, claim)

    def compare_past(self) -> None:
        for version in range(self.oracle.state().version + 1):
            at = AtVersion(version)
            ours, theirs = self.ware.table.state_at(at), self.oracle.state_at(at)
            assert _bare(ours.definition) == _bare(theirs.definition), version
            assert _rows(self.ware.table, at) == _rows(self.oracle, at), version


def _outcome(
    step: Callable[[IcebergTable | MemoryTable], object], table: IcebergTable | MemoryTable
) -> str:
    try:
        step(table)
    except (ConstraintViolationError, KeyViolationError) as error:
        return error.code  # the rows it shows are those that come first, which depends on files
    except LakeportError as error:
        return f"{error.code}: {error.message}"
    return "done"


def _rows(table: IcebergTable | MemoryTable, at: TimePoint | None = None) -> list[str]:
    with read(table, ScanRequest(at=at)) as stream:
        found = stream.read_all()
    return sorted(str(row) for row in found.to_pylist())


def _bare(definition: Definition) -> pa.Schema:
    """Columns without their DEFAULTs, which are properties of now."""
    return pa.schema([column.remove_metadata() for column in definition.schema])


def run(ground: Ground, seed: int, partitioned_by: tuple[str, ...] = ()) -> None:
    rng = seeded(seed)
    sorted_by = ("d desc", "k") if partitioned_by else ()
    definition = replace(START, partitioned_by=partitioned_by, sorted_by=sorted_by)
    life = Life(ground, definition, rng)
    life.insert()
    for _ in range(STEPS):
        kind = rng.random()
        if kind < 0.25:
            life.insert()
        elif kind < 0.35:
            life.delete()
        else:
            life.alter()
        life.compare()
    life.compare_past()
    life.ware.check(lost_a_partition=bool(partitioned_by))


@pytest.mark.parametrize("seed", few_of(range(8), 4))
def test_a_random_life_is_the_same_on_iceberg_and_in_memory(ground: Ground, seed: int) -> None:
    run(ground, seed)


@pytest.mark.parametrize("seed", range(50, 50 + len(LAYOUTS)))
def test_a_random_life_of_a_partitioned_table_is_the_same(ground: Ground, seed: int) -> None:
    run(ground, seed, LAYOUTS[seed % len(LAYOUTS)])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(300, 310))
def test_many_random_lives_of_partitioned_tables_are_the_same(ground: Ground, seed: int) -> None:
    run(ground, seed, LAYOUTS[seed % len(LAYOUTS)])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 115))
def test_many_random_lives_are_the_same(ground: Ground, seed: int) -> None:
    run(ground, seed)
