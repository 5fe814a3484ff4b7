"""One table's history, replayed: whatever was done at once must be explained by some order of it.

The order is the one that the table tells. A snapshot with a run's id is that run, whole; any other one that
changed rows is the next statement of the one client that was told of its success.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import Any, Protocol

from lakeport import ConflictError
from lakeport.pipeline.target import RUN_ID
from lakeport.pipeline.writing import Outcome, Point, Progress
from tests.spark.ground import Ground
from tests.spark.model import Model, Record

Step = Callable[[Model], None]

_CHANGES = ("added-records", "deleted-records", "added-position-deletes")
_TRIES = 20


@dataclass(frozen=True)
class Planned:
    """A run: rows of integers, and what it does with them."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    strategy: str = "delete_insert"

    @property
    def query(self) -> str:
        rows = ", ".join(f"({', '.join(map(str, row))})" for row in self.rows)
        return f"SELECT * FROM VALUES {rows} AS given ({', '.join(self.columns)})"

    @property
    def settings(self) -> dict[str, Any]:
        is_keyed = self.strategy in {"delete_insert", "merge"}
        return {"strategy": self.strategy, **({"unique_key": "k"} if is_keyed else {})}

    def __call__(self, model: Model) -> None:
        batch = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        match self.strategy:
            case "delete_insert" | "merge":
                getattr(model, self.strategy)(self.columns, batch, ["k"], "append")
            case "overwrite_partitions":
                gone = {row["part"] for row in batch}
                model.replace(self.columns, batch, lambda row: row["part"] in gone)
            case _:
                getattr(model, self.strategy)(self.columns, batch)


class Writer(Protocol):
    def write(self, query: object, into: str = "t", **settings: Any) -> Outcome: ...


def together(ground: Writer, runs: Sequence[Planned]) -> list[Outcome]:
    """All at once: nobody writes before everybody's rows are staged."""
    ready = Barrier(len(runs), timeout=100)

    def meet(seen: Progress) -> None:
        if seen.point is Point.STAGED and not ready.broken:
            ready.wait()

    with ThreadPoolExecutor(len(runs)) as pool:
        return list(pool.map(lambda run: carried_out(ground, run, meet), runs))


def carried_out(
    ground: Writer, run: Planned, observe: Callable[[Progress], None] | None = None
) -> Outcome:
    """Whoever is overtaken too often is told so, and comes again with the same id."""
    for _ in range(_TRIES):
        try:
            return ground.write(run.query, run_id=run.name, observe=observe, **run.settings)
        except ConflictError:
            observe = None  # the others do not wait a second time
    raise AssertionError(f"{run.name} was overtaken {_TRIES} times")


def replayed(ground: Ground, runs: Sequence[Planned], others: Sequence[Step] = ()) -> Model:
    """The table as that order makes it; each run happens once, each statement too."""
    left = {run.name: run for run in runs}
    more = iter(others)
    model = Model()
    for snapshot in ground.history():
        name = snapshot.summary.get(RUN_ID)
        if name is not None:
            left.pop(name)(model)
        elif changes_rows(snapshot.summary):
            next(more)(model)
    assert left == {}
    assert list(more) == []
    return model


def explained(ground: Ground, model: Model) -> None:
    """The table has these columns and rows for every reader; concurrent runs add columns in any order."""
    names = ground.columns()
    assert sorted(names) == sorted(model.columns)
    expected: list[Record] = [{name: row.get(name) for name in names} for row in model.rows]
    found = ground.records()
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def changes_rows(summary: Mapping[str, str]) -> bool:
    return any(int(summary.get(key, "0")) for key in _CHANGES)
