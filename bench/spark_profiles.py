"""From how many rows on a JVM that is tuned for volume beats one that is tuned to start: `quick` beside `throughput`.

Each write is a process as a person starts it, cold, over the same query: a join, an aggregation over many
groups and some text, into a new table. Where the lines cross is `VOLUME` in lakeport.app.spark, which
`pipeline.profile = "auto"` goes by. Bytes are those that were stored. All of it takes some six minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import lakeport
from bench.iceberg_parts.race import is_quick
from bench.spark_parts import processor
from lakeport.app.spark import VOLUME

PROFILES = ("quick", "throughput")
MILLIONS = (0.1, 1, 4, 8, 16)

QUERY = """
SELECT a.id, a.id % 97 AS shop, concat('order ', md5(cast(a.id AS string))) AS note,
       cast(b.total * 1.19 AS decimal(18, 4)) AS total, b.orders
FROM range({rows}) AS a
JOIN (SELECT id % 1000003 AS key, sum(id * 0.5) AS total, count(*) AS orders
      FROM range({rows}) GROUP BY 1) AS b ON a.id % 1000003 = b.key
"""


def main() -> int:
    if len(sys.argv) > 2 and sys.argv[1] == "one":
        print(json.dumps(_child(int(sys.argv[2]))))
        return 0
    _measured("quick", 1000)  # fetches the jar, and writes the archive if there is none
    print(f"{'rows':>12} {'stored':>9}   {'quick':>14} {'throughput':>16}   quick / throughput")
    for millions in MILLIONS[:2] if is_quick() else MILLIONS:
        rows = round(millions * 1_000_000)
        found = {profile: _measured(profile, rows) for profile in PROFILES}
        (wall, cpu, size), (other, others, _) = (found[profile] for profile in PROFILES)
        print(
            f"{rows:>12,} {size / (1 << 20):>6.0f} MB   {wall:5.1f} s {cpu:5.0f} CPU"
            f" {other:5.1f} s {others:5.0f} CPU   {wall / other:.2f} wall, {cpu / others:.2f} CPU"
        )
    print(f"`auto` takes throughput from {VOLUME / (1 << 20):.0f} MB on")
    return 0


def _measured(profile: str, rows: int) -> tuple[float, float, int]:
    """In a process of its own, with a lake of its own: seconds, of processors too, and stored bytes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "lakeport.toml").touch()
        begun = time.perf_counter()
        told = subprocess.run(
            [sys.executable, __file__, "one", str(rows)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            cwd=folder,
            env={**os.environ, "LAKEPORT_PIPELINE_PROFILE": profile},
        )
        wall = time.perf_counter() - begun
    cpu, size = json.loads(told.stdout.splitlines()[-1])
    return wall, cpu, size


def _child(rows: int) -> tuple[float, int]:
    with lakeport.open(".") as lake:
        made = lake.write(QUERY.format(rows=rows), into="shop.orders", strategy="full")
        return processor.seconds(os.getpid()), made.counts["added-files-size"]


if __name__ == "__main__":
    sys.exit(main())
