"""One request being analysed: its dialect, its registry, its issues. Everything with a memory."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from time import time_ns
from typing import TYPE_CHECKING

from lakeport.core.names import nearest
from lakeport.lineage.dialects import FIRST_SCHEMAS
from lakeport.lineage.imported import imported_tables
from lakeport.lineage.issues import DEFAULT_SEVERITY, Issue, IssueCode
from lakeport.lineage.names import Name, dotted, folding_of
from lakeport.lineage.registry import Registry
from lakeport.lineage.text import SourceText

if TYPE_CHECKING:
    from lakeport.lineage.dialects import Dialect
    from lakeport.lineage.issues import ResolutionSource, Severity
    from lakeport.lineage.request import AnalyzeRequest, SchemaMetadata
    from lakeport.lineage.variables import Variable


_NO_SOURCE = SourceText("")


class Session:
    """The state of one analysis."""

    __slots__ = (
        "_reported",
        "dialect",
        "folding",
        "issues",
        "options",
        "registry",
        "request",
        "source",
        "tagged",
        "time",
        "used",
        "variables",
        "warns_about_unknown_tables",
    )

    def __init__(self, request: AnalyzeRequest, dialect: Dialect) -> None:
        schema = request.schema
        self.request = request
        self.options = request.options
        self.dialect = dialect
        self.folding = folding_of(dialect, schema.case_sensitivity if schema else "dialect")
        self.registry = Registry(
            self.folding,
            allow_implied=schema.allow_implied if schema else True,
            merge_columns=self.options.schema_merge_mode == "column",
        )
        first = FIRST_SCHEMAS.get(dialect.name)
        self.registry.namespaces.first_schema = first and self.folding.table(first)
        self.time = _utc(self.options.analysis_time) if self.options.analysis_time else _now()
        self.issues: list[Issue] = []
        self.source = _NO_SOURCE
        # Variables the workload declared.
        self.variables: dict[str, Variable] = {}
        self.tagged = bool(request.tag_hints)
        # Which statements read or wrote a relation, by canonical name.
        self.used: dict[Name, list[int]] = {}
        self._reported: dict[tuple[object, ...], None] = {}
        policy = self.options.unknown_table_policy
        given = schema is not None and bool(schema.tables or schema.views)
        self.warns_about_unknown_tables = policy == "always" or (policy == "auto" and given)
        if schema is not None:
            self._load(schema)

    # -- the imported schema -----------------------------------------------------------------

    def _load(self, schema: SchemaMetadata) -> None:
        registry = self.registry
        fold = self.folding.table
        catalog = fold(schema.default_catalog) if schema.default_catalog else None
        path = [
            (fold(hint.catalog) if hint.catalog else catalog, fold(hint.schema))
            for hint in schema.search_path
        ]
        registry.namespaces.start(
            catalog, fold(schema.default_schema) if schema.default_schema else None, path
        )
        imported = imported_tables(schema, self.dialect)
        self.tagged = self.tagged or imported.tagged
        registry.import_tables(imported)
        for name in imported.repeated:
            self.report(
                IssueCode.SCHEMA_CONFLICT,
                f"`{dotted(name)}` is imported twice; the last definition is used",
                relation=dotted(name),
                hint="remove one of the two from schema.tables",
            )

    def nearest_table(self, name: Name) -> str | None:
        """The known table a person most likely meant."""
        known = self.registry.known_names()
        return nearest(dotted(name), [dotted(other) for other in known if other != name])

    # -- issues ------------------------------------------------------------------------------

    @property
    def reports(self) -> int:
        """How many issues there were, those that nobody wants to see among them."""
        return len(self._reported)

    def codes_after(self, reports: int) -> set[object]:
        """The codes of those that have come since there were so many."""
        return {code for code, *_ in islice(reversed(self._reported), self.reports - reports)}

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
        self._reported[identity] = None
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
                source_name=source_name or self.source.name or None,
                source_line=self.source.line(extent[0]) if extent else None,
                resolution_source=origin,
                relation=relation,
                column=column,
                suggestions=suggestions or [],
                hint=hint,
            )
        )


def _utc(text: str) -> str:
    """A given time as every `updatedAt` is written; without a zone it is UTC already.

    One that is written so comes back to the letter: callers compare.
    """
    if text.endswith("Z"):
        return text
    given = datetime.fromisoformat(text)
    moment = given.astimezone(UTC) if given.tzinfo else given
    return f"{moment.replace(tzinfo=None).isoformat()}Z"


def _now() -> str:
    seconds, rest = divmod(time_ns(), 1_000_000_000)
    return f"{_second(seconds)}.{rest // 1_000_000:03}Z"


@lru_cache(maxsize=1)
def _second(seconds: int) -> str:
    """Writing a date costs more than asking for it; many requests share a second."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().removesuffix("+00:00")
