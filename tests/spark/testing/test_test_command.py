"""`lakeport test` as a person runs it, on the example project."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lakeport.pipeline.session import Spark

PROGRAM = str(Path(sys.executable).with_name("lakeport"))
SECONDS = re.compile(r"\s+[\d.]+$", re.MULTILINE)

TABLE = """\
test                                        model                      result
cancelled orders do not count               intermediate.order_totals  passed
whoever bought often enough is loyal        marts.customer_value       passed
the first half of all revenue is segment A  marts.customer_segments    passed
test orders are left out                    staging.orders             passed
names and addresses are tidied              staging.customers          failed
a discount that nobody gave is none         staging.order_items        passed

tests/staging.toml:13: names and addresses are tidied (staging.customers)
  ~ expected → got: 1 row
     customer_id  name           email              country
  ~  1            "Eve" → "Ada"  "ada@example.com"  "GB"

6 tests, 5 passed, 1 failed, 3 models without a test
"""


@pytest.mark.timeout(300)
def test_a_failing_test_shows_the_rows_that_differ(tmp_path: Path, jvm: Spark) -> None:  # noqa: ARG001  it may skip
    folder = tmp_path / "shop"
    subprocess.run(
        [PROGRAM, "init", str(folder), "--example", "shop"], check=True, capture_output=True
    )
    file = folder / "tests" / "staging.toml"
    file.write_text(file.read_text().replace('name = "Ada"', 'name = "Eve"'))
    line = [
        PROGRAM,
        "test",
        "--set",
        "pipeline.spark.master=local[2]",
        "--set",
        "pipeline.archive=false",
    ]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    shown = SECONDS.sub("", done.stdout.replace("  seconds\n", "\n"))
    assert shown == TABLE
    assert not (folder / ".lakeport" / "warehouse").exists()
    assert not (folder / ".lakeport" / "catalog.db").exists()
