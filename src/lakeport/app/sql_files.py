"""SQL files as lineage gets them: a name, a text, and the table that a model's query builds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lakeport.core.errors import InvalidRequestError, NotFoundError

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class SqlFile:
    """A text to analyse. `lines` tells of each line of a rendered one which of the file's it is."""

    name: str
    content: str
    builds: str | None = None
    lines: tuple[int | None, ...] | None = None

    def line(self, offset: int) -> int | None:
        """The line of the file that a byte of the content is on."""
        row = self.content.encode()[:offset].count(b"\n")
        if self.lines is None:
            return row + 1
        return self.lines[row] if row < len(self.lines) else None


def read_payload(path: Path) -> bytes:
    """A file's bytes, or those of standard input."""
    if str(path) == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    if path.is_dir():
        raise InvalidRequestError(f"{path} is a folder", hint="name a file of it")
    if not path.is_file():
        raise NotFoundError(f"there is no file {path}", hint="`-` reads standard input")
    return path.read_bytes()


def read_text(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequestError(f"{path} is not UTF-8 text", hint="convert it first") from error


def files_in(paths: Sequence[Path], suffixes: tuple[str, ...] = (".sql",)) -> list[Path]:
    """Files that are named, and those inside of named folders in the order of their paths."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(file for file in path.rglob("*") if file.suffix in suffixes)
        if not inside:
            raise NotFoundError(f"there is no .sql file in {path}")
        found += inside
    return found
