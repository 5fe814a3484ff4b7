"""The closed set of issue codes, each with its default severity, and the issue itself.

Trouble in the user's SQL is never an exception here: it is an `Issue` in the result, and analysis
goes on. Messages name the object; `hint` says what the user can do about it.
"""

# ruff: noqa: RUF012 - msgspec copies mutable defaults

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

from lakeport.lineage.wire import Span, Wire

Severity: TypeAlias = Literal["error", "warning", "info"]
ResolutionSource: TypeAlias = Literal["imported", "implied", "unknown"]


class IssueCode(StrEnum):
    """Every code an analysis can emit; the documentation lists them one by one."""

    PARSE_ERROR = "PARSE_ERROR"
    INVALID_REQUEST = "INVALID_REQUEST"
    TEMPLATE_ERROR = "TEMPLATE_ERROR"
    MEMORY_LIMIT_EXCEEDED = "MEMORY_LIMIT_EXCEEDED"
    UNSUPPORTED_SYNTAX = "UNSUPPORTED_SYNTAX"
    UNKNOWN_TABLE = "UNKNOWN_TABLE"
    UNKNOWN_COLUMN = "UNKNOWN_COLUMN"
    AMBIGUOUS_COLUMN = "AMBIGUOUS_COLUMN"
    UNRESOLVED_REFERENCE = "UNRESOLVED_REFERENCE"
    SCHEMA_CONFLICT = "SCHEMA_CONFLICT"
    APPROXIMATE_LINEAGE = "APPROXIMATE_LINEAGE"
    TYPE_MISMATCH = "TYPE_MISMATCH"
    COLUMN_COUNT_MISMATCH = "COLUMN_COUNT_MISMATCH"
    DUPLICATE_COLUMN = "DUPLICATE_COLUMN"
    FORWARD_REFERENCE = "FORWARD_REFERENCE"
    DROPPED_TABLE_REFERENCE = "DROPPED_TABLE_REFERENCE"
    CYCLIC_DEPENDENCY = "CYCLIC_DEPENDENCY"
    DUPLICATE_DEFINITION = "DUPLICATE_DEFINITION"
    INFERRED_SCHEMA = "INFERRED_SCHEMA"
    DYNAMIC_SQL = "DYNAMIC_SQL"
    DIALECT_FALLBACK = "DIALECT_FALLBACK"
    PAYLOAD_SIZE_WARNING = "PAYLOAD_SIZE_WARNING"
    CANCELLED = "CANCELLED"
    # Deprecated and never emitted; kept so that old clients still find it in the enumeration.
    UNSUPPORTED_RECURSIVE_CTE = "UNSUPPORTED_RECURSIVE_CTE"


DEFAULT_SEVERITY: dict[IssueCode, Severity] = {
    IssueCode.PARSE_ERROR: "error",
    IssueCode.INVALID_REQUEST: "error",
    IssueCode.TEMPLATE_ERROR: "error",
    IssueCode.MEMORY_LIMIT_EXCEEDED: "error",
    IssueCode.UNSUPPORTED_SYNTAX: "warning",
    IssueCode.UNKNOWN_TABLE: "warning",
    IssueCode.UNKNOWN_COLUMN: "warning",
    IssueCode.AMBIGUOUS_COLUMN: "warning",
    IssueCode.UNRESOLVED_REFERENCE: "warning",
    IssueCode.SCHEMA_CONFLICT: "warning",
    IssueCode.APPROXIMATE_LINEAGE: "warning",
    IssueCode.TYPE_MISMATCH: "warning",
    IssueCode.COLUMN_COUNT_MISMATCH: "warning",
    IssueCode.DUPLICATE_COLUMN: "warning",
    IssueCode.FORWARD_REFERENCE: "info",
    IssueCode.DROPPED_TABLE_REFERENCE: "warning",
    IssueCode.CYCLIC_DEPENDENCY: "warning",
    IssueCode.DUPLICATE_DEFINITION: "warning",
    IssueCode.INFERRED_SCHEMA: "info",
    IssueCode.DYNAMIC_SQL: "info",
    IssueCode.DIALECT_FALLBACK: "info",
    IssueCode.PAYLOAD_SIZE_WARNING: "warning",
    IssueCode.CANCELLED: "info",
    IssueCode.UNSUPPORTED_RECURSIVE_CTE: "info",
}


class Issue(Wire, frozen=True):
    """One finding about the SQL or the request, with as exact a place as is known."""

    severity: Severity
    code: IssueCode
    message: str
    span: Span | None = None
    statement_index: int | None = None
    source_name: str | None = None
    # The line of a template that the span comes from, where it is a single one.
    source_line: int | None = None
    resolution_source: ResolutionSource | None = None
    relation: str | None = None
    column: str | None = None
    suggestions: list[str] = []
    hint: str | None = None
