"""dbt-spark in an environment of its own, and a project in which each model has another policy.

The environment is made when it is asked for by `--install`, of the pinned and hashed packages of
`requirements/dbt-spark.txt`, and kept in the cache folder under a name that changes with them.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench.iceberg_parts.lake import CACHE
from bench.spark_parts import runs

PACKAGES = Path(__file__).resolve().parent.parent.parent / "requirements" / "dbt-spark.txt"
POLICIES = ("ignore", "append_new_columns", "sync_all_columns", "fail")
NAMESPACE = "dbt"

_PROJECT = """name: bench
version: "1.0"
profile: bench
model-paths: [models]
flags: {send_anonymous_usage_stats: false}
"""
_PROFILES = f"""bench:
  target: spark
  outputs:
    spark: {{type: spark, method: session, schema: {NAMESPACE}, host: none, threads: 1}}
"""
_MODEL = """{{{{ config(materialized="incremental", incremental_strategy="merge", unique_key="id",
    file_format="iceberg", on_schema_change="{policy}") }}}}
{{% if var("run") == 1 %}}{first}{{% else %}}{second}{{% endif %}}
"""
_KIND = re.compile(r"\w+ Error( in model .*)?$")


@dataclass(frozen=True, slots=True)
class Ran:
    """What dbt says of a model: `status` is `success` or `error`."""

    status: str
    message: str

    @property
    def reason(self) -> str:
        """The first line that says more than which kind of error it is, and where."""
        lines = [line.strip() for line in self.message.splitlines()]
        return next((line for line in lines if line and not _KIND.match(line)), "no reason given")


class NoDbtError(Exception):
    """It is not installed, or could not be."""


def environment(*, install: bool) -> Path:
    """The Python of it."""
    folder = CACHE / f"dbt-spark-{hashlib.sha256(PACKAGES.read_bytes()).hexdigest()[:12]}"
    python = folder / "bin" / "python"
    if (folder / "ready").exists():
        return python
    if not install:
        raise NoDbtError("dbt-spark is not installed: run this once with --install")
    print(f"  installing dbt-spark below {CACHE} …", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    _run(sys.executable, "-m", "venv", str(folder))
    # The list is complete, and pip's resolver stumbles over the extras of pinned packages.
    pip = (str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes")
    _run(*pip, "-r", str(PACKAGES))
    (folder / "ready").touch()
    return python


def run_twice(
    python: Path, project: Path, settings: Mapping[str, str], first: str, second: str
) -> tuple[dict[str, Ran], dict[str, Ran]]:
    """Both queries by a model for each policy; what came of them."""
    (project / "models").mkdir(parents=True)
    (project / "dbt_project.yml").write_text(_PROJECT)
    (project / "profiles.yml").write_text(_PROFILES)
    for policy in POLICIES:
        model = _MODEL.format(policy=policy, first=first, second=second)
        (project / "models" / f"{policy}.sql").write_text(model)
    told = json.dumps({"settings": dict(settings), "project": str(project)})
    # Without its folder among those that modules come from: dbt loads all that it finds there.
    done = subprocess.run(
        [str(python), "-P", runs.__file__],
        input=told + "\n",
        capture_output=True,
        text=True,
        check=False,
        cwd=project,
    )
    if done.returncode:
        raise RuntimeError(f"dbt failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return msgspec.json.decode(
        done.stdout.splitlines()[-1], type=tuple[dict[str, Ran], dict[str, Ran]]
    )


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NoDbtError(f"dbt-spark could not be installed: {said[-1] if said else 'no reason'}")
