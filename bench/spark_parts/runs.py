"""Two runs of a dbt project on one Spark session; run as a program by the Python that dbt is installed for.

Told by a line of JSON on stdin; the last line on stdout says what became of each model in each run. The
session is made before dbt asks for one, with the settings that ours has, and dbt takes the one there is.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    told = json.loads(sys.stdin.readline())
    builder: Any = import_module("pyspark.sql").SparkSession.builder
    for key, value in told["settings"].items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    runner: Any = import_module("dbt.cli.main").dbtRunner()
    places = ("--project-dir", told["project"], "--profiles-dir", told["project"])
    answers = []
    for number in (1, 2):
        words = ("--quiet", "run", *places, "--vars", json.dumps({"run": number}))
        found = runner.invoke(list(words))
        if found.result is None:
            raise SystemExit(f"dbt did not run: {found.exception}")
        answers.append(
            {
                each.node.name: {"status": str(each.status), "message": str(each.message)}
                for each in found.result
            }
        )
    session.stop()
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
