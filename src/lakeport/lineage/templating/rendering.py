"""What rendering a template answers: SQL with a way back to its lines, issues, and dbt's facts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from lakeport.lineage.issues import Issue

_STAR = "*"


def redacted(text: str, secrets: Collection[str]) -> str:
    """A text with every secret starred out; its length stays."""
    for secret in sorted(set(secrets), key=len, reverse=True):
        text = text.replace(secret, _STAR * len(secret))
    return text


@dataclass(frozen=True, slots=True)
class RenderedText:
    """SQL as it is analysed. `lines[n]` is the source line of rendered line n + 1, None if mixed.

    Empty `lines` mean the text is its own source. `secrets` came from environment variables.
    """

    sql: str
    lines: tuple[int | None, ...] = ()
    incremental: bool = False
    secrets: tuple[str, ...] = ()

    def source_line(self, line: int) -> int | None:
        """The line of the template that wrote a line of the SQL, both counted from 1."""
        if not self.lines:
            return line
        return self.lines[line - 1] if 0 < line <= len(self.lines) else None

    @property
    def shown(self) -> str:
        """The SQL as it may be shown: secrets starred out at equal length, so that spans hold."""
        return redacted(self.sql, self.secrets)


@dataclass(frozen=True, slots=True)
class Reference:
    """A model that another one reads through `ref`."""

    name: str
    package: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class DbtModel:
    """What a dbt file says about the relation it writes."""

    name: str
    alias: str
    schema: str | None = None
    database: str | None = None
    materialized: str = "view"
    refs: tuple[Reference, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    tags: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def namespace(self) -> tuple[str, ...]:
        """Where it is stored, as far as its configuration says."""
        return tuple(part for part in (self.database, self.schema) if part)

    @property
    def is_ephemeral(self) -> bool:
        return self.materialized == "ephemeral"


@dataclass(frozen=True, slots=True)
class Rendering:
    """No texts: it failed, and an issue says why. Two: an incremental run has other SQL."""

    texts: tuple[RenderedText, ...] = ()
    issues: tuple[Issue, ...] = ()
    model: DbtModel | None = None
