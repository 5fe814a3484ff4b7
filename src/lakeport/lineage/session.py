"""One request being analysed: its dialect, its registry, its issues. Everything with a memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lakeport.core.names import nearest
from lakeport.lineage.issues import DEFAULT_SEVERITY, Issue, IssueCode
from lakeport.lineage.names import Folding, Name, dotted, written_parts
from lakeport.lineage.registry import ColumnEntry, Registry, TableEntry
from lakeport.lineage.text import SourceText

if TYPE_CHECKING:
    from lakeport.lineage.dialects import Dialect
    from lakeport.lineage.issues import ResolutionSource, Severity
    from lakeport.lineage.request import AnalyzeRequest, SchemaMetadata, SchemaTable


class Session:
    """The state of one analysis."""

    def __init__(self, request: AnalyzeRequest, dialect: Dialect) -> None:
        schema = request.schema
        self.request = request
        self.options = request.options
        self.dialect = dialect
        self.folding = Folding(dialect, schema.case_sensitivity if schema else "dialect")
        self.registry = Registry(
            self.folding,
            allow_implied=schema.allow_implied if schema else True,
            merge_columns=self.options.schema_merge_mode == "column",
        )
        self.time = self.options.analysis_time or _now()
        self.issues: list[Issue] = []
        self.source = SourceText("")
        self.variables: set[str] = set()
        self.tagged = bool(request.tag_hints) or bool(
            schema and any(c.tags for t in schema.tables for c in t.columns)
        )
        # Which statements read or wrote a relation, by canonical name.
        self.used: dict[Name, list[int]] = {}
        self._reported: set[tuple[object, ...]] = set()
        policy = self.options.unknown_table_policy
        given = schema is not None and bool(schema.tables or schema.views)
        self.warns_about_unknown_tables = policy == "always" or (policy == "auto" and given)
        if schema is not None:
            self._load(schema)

    # -- the imported schema -----------------------------------------------------------------

    def _load(self, schema: SchemaMetadata) -> None:
        registry = self.registry
        fold = self.folding.table
        registry.default_catalog = fold(schema.default_catalog) if schema.default_catalog else None
        registry.default_schema = fold(schema.default_schema) if schema.default_schema else None
        registry.search_path = [
            (fold(hint.catalog) if hint.catalog else registry.default_catalog, fold(hint.schema))
            for hint in schema.search_path
        ]
        for table in schema.tables:
            entry = imported_entry(table, self.folding)
            if not registry.import_table(entry):
                self.report(
                    IssueCode.SCHEMA_CONFLICT,
                    f"`{dotted(entry.name)}` is imported twice; the last definition is used",
                    relation=dotted(entry.name),
                    hint="remove one of the two from schema.tables",
                )

    def nearest_table(self, name: Name) -> str | None:
        """The known table a person most likely meant."""
        known = [*self.registry.imported, *self.registry.implied]
        return nearest(dotted(name), [dotted(other) for other in known if other != name])

    # -- issues ------------------------------------------------------------------------------

    def report(  # noqa: PLR0913 - an issue has this many facts
        self,
        code: IssueCode,
        message: str,
        *,
        statement: int | None = None,
        extent: tuple[int, int] | None = None,
        relation: str | None = None,
        column: str | None = None,
        severity: Severity | None = None,
        resolution: str | None = None,
        suggestions: list[str] | None = None,
        hint: str | None = None,
        source_name: str | None = None,
    ) -> None:
        """Add an issue, once per (code, statement, relation, column)."""
        place = extent if relation is None and column is None else None
        identity = (code, statement, relation, column.lower() if column else None, place, severity)
        if identity in self._reported:
            return
        self._reported.add(identity)
        level: str = severity or DEFAULT_SEVERITY[code]
        level = self.options.severity_overrides.get(code.value, level)
        if level == "off":
            return
        origin: ResolutionSource | None = resolution  # type: ignore[assignment] # one of three words
        self.issues.append(
            Issue(
                severity=level,  # type: ignore[arg-type] # "off" was handled above
                code=code,
                message=message,
                span=self.source.span(*extent) if extent else None,
                statement_index=statement,
                source_name=source_name or self.source.name,
                resolution_source=origin,
                relation=relation,
                column=column,
                suggestions=suggestions or [],
                hint=hint,
            )
        )


def imported_entry(table: SchemaTable, folding: Folding) -> TableEntry:
    """An imported table under its canonical name. Names match as written and as folded."""
    if table.schema is None and table.catalog is None and "/" not in table.name:
        parts = written_parts(table.name)
    else:
        parts = [(part, False) for part in (table.catalog, table.schema, table.name) if part]
    name = tuple(folding.table(text, quoted=quoted) for text, quoted in parts)
    columns: list[ColumnEntry] = []
    overlay: dict[str, ColumnEntry] = {}
    for column in table.columns:
        entry = ColumnEntry(
            name=column.name,
            key=folding.column(column.name),
            origin="imported",
            data_type=column.data_type,
            type_origin="declared" if column.data_type else None,
            is_primary_key=column.is_primary_key,
            foreign_key=column.foreign_key,
            nullable=column.nullable,
            tags=tuple(column.tags),
        )
        columns.append(entry)
        if entry.key != column.name:
            overlay[column.name] = entry
    complete = table.columns_complete if table.columns_complete is not None else bool(columns)
    return TableEntry(
        name=name,
        shown=tuple(text for text, _ in parts),
        columns=columns,
        origin="imported",
        complete=complete,
        kind=table.kind,
        temporary=table.temporary,
        overlay=overlay,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
