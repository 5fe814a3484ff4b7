"""What can be asked: SQL or files, a dialect, options, an imported schema, templates and tags.

Decoding never raises: `read_request` answers with a request or with the issues that explain why
there is none. Unknown fields are ignored for forward compatibility, except inside `schema.tables`,
where a misspelt field would silently change the answer and is therefore reported.
"""

# ruff: noqa: RUF012 - msgspec copies mutable defaults

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from lakeport.lineage.issues import Issue, IssueCode
from lakeport.lineage.schema_memory import UNREADABLE, Apart, apart, recall, remember
from lakeport.lineage.wire import Wire

Encoding: TypeAlias = Literal["utf8", "utf16", "codepoint"]
CaseSensitivity: TypeAlias = Literal["dialect", "lower", "upper", "exact"]
FieldStyle: TypeAlias = Literal["seed", "flowscope"]
TagSource: TypeAlias = Literal["user", "robot", "inferred"]
SeverityOverride: TypeAlias = Literal["error", "warning", "info", "off"]


class SourceFile(Wire, frozen=True):
    """A named text: a SQL file or a file of macros. `builds` is the table its bare query makes."""

    name: str
    content: str
    builds: str | None = None


class ColumnTag(Wire, frozen=True):
    """A classification of a column, such as `pii`."""

    name: str
    # Always written, although it need not be sent: consumers sort tags by it.
    source: TagSource = msgspec.field(default_factory=lambda: "user")
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    notes: str | None = None
    updated_at: str | None = None
    inherited: bool = False
    from_column_id: str | None = None


class TagHint(Wire, frozen=True):
    """Tags given to a column, or with `*` to every column, of a table."""

    table: str
    column: str
    tags: list[ColumnTag]


class ForeignKey(Wire, frozen=True):
    """Where a column points to."""

    table: str
    column: str


class ColumnSchema(Wire, frozen=True):
    """A column as the user imports it. `quoted`: its name is exact, as SQL in quotes would have it."""

    name: str
    data_type: str | None = None
    is_primary_key: bool = False
    foreign_key: ForeignKey | None = None
    tags: list[ColumnTag] = []
    nullable: bool | None = None
    quoted: bool = False


class SchemaTable(Wire, frozen=True):
    """A table or view as the user imports it. `columns_complete` defaults to "has any columns".

    `quoted`: all parts of its name are exact.
    """

    name: str
    catalog: str | None = None
    schema: str | None = None
    columns: list[ColumnSchema] = []
    columns_complete: bool | None = None
    kind: Literal["table", "view"] = "table"
    temporary: bool = False
    quoted: bool = False


class SchemaView(Wire, frozen=True):
    """An imported view by its text, so that lineage can pass through it."""

    name: str
    sql: str
    catalog: str | None = None
    schema: str | None = None


class NamespaceHint(Wire, frozen=True):
    """One entry of the search path."""

    schema: str
    catalog: str | None = None


class SchemaMetadata(Wire, frozen=True):
    """The imported schema and how names are looked up in it."""

    default_catalog: str | None = None
    default_schema: str | None = None
    search_path: list[NamespaceHint] = []
    case_sensitivity: CaseSensitivity = "dialect"
    tables: list[SchemaTable] = []
    allow_implied: bool = True
    views: list[SchemaView] = []


class TemplateConfig(Wire, frozen=True):
    """How the text becomes SQL. `manifest` is a dbt manifest; its compiled code is preferred.

    `project_files` are YAML files of dbt: `dbt_project.yml`, and those that declare sources and models. With
    them may stand models and seeds (`.sql`, `.csv`) that are referred to and not to be analysed.
    """

    mode: Literal["raw", "jinja", "dbt"] = "raw"
    context: dict[str, Any] = {}
    macro_files: list[SourceFile] = []
    project_files: list[SourceFile] = []
    manifest: dict[str, Any] = {}


class Options(Wire, frozen=True):
    """Switches; every default is the quiet, exact answer."""

    enable_column_lineage: bool = True
    graph_detail_level: Literal["script", "table", "column"] = "table"
    hide_ctes: bool = False
    collapse_temporary: bool = False
    collapse_pattern: str | None = None
    include_indirect: bool = False
    # None: `dependency` in dbt mode, `sequential` otherwise.
    statement_order: Literal["sequential", "dependency"] | None = None
    schema_merge_mode: Literal["table", "column"] = "table"
    resolved_schema_scope: Literal["used", "all"] = "used"
    include_schema_history: bool = False
    analysis_time: str | None = None
    unknown_table_policy: Literal["auto", "always", "never"] = "auto"
    field_style: FieldStyle = "seed"
    severity_overrides: dict[str, SeverityOverride] = {}
    max_expression_depth: int = 400
    time_budget_ms: int | None = None

    def __post_init__(self) -> None:
        """What types cannot say; the decoder adds the path."""
        if self.analysis_time:
            try:
                datetime.fromisoformat(self.analysis_time)
            except ValueError:
                raise ValueError(
                    f"analysisTime `{self.analysis_time}` is no ISO 8601 time"
                ) from None


