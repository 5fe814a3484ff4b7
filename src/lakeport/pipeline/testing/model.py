"""A unit test as data, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lakeport.core.names import TableName
from lakeport.pipeline.growth.model import Type
from lakeport.pipeline.project.model import Value
from lakeport.pipeline.project.problems import Place

Row: TypeAlias = Mapping[str, object]
"""Of a file: a column that is left out is NULL, which TOML has no word for."""

Status: TypeAlias = Literal["passed", "failed", "error"]
"""`failed` is other rows than expected; `error` is a test that could not be carried out."""

THIS = "this"
"""How a test calls the rows that the model's own table has already."""


@dataclass(frozen=True, slots=True)
class GivenTable:
    """`name` as the test writes it. `is_text` says that values are text to be read by their type."""

    name: str
    rows: tuple[Row, ...]
    place: Place
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class UnitTest:
    """`columns` are types that a test declares, by table as it is written and column."""

    name: str
    model: TableName
    given: Mapping[str, GivenTable]
    place: Place
    expect: tuple[Row, ...] | None = None
    expect_place: Place | None = None
    expect_error: str | None = None
    ordered: bool = False
    is_incremental: bool = False
    empty: bool = False
    """Whether a table that is read and not given is an empty one, instead of a mistake."""
    columns: Mapping[str, Mapping[str, Type]] = field(default_factory=dict)
    parameters: Mapping[str, Value] = field(default_factory=dict)
    vars: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Changed:
    """A row that is nearly the one that was expected; `columns` are those that differ."""

    expected: tuple[str | None, ...]
    got: tuple[str | None, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows as text, in the order of `columns`, which are those that the test names."""

    columns: tuple[str, ...]
    missing: tuple[tuple[str | None, ...], ...] = ()
    unexpected: tuple[tuple[str | None, ...], ...] = ()
    changed: tuple[Changed, ...] = ()
    misplaced: bool = False
    """The right rows in another order."""

    def __bool__(self) -> bool:
        return bool(self.missing or self.unexpected or self.changed or self.misplaced)


@dataclass(frozen=True, slots=True)
class TestResult:
    """`message` is why, in a sentence or a few lines; `difference` the rows it is about."""

    __test__ = False  # pytest takes a class of this name for tests of its own

    name: str
    model: str
    path: str
    line: int
    status: Status
    seconds: float
    message: str | None = None
    hint: str | None = None
    difference: Difference | None = None
