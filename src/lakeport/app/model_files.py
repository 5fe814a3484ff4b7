"""Which table a SQL file of a project builds: `models/NAMESPACE/…/NAME.sql` builds `NAMESPACE.NAME`.

A model may say another name in its settings, the TOML in its leading `/* lakeport … */` comment.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_PROJECT_FILE = "lakeport.toml"
_SETTINGS = re.compile(r"\s*/\*\s*lakeport\b(?P<toml>.*?)\*/", re.DOTALL)


def built_by(path: Path, content: str) -> str | None:
    """The table that the query of this file builds; None if it is no model of a project."""
    models = _models_folder(path)
    if models is None:
        return None
    folders = path.resolve().relative_to(models).parts[:-1]
    if not folders:
        return None
    found = _SETTINGS.match(content)
    given = _read(found["toml"]).get("name") if found else None
    return given if isinstance(given, str) else f"{folders[0]}.{path.stem}"


def _models_folder(path: Path) -> Path | None:
    """The folder of models around a file, if the nearest project has it there."""
    around = path.resolve().parents
    project = next((folder for folder in around if (folder / _PROJECT_FILE).is_file()), None)
    if project is None:
        return None
    pipeline = _read((project / _PROJECT_FILE).read_text(encoding="utf-8")).get("pipeline")
    named = pipeline.get("models") if isinstance(pipeline, dict) else None
    models = (project / (named if isinstance(named, str) else "models")).resolve()
    return models if models in around else None


def _read(text: str) -> dict[str, Any]:
    """TOML that is damaged says nothing here; whoever runs the model tells what is wrong with it."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
