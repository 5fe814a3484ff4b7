"""What is wrong with a project, each with its file, line and remedy; all of it is told at once.

A problem is data, so that loading goes on and finds the next one. Only when everything was looked at does
`ProjectError` end the work: whoever has ten mistakes wants to see ten.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lakeport.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Place:
    """A file of the project (relative, with slashes); lines and columns count from 1."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = (self.path, self.line, self.column if self.line is not None else None)
        return ":".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class Problem:
    """`code` is stable; `excerpt` is the line it is about with a caret below, as it is shown."""

    code: str
    message: str
    hint: str
    place: Place
    excerpt: str | None = None

    @property
    def told(self) -> str:
        """Without the hint."""
        lines = [f"{self.place}: {self.message}"]
        if self.excerpt is not None:
            lines += [f"  {line}" for line in self.excerpt.split("\n")]
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"{self.told}\n  {self.hint}"

    def as_dict(self) -> dict[str, object]:
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "path": self.place.path,
            "line": self.place.line,
            "column": self.place.column,
        }

    @property
    def order(self) -> tuple[str, int, int, str]:
        return self.place.path, self.place.line or 0, self.place.column or 0, self.code


class ProjectError(ConfigurationError):
    """Everything that is wrong with a project, sorted by file and line."""

    code = "project"

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(dict.fromkeys(problems), key=lambda problem: problem.order))
        if len(self.problems) == 1:
            super().__init__(self.problems[0].told, hint=self.problems[0].hint)
            return
        count = f"there are {len(self.problems)} problems in this project"
        super().__init__("\n\n".join((count, *map(str, self.problems))))

    def as_dict(self) -> dict[str, object]:
        problems = [problem.as_dict() for problem in self.problems]
        return {**super().as_dict(), "problems": problems}


def excerpt(text: str, line: int, column: int | None = None) -> str | None:
    """A line of a text and a caret below its column, None if there is nothing to see."""
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return None
    shown = lines[line - 1].rstrip("\r")
    if not shown.strip():
        return None
    if column is None:
        return shown.strip()
    bare = shown.lstrip()
    before = max(0, column - 1 - (len(shown) - len(bare)))
    if before <= _WIDEST:
        return f"{bare[: 2 * _WIDEST]}\n{' ' * before}^"
    # A long line is shown around its place.
    start = before - _WIDEST // 2
    return f"…{bare[start : start + 2 * _WIDEST]}\n{' ' * (before - start + 1)}^"


_WIDEST = 100
