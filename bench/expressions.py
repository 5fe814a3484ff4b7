"""How fast expressions are: parsing a text, and evaluating conditions over batches of two sizes.

One core, warm. The floor beside each line is what the design's measurements promise
(`32 Mrows/s` for arithmetic on 64k rows and so on), halved: other machines are slower.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial

import pyarrow as pa

from lakeport.catalog.expressions import evaluate, parse_expression

SIZES = (8_192, 65_536)
ROUNDS = 15
CONDITIONS = {
    "arithmetic": ("id * 2 + 1 > 100", 16.0),
    "year": ("year(day) = 2024", 16.0),
    "lower contains": ("contains(lower(name), 'x')", 5.0),
    "ilike and number": ("name ILIKE '%ab%c%' AND id > 5", 5.0),
    "regular expression": ("regexp_matches(name, '^[a-c]+-[0-9]+$')", 2.0),
    "struct and list": ("pair.a > 10 AND list_contains(tags, 3)", 2.0),
}


def rows(count: int) -> pa.RecordBatch:
    rng = random.Random(0)  # noqa: S311 - the same rows every time
    numbers = [rng.randrange(1_000_000) for _ in range(count)]
    return pa.RecordBatch.from_pydict(
        {
            "id": numbers,
            "day": pa.array([number % 20_000 for number in numbers], pa.int32()).cast(pa.date32()),
            "name": [f"{rng.choice('abcxyz')}bc-{number}" for number in numbers],
            "pair": [{"a": number % 100, "b": "x"} for number in numbers],
            "tags": [[number % 7, 3] for number in numbers],
        }
    )


def best(run: Callable[[], object]) -> float:
    run()
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> int:
    batches = [rows(size) for size in SIZES]
    schema = batches[0].schema
    number = iter(range(1_000_000))
    parsing = best(lambda: parse_expression(f"id > {next(number)} AND lower(name) = 'x'", schema))
    print(f"  parse_expression, new text          {parsing * 1000:8.2f} ms")
    heads = "".join(f"{f'{size // 1024}k rows':>12}" for size in SIZES)
    print(f"\n  {'million rows per second':<28}{heads}{'floor':>10}")
    slow = 0
    for name, (text, floor) in CONDITIONS.items():
        expression = parse_expression(text, schema)
        speeds = [
            batch.num_rows / best(partial(evaluate, expression, batch)) / 1e6 for batch in batches
        ]
        below = speeds[-1] < floor
        slow += below
        shown = "".join(f"{speed:>12.1f}" for speed in speeds)
        print(f"  {name:<28}{shown}{floor:>10.1f}{'  below' if below else ''}")
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
