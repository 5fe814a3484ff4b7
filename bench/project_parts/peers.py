"""The same generated project for dbt and for SQLMesh, both on a DuckDB file: no server, no network, no rows.

DuckDB reads the generator's SQL as it is. Sources are empty tables of the same columns.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from bench.project_parts.generate import SOURCE_COLUMNS, generated, sources

_DBT_PROJECT = """name: bench
version: "1.0"
profile: bench
model-paths: [models]
flags: {send_anonymous_usage_stats: false}
models: {bench: {+materialized: incremental, +unique_key: id, +tags: [nightly]}}
"""
_DBT_PROFILES = """bench:
  target: duck
  outputs:
    duck: {type: duckdb, path: lake.duckdb, threads: 2}
"""
_SQLMESH_CONFIG = """gateways:
  duck:
    connection: {type: duckdb, database: lake.duckdb}
    state_connection: {type: duckdb, database: state.duckdb}
default_gateway: duck
model_defaults: {dialect: duckdb, start: 2024-01-01}
disable_anonymized_analytics: true
"""


def write_dbt(folder: Path, count: int) -> None:
    folder.mkdir(parents=True)
    (folder / "dbt_project.yml").write_text(_DBT_PROJECT)
    (folder / "profiles.yml").write_text(_DBT_PROFILES)
    for model in generated(count):
        file = folder / "models" / model.namespace / f"{model.name}.sql"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(model.sql(_dbt_name))
    tables = "".join(f"      - name: {name}\n" for name in sources(count))
    text = f"version: 2\nsources:\n  - name: raw\n    schema: raw\n    tables:\n{tables}"
    (folder / "models" / "sources.yml").write_text(text)


def _dbt_name(namespace: str, name: str) -> str:
    call = f"source('raw', '{name}')" if namespace == "raw" else f"ref('{name}')"
    return "{{ " + call + " }}"


def write_sqlmesh(folder: Path, count: int) -> None:
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(_SQLMESH_CONFIG)
    for model in generated(count):
        file = folder / "models" / model.namespace / f"{model.name}.sql"
        file.parent.mkdir(parents=True, exist_ok=True)
        kind = "kind INCREMENTAL_BY_UNIQUE_KEY (unique_key id)"
        head = f"MODEL (name {model.namespace}.{model.name}, {kind}, tags [nightly]);\n\n"
        file.write_text(head + model.sql(lambda namespace, name: f"{namespace}.{name}"))
    columns = "".join(f"    {name}: {type_}\n" for name, type_ in _duck_columns().items())
    text = "".join(f"- name: raw.{name}\n  columns:\n{columns}" for name in sources(count))
    (folder / "external_models.yaml").write_text(text)


def make_sources(python: Path, folder: Path, count: int) -> None:
    """By the tool's own DuckDB: a file of another version may be closed to it."""
    columns = ", ".join(f"{name} {type_}" for name, type_ in _duck_columns().items())
    tables = "".join(
        f"c.execute('CREATE TABLE raw.{name} ({columns})')\n" for name in sources(count)
    )
    code = f"import duckdb\nc = duckdb.connect('lake.duckdb')\nc.execute('CREATE SCHEMA raw')\n{tables}"
    subprocess.run([str(python), "-c", code], cwd=folder, check=True)


def _duck_columns() -> Mapping[str, str]:
    return {
        name: "varchar" if type_ == "string" else type_ for name, type_ in SOURCE_COLUMNS.items()
    }
