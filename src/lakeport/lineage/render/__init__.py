"""An analysis as text for others to read: drawings, tables, events, schemas. Pure functions."""

from __future__ import annotations

from lakeport.lineage.render.changes import ChangeLine, change_lines
from lakeport.lineage.render.formats import FORMATS, Style, render
from lakeport.lineage.render.mappings import Mapping, mappings

__all__ = ["FORMATS", "ChangeLine", "Mapping", "Style", "change_lines", "mappings", "render"]
