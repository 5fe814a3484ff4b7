"""Templates into SQL: plain Jinja and dbt, in a sandbox, with the way back to the source's lines."""

from __future__ import annotations

from lakeport.lineage.templating.project import Project
from lakeport.lineage.templating.rendering import DbtModel, Reference, RenderedText, Rendering

__all__ = ["DbtModel", "Project", "Reference", "RenderedText", "Rendering"]
