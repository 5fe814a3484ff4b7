"""From settings to a project and its graph: what `plan`, `run`, `test` and `lineage` begin with."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from lakeport.app.settings.project import FILE_NAME
from lakeport.core.errors import NotFoundError
from lakeport.core.names import TableName
from lakeport.pipeline.graph import Graph, build_graph
from lakeport.pipeline.project import Given, Place, Project, ProjectError, read_project

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.app.settings.layers import Source
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.pipeline.graph import KnownTable

_LINE = re.compile(r"(?P<path>.*\.toml):(?P<line>\d+)")


def load_project(settings: Settings, environment: str | None = None) -> Project:
    """Problems of the files are in it; `load_graph` raises them with those of the graph."""
    if settings.file is None:
        raise NotFoundError(
            "there is no lakeport.toml here or in any folder above",
            hint="`lakeport init` makes a project; `--project DIR` names one",
        )
    pipeline = settings.pipeline
    given = Given(
        root=settings.root,
        models=pipeline.models,
        name=settings.root.name,
        catalog=settings.catalog.name,
        defaults=pipeline.defaults,
        parameters=pipeline.parameters,
        vars=pipeline.vars,
        environments=pipeline.environments,
        place=lambda key: _place(settings.sources, key),
    )
    return read_project(given, environment)


def checked_project(settings: Settings, environment: str | None = None) -> Project:
    """For whoever needs no graph: raises what is wrong with the files."""
    project = load_project(settings, environment)
    if project.problems:
        raise ProjectError(project.problems)
    return project


def load_graph(
    project: Project,
    catalog: IcebergCatalog | None,
    *,
    is_incremental: Callable[[TableName], bool] | None = None,
    parameters: Collection[str] = (),
) -> Graph:
    """Over an open catalog; without one, nothing is known of any table."""
    if catalog is None:
        return build_graph(project, _nothing, is_incremental, parameters)
    from lakeport.app.project.tables import CatalogTables  # noqa: PLC0415  loads Arrow

    tables = CatalogTables(catalog)
    return build_graph(project, tables, is_incremental, parameters, nearest_table=tables.nearest)


def _nothing(_names: Collection[TableName]) -> tuple[KnownTable, ...]:
    return ()


def _place(sources: Mapping[str, Source], key: str) -> Place:
    """Where a setting was written, or the nearest one around it."""
    while key:
        source = sources.get(key)
        if source is not None:
            found = _LINE.fullmatch(source.where)
            return Place(found["path"], int(found["line"])) if found else Place(source.where)
        key = key.rpartition(".")[0]
    return Place(FILE_NAME)
