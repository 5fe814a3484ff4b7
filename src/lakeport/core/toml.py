"""TOML that knows on which line each key was written.

tomllib keeps no positions. But a whole document is valid, so a statement is the fewest lines from its
start that are valid by themselves: a value that spans lines is incomplete until its last one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_REASON = re.compile(
    r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)


class TomlError(ValueError):
    """Text that is no TOML; `column` is None where it ends too early."""

    def __init__(self, reason: str, text: str) -> None:
        found = _REASON.fullmatch(reason)
        self.what = found["what"] if found else reason
        lines = text.split("\n")
        while len(lines) > 1 and not lines[-1].strip():
            lines.pop()
        self.line = int(found["line"]) if found and found["line"] else len(lines)
        self.column = int(found["column"]) if found and found["column"] else None
        super().__init__(f"{self.what} (line {self.line})")


@dataclass(frozen=True)
class Document:
    """`first` is the line of a file that the text begins on."""

    values: Mapping[str, Any]
    text: str
    first: int = 1

    @cached_property
    def places(self) -> tuple[tuple[tuple[str, ...], int], ...]:
        """Every key with its line, in their order; found when it is asked for."""
        return tuple((key, line + self.first - 1) for key, line in positions(self.text))

    @cached_property
    def lines(self) -> dict[tuple[str, ...], int]:
        """The line of each key; of a key that is written more than once, the first."""
        return dict(reversed(self.places))

    def line(self, *key: str) -> int:
        """Where a key was written, or the nearest table around it."""
        for length in range(len(key), 0, -1):
            found = self.lines.get(key[:length])
            if found is not None:
                return found
        return self.first

    def items(self, key: str) -> list[int]:
        """The lines on which the elements of a list begin."""
        headers = [line for path, line in self.places if path == (key,)]
        given = self.values.get(key)
        wanted = len(given) if isinstance(given, list) else 0
        if len(headers) == wanted:
            return headers  # [[audits]], or a list of one element
        found: list[int] = []
        rows = self.text.split("\n")[headers[0] - self.first :] if headers else []
        for number in range(1, len(rows) + 1):
            begun = _begun("\n".join(rows[:number]), key)
            found += [self.line(key) + number - 1] * (begun - len(found))
        return (found + [self.line(key)] * wanted)[:wanted]


def read(text: str, first: int = 1) -> Document:
    try:
        return Document(tomllib.loads(text), text, first)
    except tomllib.TOMLDecodeError as error:
        raise TomlError(str(error), text) from error


def positions(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Each key with the line its statement starts on."""
    table: tuple[str, ...] = ()
    start, statement = 1, ""
    for number, line in enumerate(text.split("\n"), start=1):
        statement += line + "\n"
        try:
            parsed = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        if statement.lstrip().startswith("["):
            table = _deepest(parsed)
            yield table, start
        else:
            yield from (((*table, *key), start) for key in _leaves(parsed))
        start, statement = number + 1, ""


_QUOTES = ("", '"', '"""', "'''")
_ENDS = ("", *(f"{quote}{end}" for quote in _QUOTES for end in ("]", "}]", "]}]")))


def _begun(rows: str, key: str) -> int:
    """How many elements of an unfinished list have been begun."""
    for end in _ENDS:
        try:
            held = tomllib.loads(rows.rstrip().rstrip(",") + end).get(key)
        except tomllib.TOMLDecodeError:
            continue
        return len(held) if isinstance(held, list) else 0
    return 0


def _deepest(header: dict[str, Any]) -> tuple[str, ...]:
    path: list[str] = []
    value: Any = header
    while value:
        if isinstance(value, list):  # [[an.array.of.tables]]
            value = value[0]
            continue
        key, value = next(iter(value.items()))
        path.append(key)
    return tuple(path)


def _leaves(value: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for key, item in value.items():
        yield (key,)
        if isinstance(item, dict):
            yield from ((key, *rest) for rest in _leaves(item))
