"""Which table a SQL file builds, for lineage of single files: as the project that it belongs to says.

A file is looked at by itself here, without its project being read; what is wrong with either is told by
whoever plans or runs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakeport.app.settings.project import find
from lakeport.core import toml
from lakeport.pipeline.project.settings import split_comment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def built_by(path: Path, content: str) -> str | None:
    """The table that the query of this file builds; None if it is no model of a project."""
    models = _models_folder(path)
    if models is None:
        return None
    folders = path.resolve().relative_to(models).parts[:-1]
    if not folders:
        return None
    document = split_comment(path.name, content).document
    given = document.values.get("name") if document is not None else None
    return given if isinstance(given, str) else f"{folders[0]}.{path.stem}"


def _models_folder(path: Path) -> Path | None:
    """The folder of models around a file, if the nearest project has it there."""
    file = find(path.resolve().parent)
    if file is None:
        return None
    pipeline = _values(file).get("pipeline")
    named = pipeline.get("models") if isinstance(pipeline, dict) else None
    models = (file.parent / (named if isinstance(named, str) else "models")).resolve()
    return models if models in path.resolve().parents else None


def _values(file: Path) -> Mapping[str, Any]:
    """A damaged file says nothing here."""
    try:
        return toml.read(file.read_text(encoding="utf-8-sig")).values
    except (toml.TomlError, UnicodeDecodeError):
        return {}
