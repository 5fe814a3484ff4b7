"""The formats an analysis can be exported to, by name.

The command line, its help and the documentation read this table; a new format is one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from lakeport.lineage.render.dot import dot
from lakeport.lineage.render.html import html
from lakeport.lineage.render.mappings import csv_text
from lakeport.lineage.render.mermaid import mermaid
from lakeport.lineage.render.openlineage import openlineage
from lakeport.lineage.render.picture import Level
from lakeport.lineage.render.schema_text import schema_ddl, schema_json
from lakeport.lineage.result import AnalyzeResult, encode_result

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Style:
    """What a format may want to know beside the result. Each takes what concerns it."""

    level: Level = "table"
    dialect: str = "generic"
    title: str = "Lineage"
    namespace: str = "lakeport"


Renderer: TypeAlias = Callable[[AnalyzeResult, Style], str]


def _json(result: AnalyzeResult, _style: Style) -> str:
    return msgspec.json.format(encode_result(result), indent=2).decode() + "\n"


FORMATS: Mapping[str, Renderer] = {
    "json": _json,
    "mermaid": lambda result, style: mermaid(result, level=style.level),
    "dot": lambda result, style: dot(result, level=style.level),
    "csv": lambda result, _: csv_text(result),
    "html": lambda result, style: html(result, title=style.title),
    "openlineage": lambda result, style: openlineage(result, namespace=style.namespace),
    "schema-json": lambda result, _: schema_json(result),
    "schema-ddl": lambda result, style: schema_ddl(result, dialect=style.dialect),
}


def render(result: AnalyzeResult, name: str, style: Style | None = None) -> str:
    """The result in one of `FORMATS`."""
    return FORMATS[name](result, style or Style())
