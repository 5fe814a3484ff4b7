"""What `sources.toml` says of a table that is loaded: its columns, once it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from lakeport.pipeline.growth.changes import arrow_type
from lakeport.pipeline.growth.spark_words import type_from_text
from lakeport.pipeline.project import ProjectError
from lakeport.pipeline.project.sources import FILE, read_sources

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.core.names import TableName


def declared_columns(settings: Settings, table: TableName) -> pa.Schema | None:
    """Those of a known type; None if the project says nothing about the table."""
    path = settings.root / FILE
    if settings.file is None or not path.is_file():
        return None
    sources, problems = read_sources(path.read_text(encoding="utf-8-sig"))
    if problems:
        raise ProjectError(problems)
    source = next((each for each in sources if each.name.folded == table.folded), None)
    if source is None or not source.columns:
        return None
    return pa.schema(
        [(name, arrow_type(type_from_text(text))) for name, text in source.columns if text]
    )
