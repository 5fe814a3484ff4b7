"""How much a manifest says of a column: `write.metadata.metrics.default` and `….column.NAME`.

`none`, `counts`, `truncate(n)` (texts and bytes bounded by their first n) and `full`, as Iceberg spells
them. What makes no sense counts as not said; without a word it is `truncate(16)`, Iceberg's default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_DEFAULT = "write.metadata.metrics.default"
_COLUMN = "write.metadata.metrics.column."
_TRUNCATE = re.compile(r"truncate\(([1-9][0-9]{0,8})\)")


@dataclass(frozen=True, slots=True)
class Mode:
    """`longest` is how many characters or bytes a bound has at most, None any number."""

    counts: bool = True
    bounds: bool = True
    longest: int | None = 16


_NAMED = {
    "none": Mode(counts=False, bounds=False),
    "counts": Mode(bounds=False),
    "full": Mode(longest=None),
}


@dataclass(frozen=True, slots=True)
class Modes:
    usual: Mode
    by_column: Mapping[str, Mode]

    def of(self, column: str) -> Mode:
        """The mode of a column, by Iceberg's name of it."""
        return self.by_column.get(column, self.usual)


def modes_of(properties: Mapping[str, str]) -> Modes:
    found = {
        key.removeprefix(_COLUMN): mode
        for key, text in properties.items()
        if key.startswith(_COLUMN) and (mode := _mode(text)) is not None
    }
    return Modes(_mode(properties.get(_DEFAULT, "")) or Mode(), found)


def _mode(text: str) -> Mode | None:
    spelled = text.strip().lower()
    if (cut := _TRUNCATE.fullmatch(spelled)) is not None:
        return Mode(longest=int(cut[1]))
    return _NAMED.get(spelled)
