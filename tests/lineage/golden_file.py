"""Reads the golden files: SQL with its request above it and its expected answer below.

    -- case: using_keeps_the_left_key            a case starts
    -- dialect: spark                            request lines, see `_REQUEST`
    -- table: a(id int, x int, ...)              an imported table; `...` = the list is not complete
    -- file: stage.sql                           what follows is that file's text
    -- pending: why                              known to fail; passing is then an error
    SELECT x FROM a JOIN b USING (id)
    --> out.x <- a.x                             expected lines, see `golden_check`

The SQL handed to the analyzer is the case without these lines, so spans are those of plain SQL.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ANALYSIS_TIME = "2026-01-01T00:00:00Z"
_DIRECTIVE = re.compile(
    r"^-- (case|dialect|table|view|schema|options|request|file|pending|spec): ?(.*)$"
)
_TABLE = re.compile(r"^(?P<name>[^(]+)\((?P<columns>.*)\)(?P<rest>[^)]*)$")


@dataclass(frozen=True, slots=True)
class TableLine:
    """`catalog.schema.name(column type, …, ...) word word`, on either side of a case."""

    name: str
    columns: tuple[tuple[str, str], ...]
    complete: bool
    words: tuple[str, ...]


@dataclass(slots=True)
class GoldenCase:
    identity: str
    request: dict[str, Any]
    expected: list[str] = field(default_factory=list)
    pending: str | None = None


def read_table(text: str) -> TableLine:
    found = _TABLE.match(text.strip())
    if found is None:
        raise ValueError(f"not a table line: {text}")
    parts = [part.strip() for part in split_outside_brackets(found["columns"]) if part.strip()]
    columns = [part.partition(" ") for part in parts if part != "..."]
    return TableLine(
        name=found["name"].strip(),
        columns=tuple((name, kind.strip()) for name, _, kind in columns),
        complete="..." not in parts,
        words=tuple(found["rest"].split()),
    )


def split_outside_brackets(text: str) -> list[str]:
    """Split at commas, but not at those of `decimal(9,2)` or `struct<a:int,b:int>`."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "(<[":
            depth += 1
        elif character in ")>]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    return parts


def read_cases(path: Path) -> Iterator[GoldenCase]:
    case: GoldenCase | None = None
    texts: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        directive = _DIRECTIVE.match(line)
        if directive is not None and directive[1] == "case":
            if case is not None:
                yield _finished(case, texts)
            case = GoldenCase(f"{path.stem}.{directive[2].strip()}", _new_request())
            texts = []
        elif case is None:
            if line.strip() and not line.startswith("--"):
                raise ValueError(f"{path.name}:{number}: SQL before the first case")
        elif line.startswith("--> "):
            case.expected.append(line[4:].strip())
        elif directive is not None:
            texts = _request_line(case, directive[1], directive[2], texts)
        else:
            texts.append(line)
    if case is not None:
        yield _finished(case, texts)


def _new_request() -> dict[str, Any]:
    return {"dialect": "spark", "options": {"analysisTime": ANALYSIS_TIME}}


def _request_line(case: GoldenCase, word: str, value: str, texts: list[str]) -> list[str]:
    request = case.request
    match word:
        case "dialect":
            request["dialect"] = value.strip()
        case "table":
            request.setdefault("schema", {}).setdefault("tables", []).append(_imported(value))
        case "view":
            name, _, sql = value.partition(" AS ")
            views = request.setdefault("schema", {}).setdefault("views", [])
            views.append({**_name_parts(name.strip()), "sql": sql})
        case "schema":
            request.setdefault("schema", {}).update(json.loads(value))
        case "options":
            request["options"].update(json.loads(value))
        case "request":
            request.update(json.loads(value))
        case "pending":
            case.pending = value.strip()
        case "file":
            _close_file(request, texts)
            request.setdefault("files", []).append({"name": value.strip(), "content": ""})
            return []
        case _:
            pass  # `spec:` points a reader to the paragraph the case was written from
    return texts


def _imported(value: str) -> dict[str, Any]:
    line = read_table(value)
    columns = [
        {"name": name, **({"dataType": kind} if kind else {})} for name, kind in line.columns
    ]
    table: dict[str, Any] = {**_name_parts(line.name), "columns": columns}
    if not line.complete:
        table["columnsComplete"] = False
    if "view" in line.words:
        table["kind"] = "view"
    return table


def _name_parts(name: str) -> dict[str, str]:
    parts = name.split(".")
    return dict(zip(("catalog", "schema", "name")[-len(parts) :], parts, strict=True))


def _close_file(request: dict[str, Any], texts: list[str]) -> None:
    if request.get("files"):
        request["files"][-1]["content"] = "\n".join(texts)


def _finished(case: GoldenCase, texts: list[str]) -> GoldenCase:
    if case.request.get("files"):
        _close_file(case.request, texts)
    else:
        case.request["sql"] = "\n".join(texts)
    return case