class AnalyzeRequest(Wire, frozen=True):
    """One workload to analyse: `files` first, in order, then `sql`."""

    sql: str = ""
    files: list[SourceFile] = []
    dialect: str = "generic"
    source_name: str | None = None
    options: Options = Options()
    schema: SchemaMetadata | None = None
    template_config: TemplateConfig = TemplateConfig()
    encoding: Encoding = "utf8"
    tag_hints: list[TagHint] = []


class SplitRequest(Wire, frozen=True):
    """A text to cut into statements."""

    sql: str
    dialect: str = "generic"
    encoding: Encoding = "utf8"


# A resolved table re-imports unchanged: what the result adds is accepted here and dropped.
_KNOWN_TABLE_FIELDS = frozenset(
    {
        *SchemaTable.__struct_encode_fields__,
        "origin",
        "sourceStatementIndex",
        "sourceName",
        "updatedAt",
        "constraints",
        "complete",
        "inference",
        "referencedBy",
        "conflict",
        "description",
    }
)

_KNOWN_COLUMN_FIELDS = frozenset(
    {
        *ColumnSchema.__struct_encode_fields__,
        "origin",
        "dataTypeOrigin",
        "nullable",
        "renamedFrom",
    }
)


def read_request(payload: object) -> tuple[AnalyzeRequest | None, list[Issue]]:
    """The request in a payload (request, mapping or JSON text), and what is wrong with it."""
    if isinstance(payload, AnalyzeRequest):
        return payload, []
    sent = apart(payload)
    request = _with_known_schema(sent) if sent is not None else None
    if request is not None:
        return request, []
    try:
        raw = _read(payload) if sent is None else sent.whole()
        request = _converted(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return None, [_invalid(f"the request could not be read: {error}", severe=True)]
    issues = _unknown_table_fields(raw)
    if sent is not None and request.schema is not None and not issues:
        remember(sent.schema, request.schema)
    return request, issues


def _read(payload: object) -> object:
    return msgspec.json.decode(payload) if isinstance(payload, str | bytes) else payload


def _with_known_schema(sent: Apart) -> AnalyzeRequest | None:
    """None where all of it has to be read, if only to say what is wrong and where."""
    known = recall(sent.schema)
    try:
        return replace(_converted(sent.rest()), schema=known) if known is not None else None
    except UNREADABLE:
        return None


def _converted(raw: object) -> AnalyzeRequest:
    if isinstance(raw, Mapping):
        raw = _without_nulls(_completeness_of_resolved_tables(raw))
    return msgspec.convert(raw, AnalyzeRequest)


def _without_nulls(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Clients in other languages send `null` for "not given" at the top level."""
    return {key: value for key, value in raw.items() if value is not None}


def _completeness_of_resolved_tables(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A re-imported `complete: false` must stay partial, or its star would look exact."""
    schema = raw.get("schema")
    tables = schema.get("tables") if isinstance(schema, Mapping) else None
    if not isinstance(schema, Mapping) or not isinstance(tables, list):
        return raw
    if not any(_is_partial(table) for table in tables):
        return raw
    marked = [
        {**table, "columnsComplete": False} if _is_partial(table) else table for table in tables
    ]
    return {**raw, "schema": {**schema, "tables": marked}}


def _is_partial(table: object) -> bool:
    return isinstance(table, Mapping) and table.get("complete") is False


def _unknown_table_fields(raw: object) -> list[Issue]:
    tables = _at(_at(raw, "schema"), "tables")
    issues: list[Issue] = []
    for table in tables if isinstance(tables, list) else []:
        if not isinstance(table, Mapping):
            continue
        name = table.get("name")
        unknown = [
            f"`{field}` of schema table `{name}`" for field in _beyond(table, _KNOWN_TABLE_FIELDS)
        ]
        columns = table.get("columns")
        for column in columns if isinstance(columns, list) else []:
            if isinstance(column, Mapping):
                unknown += [
                    f"`{field}` of column `{column.get('name')}` of schema table `{name}`"
                    for field in _beyond(column, _KNOWN_COLUMN_FIELDS)
                ]
        issues += [_invalid(f"field {field} is not known", severe=False) for field in unknown]
    return issues


def _beyond(given: Mapping[Any, object], known: frozenset[str]) -> list[str]:
    if given.keys() <= known:
        return []
    return sorted(str(key) for key in given if key not in known)


def _at(raw: object, key: str) -> object:
    return raw.get(key) if isinstance(raw, Mapping) else None


def _invalid(message: str, *, severe: bool) -> Issue:
    return Issue(
        severity="error" if severe else "info",
        code=IssueCode.INVALID_REQUEST,
        message=message,
        hint="see the JSON Schema of AnalyzeRequest for the accepted fields",
    )
