"""`list_schemas` of a catalogue of 5,000 tables: from memory, cold from Iceberg, by a server that starts after
another, and after one table changed.

The cold server reads every table's metadata file. The next one finds what it announced in the state store and
reads none. "Changed" is the first answer after an ALTER of one table: all others are as they were. The limits
are times, so a busy machine misses them; what each took of a processor is beside it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.airport_parts import catalogue
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line

TABLES = 200 if is_quick() else 5_000
ROUNDS = 1 if is_quick() else 3


class Took(NamedTuple):
    """Milliseconds."""

    wall: float
    cpu: float
    limit: int


def run(kind: str, folder: Path) -> dict[str, Any]:
    program = [sys.executable, catalogue.__file__, kind, str(folder), str(TABLES)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
    return found


def forget(folder: Path) -> None:
    """Whatever a server before left in the state store."""
    for file in folder.glob("state.db*"):
        file.unlink()


def main() -> int:
    with TemporaryDirectory() as place:
        folder = Path(place)
        run("make", folder)
        memory, cold, next_one = [], [], []
        for _ in range(ROUNDS):
            memory.append(run("memory", folder))
            forget(folder)
            cold.append(run("iceberg", folder))
            next_one.append(run("iceberg", folder))
    if any(each["read"] > 2 * catalogue.CHANGES for each in next_one):
        raise SystemExit(f"a server read tables that were announced: {next_one}")
    print(f"  {TABLES:,} tables, {memory[0]['bytes']:,} bytes; medians of {ROUNDS} processes each")
    every = [*cold, *next_one]
    taken = {
        "from memory": Took(_median(memory, "first"), _median(memory, "first_cpu"), 300),
        "Iceberg, cold": Took(_median(cold, "first"), _median(cold, "first_cpu"), 10_000),
        "Iceberg, the next server": Took(
            _median(next_one, "first"), _median(next_one, "first_cpu"), 10_000
        ),
        "Iceberg, one table changed": Took(
            _of_all(every, "changed"), _of_all(every, "changed_cpu"), 50
        ),
    }
    print(f"  {'':<44}{'ms':>10}{'cpu ms':>10}{'at most':>10}")
    print(f"  {'Iceberg, nothing changed':<44}{_median(cold, 'again'):>10.1f}")
    for what, took in taken.items():
        print(f"  {what:<44}{took.wall:>10.1f}{took.cpu:>10.1f}{took.limit:>10,}")
    print(f"  the next server is {_ratio(cold, next_one):.1f} times as quick as the cold one")
    return finish([_bar(what, took) for what, took in taken.items()])


def _median(found: list[dict[str, Any]], key: str) -> float:
    return float(statistics.median(each[key] for each in found))


def _ratio(cold: list[dict[str, Any]], warm: list[dict[str, Any]]) -> float:
    return _median(cold, "first") / _median(warm, "first")


def _of_all(found: list[dict[str, Any]], key: str) -> float:
    return float(statistics.median(each for report in found for each in report[key]))


def _bar(what: str, took: Took) -> Line:
    return Line(f"{what}: share of its limit", took.wall / took.limit, 1.0)


if __name__ == "__main__":
    sys.exit(main())
