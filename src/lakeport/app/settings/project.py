"""Which project is meant, and what its lakeport.toml says on which line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lakeport.app.settings.keys import CATALOGS
from lakeport.core import toml
from lakeport.core.errors import ConfigurationError, NotFoundError
from lakeport.core.names import quoted

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "lakeport.toml"

_CATALOG_NAME = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A parsed lakeport.toml. `lines` tells where each dotted key was written."""

    path: Path
    values: dict[str, Any]
    lines: dict[tuple[str, ...], int] = field(repr=False)

    def place(self, key: tuple[str, ...]) -> str:
        """`lakeport.toml:LINE` of a key, or of the nearest table around it."""
        for length in range(len(key), 0, -1):
            line = self.lines.get(key[:length])
            if line is not None:
                return f"{self.path.name}:{line}"
        return self.path.name


def find(start: Path) -> Path | None:
    """The lakeport.toml of `start` or of the nearest folder above it."""
    for folder in (start, *start.parents):
        candidate = folder / FILE_NAME
        if candidate.is_file():
            return candidate
    return None


def named(project: Path) -> Path:
    """The lakeport.toml of the folder (or the file itself) that somebody named."""
    candidate = project if project.name == FILE_NAME else project / FILE_NAME
    if not candidate.is_file():
        raise NotFoundError(
            f"there is no {FILE_NAME} in {project}",
            hint=f"`lakeport init {project}` makes a project there",
        )
    return candidate.absolute()


def read(path: Path) -> ProjectFile:
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path.name} is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    try:
        document = toml.read(text)
    except toml.TomlError as error:
        raise _broken(path, text, error) from error
    return ProjectFile(path, dict(document.values), dict(document.places))


def catalog_names(written: ProjectFile) -> tuple[str, ...]:
    """The catalogs beside the first one, in the order of the file."""
    section = written.values.get(CATALOGS)
    tables = section.items() if isinstance(section, dict) else ()
    names = tuple(name for name, table in tables if isinstance(table, dict))
    for name in names:
        if _CATALOG_NAME.fullmatch(name) is None:
            raise ConfigurationError(
                f"{written.place((CATALOGS, name))}: a catalog cannot be called {quoted(name)}",
                hint="its name is part of addresses: use letters without accents, digits, _ and -",
            )
    return names


def _broken(path: Path, text: str, error: toml.TomlError) -> ConfigurationError:
    lines = text.splitlines()
    shown = lines[error.line - 1].strip() if error.line <= len(lines) else ""
    return ConfigurationError(
        f"{path.name}:{error.line}: {error.what}",
        hint=f"the line reads: {shown}" if shown else "the file is TOML",
    )
