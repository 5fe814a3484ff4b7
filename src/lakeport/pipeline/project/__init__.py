"""A folder of models as data: files, settings, sources, templates, environments. No Spark, no catalog."""

from __future__ import annotations

from lakeport.pipeline.project.model import (
    BUILT_IN_PARAMETERS,
    THIS_ROWS,
    Audit,
    AuditKind,
    Environment,
    Language,
    Materialized,
    Model,
    ModelPublish,
    ModelSettings,
    Project,
    PublishMode,
    Severity,
    Source,
    Strategy,
    TableMap,
    Value,
)
from lakeport.pipeline.project.problems import Place, Problem, ProjectError
from lakeport.pipeline.project.read import Given, read_project
from lakeport.pipeline.project.rules import strategy_of

__all__ = [
    "BUILT_IN_PARAMETERS",
    "THIS_ROWS",
    "Audit",
    "AuditKind",
    "Environment",
    "Given",
    "Language",
    "Materialized",
    "Model",
    "ModelPublish",
    "ModelSettings",
    "Place",
    "Problem",
    "Project",
    "ProjectError",
    "PublishMode",
    "Severity",
    "Source",
    "Strategy",
    "TableMap",
    "Value",
    "read_project",
    "strategy_of",
]
