"""The whole project from its folder and from what `lakeport.toml` says about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lakeport.core.errors import UnknownWordError
from lakeport.core.names import nearest, quoted
from lakeport.pipeline.project.environments import Overrides, collisions, read_environments
from lakeport.pipeline.project.files import Found, Reading, read_models, read_text
from lakeport.pipeline.project.model import Environment, Model, Project, Source, TableMap
from lakeport.pipeline.project.parameters import wrong_parameters
from lakeport.pipeline.project.problems import Place, Problem
from lakeport.pipeline.project.settings import Written, default_problems
from lakeport.pipeline.project.sources import FILE, read_sources


@dataclass(frozen=True, slots=True)
class Given:
    """What the settings say. `place` tells where a key (`pipeline.defaults.tags`) was written."""

    root: Path
    models: Path
    name: str = ""
    catalog: str = "lake"
    defaults: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    vars: Mapping[str, Any] = field(default_factory=dict)
    environments: Mapping[str, Any] = field(default_factory=dict)
    place: Callable[[str], Place] = lambda _key: Place("lakeport.toml")


def read_project(given: Given, environment: str | None = None) -> Project:
    """Never fails on what the files say: problems are in the project. An unknown environment does."""
    environments, problems = read_environments(
        given.environments, lambda name: given.place(f"pipeline.environments.{name}")
    )
    chosen = _chosen(environments, environment)
    defaults = Written(
        {**given.defaults, **chosen.defaults},
        lambda key: _laid(given, chosen, "defaults", key),
        lambda _key: [],
    )
    reading = Reading(defaults, {**given.vars, **chosen.vars}, problems=problems)
    problems += default_problems(defaults)
    parameters = {**given.parameters, **chosen.parameters}
    problems += wrong_parameters(parameters, lambda key: _laid(given, chosen, "parameters", key))
    if given.models.is_dir():
        read_models(given.root, given.models, reading)
        if not reading.models and not problems:
            problems.append(_no_models(given))
    else:
        problems.append(_no_folder(given))
    sources = _sources(given, reading)
    problems += _both(reading.models, sources)
    problems += collisions(
        environments,
        [model.name.namespace for model in reading.models],
        [source.name.namespace for source in sources],
    )
    return Project(
        root=given.root,
        name=given.name or given.root.name,
        models=TableMap((model.name, model) for model in _first(reading.models)),
        sources=TableMap((source.name, source) for source in sources),
        parameters=parameters,
        vars=reading.vars,
        environment=chosen.environment,
        catalog=given.catalog,
        problems=tuple(problems),
    )


def _first(models: Iterable[Model]) -> Iterable[Model]:
    """Of files that build one table, which is a problem already, the first."""
    seen: set[tuple[str, str]] = set()
    for model in models:
        if model.name.folded not in seen:
            seen.add(model.name.folded)
            yield model


def _chosen(environments: Mapping[str, Overrides], name: str | None) -> Overrides:
    if name is None:
        return Overrides(Environment(), Place("lakeport.toml"))
    if name not in environments:
        if not environments:
            raise UnknownWordError(
                f"there is no environment {quoted(name)}",
                hint=f'describe it: [pipeline.environments.{name}] and below it prefix = "{name}_"',
            )
        raise UnknownWordError.among("environment", name, environments)
    return environments[name]


def _laid(given: Given, chosen: Overrides, section: str, key: str) -> Place:
    """Where a key was written that an environment may have laid over the project's."""
    if key in getattr(chosen, section):
        return chosen.place
    return given.place(f"pipeline.{section}.{key}")


def _no_models(given: Given) -> Problem:
    shown = _relative(given)
    return Problem(
        "no-models",
        "there is no model",
        f"write a query to {shown}/NAMESPACE/NAME.sql: it builds the table NAMESPACE.NAME",
        Place(shown),
    )


def _no_folder(given: Given) -> Problem:
    return Problem(
        "no-models",
        "there is no folder of models",
        f"make {_relative(given)}/NAMESPACE/NAME.sql, or set pipeline.models to the folder",
        given.place("pipeline.models"),
    )


def _relative(given: Given) -> str:
    inside = given.models.is_relative_to(given.root)
    return given.models.relative_to(given.root).as_posix() if inside else given.models.as_posix()


def _sources(given: Given, reading: Reading) -> list[Source]:
    file = given.root / FILE
    if not file.is_file():
        return []
    text = read_text(Found(file, FILE, (), "sql"), reading)
    if text is None:
        return []
    sources, problems = read_sources(text)
    reading.problems += problems
    return sources


def _both(models: Iterable[Model], sources: Iterable[Source]) -> Iterable[Problem]:
    built = TableMap((model.name, model) for model in models)
    for source in sources:
        if source.name in built:
            yield Problem(
                "duplicate-model",
                f"{quoted(str(source.name))} is declared as a source, and {built[source.name].path} builds it",
                "a source is filled by others: rename the model, or do not declare the table",
                Place(source.path, source.line),
            )


def nearest_table(name: str, project: Project) -> str | None:
    """The model or source that a person most likely meant."""
    known = [*project.models, *project.sources]
    if "." in name:
        return nearest(name, map(str, known))
    close = nearest(name, [one.table for one in known])
    return next((str(one) for one in known if one.table == close), None)
