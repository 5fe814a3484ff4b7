"""A folder of models as data: what is in the files, checked, and nothing that Spark or a catalog knows.

Names are those of the project. An environment maps the namespaces of *models* to others
(`Environment.table`); sources and other tables of the catalog stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeAlias, TypeVar

from msgspec import Meta, Struct

from lakeport.core.names import TableName, fold
from lakeport.pipeline.growth.policy import OnRemovedRequired, OnTypeChange, OnUnmappableType
from lakeport.pipeline.project.problems import Problem

V = TypeVar("V")

Materialized: TypeAlias = Literal["incremental", "table", "view", "ephemeral"]
Strategy: TypeAlias = Literal[
    "append", "delete_insert", "merge", "overwrite_partitions", "time_range", "full"
]
NullKeys: TypeAlias = Literal["append", "match", "fail"]
WriteMode: TypeAlias = Literal["mor", "cow"]
ModelPublish: TypeAlias = Literal["direct", "branch"]
PublishMode: TypeAlias = Literal["direct", "branch", "run-atomic"]
Severity: TypeAlias = Literal["error", "warn"]
AuditKind: TypeAlias = Literal[
    "not_null", "unique", "accepted_values", "relationships", "row_count", "sql"
]
Language: TypeAlias = Literal["sql", "python"]
Value: TypeAlias = str | int | float | bool | date | datetime
"""What a parameter may be, and what an audit may accept."""

THIS_ROWS = "this_rows"
"""How the SQL of an audit calls the rows it is about."""

BUILT_IN_PARAMETERS = ("run_id", "start", "end")
"""Parameters that every run gives."""


@dataclass(frozen=True, slots=True)
class Audit:
    """A question about a model's rows before they are published.

    `not_null` is asked of each of its columns, `unique` of all of them together; `accepted_values` takes
    `values`, `relationships` a table and its column (`to`, `field`); `row_count` a `min`, a `max` or both.
    The rows that `sql` returns are failures.
    """

    kind: AuditKind
    name: str
    line: int
    columns: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    to: str | None = None
    field: str | None = None
    min: int | None = None
    max: int | None = None
    sql: str | None = None
    severity: Severity = "error"
    store_failures: bool = True


def _about(text: str) -> Meta:
    return Meta(description=text)


Text = Annotated[str, Meta(min_length=1)]
Ends: TypeAlias = tuple[date | datetime, date | datetime]


class ModelSettings(Struct, frozen=True, kw_only=True):
    """What the settings of a model may say. This is the only list; docs/reference/models.md shows it."""

    name: Annotated[
        Text | None, _about("The table it builds, `NAMESPACE.NAME`, instead of the path's.")
    ] = None
    description: Annotated[Text | None, _about("What it is, for people.")] = None
    enabled: Annotated[bool, _about("`false` leaves the file out of the project.")] = True
    materialized: Annotated[
        Materialized,
        _about(
            "`incremental` adds to its table, `table` replaces all rows, `view` is a view of the catalog, "
            "`ephemeral` is stored nowhere: models that read it compute it [`incremental` with a `strategy`, a "
            "`unique_key`, a time range or a query that asks for `:start` or `is_incremental()`, else `table`]."
        ),
    ] = "table"
    strategy: Annotated[
        Strategy | None,
        _about("How rows are written [`delete_insert` with a `unique_key`, else `append`]."),
    ] = None
    unique_key: Annotated[tuple[Text, ...], _about("The columns that tell rows apart.")] = ()
    null_keys: Annotated[
        NullKeys,
        _about("Rows with a NULL in their key: `append` them, `match` NULL with NULL, or `fail`."),
    ] = "append"
    partitioned_by: Annotated[
        tuple[Text, ...], _about("Partitions of a new table, like `region` or `day(placed_at)`.")
    ] = ()
    time_column: Annotated[Text | None, _about("The column that `time_range` replaces by.")] = None
    range: Annotated[
        Ends | Text | None,
        _about(
            "What `time_range` replaces: two dates or points in time, or a duration (`3d`) back from the "
            "end of the run's interval [from where the last run ended]."
        ),
    ] = None
    lookback: Annotated[
        Text | None,
        _about("So much earlier does `:start` begin, for rows that arrive late: `2h`, `3d`."),
    ] = None
    on_type_change: Annotated[OnTypeChange, _about("A column whose type is not the table's.")] = (
        "widen"
    )
    on_removed_required: Annotated[
        OnRemovedRequired, _about("A NOT NULL column that the model no longer has.")
    ] = "fail"
    on_unmappable_type: Annotated[
        OnUnmappableType, _about("A column of a type that Iceberg lacks.")
    ] = "string"
    write_mode: Annotated[
        WriteMode | None,
        _about("Merge on read or copy on write [`mor` for a new table, else as the table has it]."),
    ] = None
    publish: Annotated[
        ModelPublish | None,
        _about("`branch` writes and audits aside before readers see it [as `pipeline.publish`]."),
    ] = None
    audits: Annotated[
        tuple[Audit, ...], _about("Questions about the rows; see the audits below.")
    ] = ()
    tags: Annotated[tuple[Text, ...], _about("Words to select it by: `tag:nightly`.")] = ()
    properties: Annotated[dict[str, str], _about("Iceberg properties of the table.")] = {}
    depends_on: Annotated[
        tuple[Text, ...],
        _about("Tables it reads that its SQL does not show; all that a Python model reads."),
    ] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """One file. `body` is its query without the settings, on the same lines; all of a Python file.

    `fingerprint` is `QUERY-SETTINGS`: the first part changes with the query and, where it has templates, with
    `vars`, the other with the settings.
    """

    name: TableName
    path: str
    language: Language
    settings: ModelSettings
    text: str = field(repr=False)
    body: str = field(repr=False)
    settings_line: int
    fingerprint: str
    setting_lines: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)

    def line_of(self, setting: str) -> int:
        """Where a setting was written, else where settings begin."""
        return self.setting_lines.get(setting, self.settings_line)


@dataclass(frozen=True, slots=True)
class Source:
    """A table that others fill. `columns` are names and types in Spark's words, None if not declared."""

    name: TableName
    columns: tuple[tuple[str, str | None], ...] | None
    description: str | None
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the models of a project are built: `namespaces` by name, all others behind `prefix`."""

    name: str | None = None
    prefix: str = ""
    namespaces: Mapping[str, str] = field(default_factory=dict)

    def namespace(self, namespace: str) -> str:
        folded = fold(namespace)
        for written, mapped in self.namespaces.items():
            if fold(written) == folded:
                return mapped
        return f"{self.prefix}{namespace}"

    def table(self, name: TableName) -> TableName:
        """Of a model."""
        return TableName(self.namespace(name.namespace), name.table)


class TableMap(Mapping[TableName, V], Generic[V]):
    """A read-only mapping that finds a table in any spelling and lists names as they were given."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[tuple[TableName, V]] = ()) -> None:
        self._items: dict[tuple[str, str], tuple[TableName, V]] = {}
        for name, value in items:
            self._items[name.folded] = (name, value)

    def __getitem__(self, name: TableName) -> V:
        try:
            return self._items[name.folded][1]
        except KeyError:
            raise KeyError(str(name)) from None

    def __iter__(self) -> Iterator[TableName]:
        return (name for name, _ in self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, TableName) and name.folded in self._items

    def spelling(self, name: TableName) -> TableName:
        """The name as it was given."""
        return self._items[name.folded][0]


@dataclass(frozen=True, slots=True)
class Project:
    """Everything in the folder. `problems` were found on the way: `build_graph` tells them with its own.

    `catalog` is the name that may stand before a table's namespace in SQL.
    """

    root: Path
    name: str
    models: TableMap[Model]
    sources: TableMap[Source] = field(default_factory=TableMap)
    parameters: Mapping[str, Value] = field(default_factory=dict)
    vars: Mapping[str, object] = field(default_factory=dict)
    environment: Environment = field(default_factory=Environment)
    catalog: str = "lake"
    problems: tuple[Problem, ...] = ()
