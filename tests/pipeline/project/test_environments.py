"""Environments: the same models elsewhere, and never where somebody else writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lakeport.core.names import TableName
from tests.pipeline.projects import graph, name_of, problems, project

FILES = {
    "models/staging/x.sql": "SELECT 1 AS id",
    "models/marts/y.sql": "SELECT * FROM staging.x JOIN raw.t",
    "sources.toml": "[raw.t]",
}


def test_models_are_mapped_and_sources_are_not(tmp_path: Path) -> None:
    environments = {"dev": {"prefix": "dev_", "namespaces": {"Marts": "mine"}}}
    found = graph(tmp_path, FILES, environment="dev", environments=environments)
    assert [(str(node.name), str(node.table)) for node in found.nodes] == [
        ("staging.x", "dev_staging.x"),
        ("marts.y", "mine.y"),
    ]
    environment = found.project.environment
    mapped = found.nodes[1].rewritten(
        lambda one: str(environment.table(one.table)) if one.kind == "model" else None
    )
    assert mapped == "SELECT * FROM dev_staging.x JOIN raw.t"


def test_an_environment_lays_its_settings_over_the_project(tmp_path: Path) -> None:
    environments = {
        "dev": {
            "prefix": "d_",
            "parameters": {"least": 1},
            "vars": {"size": 2},
            "defaults": {"tags": ["dev"]},
        }
    }
    given: dict[str, Any] = {
        "environments": environments,
        "parameters": {"least": 5, "most": 9},
        "vars": {"size": 7},
    }
    dev = project(tmp_path, FILES, "dev", **given)
    assert (dev.parameters, dev.vars) == ({"least": 1, "most": 9}, {"size": 2})
    assert dev.models[name_of("marts.y")].settings.tags == ("dev",)
    plain = project(tmp_path, FILES, **given)
    assert (plain.parameters, plain.vars) == ({"least": 5, "most": 9}, {"size": 7})
    assert plain.environment.table(TableName("marts", "y")) == TableName("marts", "y")


EXAMPLE = 'write prefix = "dev_", or namespaces = { marts = "dev_marts" }'


@pytest.mark.parametrize(
    ("environments", "told"),
    [
        (
            {"dev": {"prefix": "d_"}, "ci": {"prefix": "D_"}},
            [
                (
                    "environment `ci` maps `marts` to `D_marts`, and environment `dev` maps `marts` there\n"
                    "  map it to a namespace of its own"
                ),
                (
                    "environment `ci` maps `staging` to `D_staging`, and environment `dev` maps `staging` "
                    "there\n  map it to a namespace of its own"
                ),
            ],
        ),
        (
            {"dev": {"namespaces": {"marts": "staging"}}},
            [
                (
                    "environment `dev` maps `marts` to `staging`, where the models of `staging` are without "
                    "an environment\n  map it to a namespace of its own"
                )
            ],
        ),
        (
            {"dev": {"namespaces": {"marts": "RAW"}}},
            [
                (
                    "environment `dev` maps `marts` to `RAW`, where sources are\n"
                    "  map it to a namespace of its own"
                )
            ],
        ),
        (
            {"dev": {"namespaces": {"marts": "one", "staging": "one"}}},
            [
                (
                    "environment `dev` maps `staging` to `one`, and environment `dev` maps `marts` there\n"
                    "  map it to a namespace of its own"
                )
            ],
        ),
        (
            {"dev": {"namespaces": {"mart": "x"}, "prefix": "d_"}},
            [
                (
                    "environment `dev` maps `mart`, where no model is\n"
                    "  did you mean `marts`? namespaces: marts, staging"
                )
            ],
        ),
        (
            {"dev": {"prefx": "d_"}},
            [
                (
                    "environment `dev`: there is no setting `prefx`\n"
                    "  did you mean `prefix`? settings: prefix, namespaces, parameters, vars, defaults"
                )
            ],
        ),
        ({"dev": 3}, [f"the environment `dev` is no table\n  {EXAMPLE}"]),
        ({"dev": {"prefix": ""}}, [f"environment `dev`: `prefix` is no text\n  {EXAMPLE}"]),
        (
            {"dev": {"prefix": "a/"}},
            [
                (
                    "environment `dev`: no namespace can begin with `a/`: a slash would lead into another "
                    "folder\n  choose another prefix"
                )
            ],
        ),
    ],
)
def test_environments_that_collide_or_say_nothing(
    environments: dict[str, Any], told: list[str], tmp_path: Path
) -> None:
    found = problems(tmp_path, FILES, environments=environments)
    assert found == [f"lakeport.toml: {one}" for one in told]


def test_an_environment_may_share_a_namespace_with_the_project(tmp_path: Path) -> None:
    environments = {"dev": {"namespaces": {"marts": "dev_marts"}}}
    assert problems(tmp_path, FILES, "dev", environments=environments) == []
