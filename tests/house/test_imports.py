"""`import lakeport` costs nothing, and each heavy library has one home."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "lakeport"

# Where a library may be imported (STYLE §1). A new home is a decision, so it is written down here.
HOMES = {
    "pyiceberg": ("catalog/iceberg",),
    "grpc": ("flight",),
    "duckdb": ("catalog/expressions", "flightsql/engine"),
    "pyspark": ("pipeline/spark", "spark"),
    "sqlalchemy": ("state", "catalog/iceberg"),  # there: PyIceberg's own engine,
    "sqlglot": ("lineage", "pipeline/model", "catalog/expressions"),
    "yaml": ("lineage/templating/documents",),
    "jwt": ("access/oidc",),
    "rich": ("cli",),
    "typer": ("cli",),
}


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_lakeport_loads_no_heavy_library() -> None:
    heavy = {*HOMES, "pyarrow", "numpy", "msgspec", "jinja2"}
    assert not loaded_by("import lakeport") & heavy


def test_importing_lineage_loads_only_its_own_libraries() -> None:
    heavy = {*HOMES, "pyarrow", "numpy"} - {"sqlglot"}
    assert not loaded_by("import lakeport.lineage") & heavy


def test_a_server_loads_neither_a_parser_nor_a_database_that_it_may_not_need() -> None:
    code = "import sys, lakeport.app.serve, lakeport.web.app; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "sqlalchemy.dialects" in loaded
    assert not loaded & {"sqlglot", "sqlalchemy.dialects.postgresql"}


@cache
def imports() -> frozenset[tuple[str, str]]:
    return frozenset(_imports())


def _imports() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).with_suffix("").as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                continue
            for name in names:
                yield place, name.partition(".")[0]


@pytest.mark.parametrize("library", HOMES)
def test_a_heavy_library_is_imported_in_its_home_only(library: str) -> None:
    strangers = {
        place
        for place, name in imports()
        if name == library and not place.startswith(HOMES[library])
    }
    assert not strangers
