"""What `sources.toml` says of a table that is loaded: its columns, once it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from lakeport.app.settings import Settings
    from lakeport.core.names import TableName

_FILE = "sources.toml"


def declared_columns(settings: Settings, table: TableName) -> pa.Schema | None:
    """Those of a known type; None if the project says nothing about the table."""
    path = settings.root / _FILE
    if settings.file is None or not path.is_file():
        return None
    return _declared_in(path, table)


def _declared_in(path: Path, table: TableName) -> pa.Schema | None:
    # Reading it takes all that reads a project, sqlglot too: a sixth of what loading a small file takes.
    import pyarrow as pa  # noqa: PLC0415

    from lakeport.pipeline.growth.changes import arrow_type  # noqa: PLC0415
    from lakeport.pipeline.growth.spark_words import type_from_text  # noqa: PLC0415
    from lakeport.pipeline.project import ProjectError  # noqa: PLC0415
    from lakeport.pipeline.project.sources import read_sources  # noqa: PLC0415

    sources, problems = read_sources(path.read_text(encoding="utf-8-sig"))
    if problems:
        raise ProjectError(problems)
    source = next((each for each in sources if each.name.folded == table.folded), None)
    if source is None or not source.columns:
        return None
    return pa.schema(
        [(name, arrow_type(type_from_text(text))) for name, text in source.columns if text]
    )
