"""Projects on disk, as small as a test needs them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lakeport.core.names import TableName
from lakeport.pipeline.graph import Graph, KnownTable, build_graph
from lakeport.pipeline.project import Given, Problem, Project, ProjectError, read_project


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
    return root


def project(
    root: Path, files: Mapping[str, str], environment: str | None = None, **given: Any
) -> Project:
    write(root, files)
    return read_project(Given(root=root, models=root / "models", **given), environment)


def graph(
    root: Path,
    files: Mapping[str, str],
    catalog: Mapping[str, Mapping[str, str]] | None = None,
    environment: str | None = None,
    **given: Any,
) -> Graph:
    """`catalog` holds tables by name, each with its columns."""
    return build_graph(project(root, files, environment, **given), tables(catalog or {}))


def tables(catalog: Mapping[str, Mapping[str, str]]) -> Any:
    held = {name_of(name).folded: (name_of(name), columns) for name, columns in catalog.items()}

    def ask(names: Any) -> list[KnownTable]:
        found = [held[name.folded] for name in names if name.folded in held]
        return [KnownTable(name, tuple(columns.items())) for name, columns in found]

    return ask


def name_of(text: str) -> TableName:
    found = TableName.parse(text)
    assert found is not None
    return found


def problems(
    root: Path, files: Mapping[str, str], environment: str | None = None, **given: Any
) -> list[str]:
    """What is wrong with a project, as people read it."""
    return [str(one) for one in found_problems(root, files, environment, **given)]


def found_problems(
    root: Path, files: Mapping[str, str], environment: str | None = None, **given: Any
) -> tuple[Problem, ...]:
    try:
        graph(root, files, environment=environment, **given)
    except ProjectError as error:
        return error.problems
    return ()
