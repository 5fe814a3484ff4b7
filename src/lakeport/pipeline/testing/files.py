"""`tests/**/*.toml`: each `[[test]]` a model, the rows it is given and those it must make of them.

    [[test]]
    name = "cancelled orders do not count"
    model = "intermediate.order_totals"
    given."staging.orders" = [{ order_id = 1, status = "cancelled" }]
    expect = []

Everything that is wrong with the files is found before Spark starts, and told with its line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from lakeport.core import toml
from lakeport.core.names import TableName, nearest, quoted
from lakeport.pipeline.growth.model import Foreign, Type, parts
from lakeport.pipeline.growth.spark_words import type_from_text
from lakeport.pipeline.project.model import BUILT_IN_PARAMETERS, Project
from lakeport.pipeline.project.problems import Place, Problem, excerpt
from lakeport.pipeline.testing.model import GivenTable, Row, UnitTest

FOLDER = "tests"
_KEYS = (
    *("name", "model", "given", "expect", "expect_error", "ordered", "is_incremental"),
    *("missing", "columns", "parameters", "vars"),
)
_EXAMPLE = '[[test]] and below it name = "…", model = "namespace.name", given, expect'
_ROWS = 'write rows: [{ id = 1, name = "a" }, …], CSV text, or the name of a .csv file beside it'


@dataclass(slots=True)
class Tests:
    """In the order of files and lines."""

    found: list[UnitTest] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_tests(project: Project, folder: Path | None = None) -> Tests:
    tests = Tests()
    root = folder or project.root / FOLDER
    for path in sorted(root.rglob("*.toml")) if root.is_dir() else ():
        shown = path.relative_to(project.root).as_posix()
        text = ""
        try:
            text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
            document = toml.read(text)
        except UnicodeDecodeError:
            tests.problems.append(
                Problem("toml", "this is no UTF-8 text", "save it as UTF-8", Place(shown, 1))
            )
            continue
        except toml.TomlError as error:
            place = Place(shown, error.line, error.column)
            line = excerpt(text, error.line, error.column)
            tests.problems.append(
                Problem("toml", error.what, f"the file is TOML: {_EXAMPLE}", place, line)
            )
            continue
        reader = _Reader(project, document, path, shown, tests.problems)
        tests.found += reader.tests()
    return tests


@dataclass(frozen=True, slots=True)
class _Reader:
    project: Project
    document: toml.Document
    path: Path
    shown: str
    problems: list[Problem]

    def tests(self) -> Iterator[UnitTest]:
        values = self.document.values
        for key in values:
            if key != "test":
                hint = (
                    f"did you mean [[test]]? write {_EXAMPLE}"
                    if nearest(key, ["test"])
                    else f"write {_EXAMPLE}"
                )
                self._problem(
                    "test-key",
                    f"there is no {quoted(key)} in a file of tests",
                    hint,
                    self.document.line(key),
                )
        listed = values.get("test", [])
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            self._problem(
                "test-key",
                "`test` is no list of tables",
                f"write {_EXAMPLE}",
                self.document.line("test"),
            )
            return
        names: dict[str, int] = {}
        lines = [line for key, line in self.document.places if key == ("test",)]
        for number, given in enumerate(listed):
            line = lines[number] if number < len(lines) else self.document.line("test")
            one = _One(self, given, line, lines[number + 1] if number + 1 < len(lines) else None)
            before = len(self.problems)
            test = one.test()
            if test is None or len(self.problems) > before:
                continue
            if test.name in names:
                message = f"two tests are called {quoted(test.name)}"
                self._problem(
                    "twice", message, f"the other is on line {names[test.name]}: rename one", line
                )
                continue
            names[test.name] = line
            yield test

    def _problem(self, code: str, message: str, hint: str, line: int) -> None:
        self.problems.append(Problem(code, message, hint, Place(self.shown, line)))


@dataclass(frozen=True, slots=True)
class _One:
    """A `[[test]]`; `line` is where it begins, `end` where the next one does."""

    reader: _Reader
    given: Mapping[str, Any]
    line: int
    end: int | None

    def test(self) -> UnitTest | None:
        for key in self.given:
            if key not in _KEYS:
                close = nearest(key, _KEYS)
                hint = f"did you mean {quoted(close)}? " if close else ""
                self.problem(
                    "test-key",
                    f"a test has no {quoted(key)}",
                    f"{hint}it has: {', '.join(_KEYS)}",
                    key,
                )
        name, model = self._text("name"), self._model()
        expect = self._expect()
        error = self._text("expect_error") if "expect_error" in self.given else None
        if ("expect" in self.given) == ("expect_error" in self.given):
            self.problem(
                "test-expect",
                "a test needs `expect` or `expect_error`, and not both",
                "expect = [] means no rows",
            )
        if name is None or model is None:
            return None
        return UnitTest(
            name=name,
            model=model,
            given={table: rows for table in self._table("given") if (rows := self._rows(table))},
            place=self.place(),
            expect=expect,
            expect_place=self.place("expect"),
            expect_error=error,
            ordered=self._flag("ordered"),
            is_incremental=self._flag("is_incremental"),
            empty=self._missing(),
            columns=self._columns(),
            parameters=self._parameters(),
            vars=self._table("vars"),
        )

    # -- keys ------------------------------------------------------------------------------------

    def _text(self, key: str) -> str | None:
        value = self.given.get(key)
        if isinstance(value, str) and value.strip():
            return value
        what = "has no" if key not in self.given else "has a wrong"
        self.problem("test-key", f"a test {what} {quoted(key)}", f'write {key} = "…"', key)
        return None

    def _flag(self, key: str) -> bool:
        value = self.given.get(key, False)
        if not isinstance(value, bool):
            self.problem("test-key", f"{quoted(key)} is true or false", f"write {key} = true", key)
        return value is True

    def _table(self, key: str) -> Mapping[str, Any]:
        value = self.given.get(key, {})
        if isinstance(value, dict):
            return value
        self.problem("test-key", f"{quoted(key)} is no table", f"write {key}.NAME = …", key)
        return {}

    def _missing(self) -> bool:
        value = self.given.get("missing", "error")
        if value not in {"error", "empty"}:
            self.problem(
                "test-key", '`missing` is "error" or "empty"', "leave it out for error", "missing"
            )
        return bool(value == "empty")

    def _model(self) -> TableName | None:
        text = self._text("model")
        if text is None:
            return None
        models = self.reader.project.models
        name = TableName.parse(text)
        if name is not None and name in models:
            return models.spelling(name)
        close = nearest(text, map(str, models))
        hint = f"did you mean {quoted(close)}?" if close else "models are named NAMESPACE.NAME"
        self.problem("unknown-model", f"there is no model {quoted(text)}", hint, "model")
        return None

    def _parameters(self) -> Mapping[str, Any]:
        known = {*self.reader.project.parameters, *BUILT_IN_PARAMETERS}
        given = self._table("parameters")
        for name, value in given.items():
            if name not in known:
                close = nearest(name, known)
                hint = (
                    f"did you mean {quoted(close)}?"
                    if close
                    else "set it in [pipeline.parameters], too"
                )
                self.problem(
                    "unknown-parameter",
                    f"there is no parameter {quoted(name)}",
                    hint,
                    "parameters",
                    name,
                )
            elif not isinstance(value, str | int | float | bool | date):
                self.problem(
                    "parameter",
                    f"the parameter {quoted(name)} is no plain value",
                    "write one value",
                    "parameters",
                    name,
                )
        return given

    def _columns(self) -> dict[str, dict[str, Type]]:
        found: dict[str, dict[str, Type]] = {}
        for table, columns in self._table("columns").items():
            if not isinstance(columns, dict):
                self.problem(
                    "test-key",
                    f"columns of {quoted(table)} are no table",
                    f'write columns."{table}" = {{ id = "bigint" }}',
                    "columns",
                    table,
                )
                continue
            for column, text in columns.items():
                type_ = type_from_text(text) if isinstance(text, str) else Foreign(str(text))
                if any(isinstance(inner, Foreign) for _, inner in parts((), type_)):
                    self.problem(
                        "unknown-type",
                        f"{quoted(column)}: there is no type {text}",
                        'types are Spark\'s: "bigint", "decimal(10,2)", "array<string>"',
                        "columns",
                        table,
                    )
                else:
                    found.setdefault(table, {})[column] = type_
        return found

    # -- rows ------------------------------------------------------------------------------------

    def _rows(self, table: str) -> GivenTable | None:
        value = self.given["given"][table]
        place = self.place("given", table)
        if isinstance(value, str):
            rows = self._csv(value, table)
            return None if rows is None else GivenTable(table, rows, place, is_text=True)
        rows = self._listed(value, f"the rows of {quoted(table)}", "given", table)
        return None if rows is None else GivenTable(table, rows, place)

    def _expect(self) -> tuple[Row, ...] | None:
        if "expect" not in self.given:
            return None
        value = self.given["expect"]
        if isinstance(value, str):
            return self._csv(value, None)
        return self._listed(value, "the rows of `expect`", "expect")

    def _listed(self, value: object, what: str, *key: str) -> tuple[Row, ...] | None:
        if isinstance(value, list) and all(isinstance(row, dict) for row in value):
            return tuple(value)
        self.problem("test-rows", f"{what} are no list of tables", _ROWS, *key)
        return None

    def _csv(self, value: str, table: str | None) -> tuple[Row, ...] | None:
        key = ("expect",) if table is None else ("given", table)
        text = value
        if "\n" not in value:
            try:
                text = (self.reader.path.parent / value).read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError, ValueError):
                self.problem("test-rows", f"{quoted(value)} cannot be read", _ROWS, *key)
                return None
        try:
            return tuple(_csv_rows(text))
        except ValueError as error:
            self.problem("test-rows", f"this is no CSV: {error}", _ROWS, *key)
            return None

    # -- places ----------------------------------------------------------------------------------

    def place(self, *key: str) -> Place:
        """Where a key of this test was written, or the nearest one around it."""
        for length in range(len(key), 0, -1):
            wanted = ("test", *key[:length])
            for path, line in self.reader.document.places:
                if path == wanted and self.line <= line and (self.end is None or line < self.end):
                    return Place(self.reader.shown, line)
        return Place(self.reader.shown, self.line)

    def problem(self, code: str, message: str, hint: str, *key: str) -> None:
        self.reader.problems.append(Problem(code, message, hint, self.place(*key)))


def _csv_rows(text: str) -> Iterable[Row]:
    """An empty cell is NULL; `""` cannot be told from it."""
    lines = csv.reader(io.StringIO(text.strip("\n") + "\n"), strict=True, skipinitialspace=True)
    try:
        names = [name.strip() for name in next(lines, [])]
        if not names or not all(names):
            raise ValueError("its first line names the columns")
        for row in lines:
            if len(row) != len(names):
                raise ValueError(
                    f"line {lines.line_num} has {len(row)} cells instead of {len(names)}"
                )
            yield {name: cell for name, cell in zip(names, row, strict=True) if cell}
    except csv.Error as error:
        raise ValueError(str(error)) from error
