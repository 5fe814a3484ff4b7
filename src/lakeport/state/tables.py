"""The tables of the store as the newest schema has them. How a database gets there: `steps.py`.

Times are nanoseconds since 1970 in UTC. Every name starts with `lakeport_`, because the store may share
a Postgres database with the catalog.
"""

from __future__ import annotations

from typing import TypeVar

from sqlalchemy import BigInteger, Column, Double, ForeignKey, LargeBinary, MetaData, Table, Text
from sqlalchemy.types import TypeEngine

METADATA = MetaData()
T = TypeVar("T")


def _keys(*names: str) -> list[Column[str]]:
    return [Column(name, Text, primary_key=True) for name in names]


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, Text, nullable=False) for name in names]


def _numbers(*names: str) -> list[Column[int]]:
    return [Column(name, BigInteger, nullable=False) for name in names]


def _optional(kind: type[TypeEngine[T]], *names: str) -> list[Column[T]]:
    return [Column(name, kind) for name in names]


NUMBERS = Table("lakeport_numbers", METADATA, *_keys("name"), *_numbers("value"))
"""The schema's version, and one counter per kind of thing that others keep copies of."""

TOKENS = Table(
    "lakeport_tokens",
    METADATA,
    Column("id", BigInteger, primary_key=True),
    *_texts("name"),
    Column("digest", LargeBinary, nullable=False, unique=True),
    *_numbers("created_ns"),
    *_optional(Text, "created_by"),
    *_optional(BigInteger, "expires_ns", "revoked_ns", "max_rows", "max_bytes", "max_calls"),
    *_numbers("growth"),
)

PASSES = Table(
    "lakeport_passes",
    METADATA,
    Column("digest", LargeBinary, primary_key=True),
    Column("token_id", BigInteger, ForeignKey("lakeport_tokens.id"), nullable=False),
    *_numbers("expires_ns"),
)

GRANTS = Table(
    "lakeport_grants",
    METADATA,
    Column("token_id", BigInteger, ForeignKey("lakeport_tokens.id"), primary_key=True),
    *_keys("ability", "pattern", "catalog"),
)

AUDIT = Table(
    "lakeport_audit",
    METADATA,
    Column("id", BigInteger, primary_key=True),
    *_numbers("at_ns"),
    *_optional(Text, "identity"),
    *_texts("method"),
    *_optional(Text, "action", "catalog", "namespace", "table"),
    *_numbers("rows_in", "rows_out", "rows_changed", "bytes_in", "bytes_out"),
    Column("ms", Double, nullable=False),
    *_texts("outcome"),
    *_optional(Text, "trace_id", "session_id", "transaction_id", "peer"),
)

PINS = Table(
    "lakeport_pins",
    METADATA,
    *_keys("transaction_id", "catalog", "table_uuid"),
    *_optional(BigInteger, "snapshot_id"),
    *_numbers("schema_id", "until_ns"),
)

MEANINGS = Table(
    "lakeport_meanings",
    METADATA,
    *_keys("transaction_id", "catalog", "namespace", "table"),
    *_texts("table_uuid"),
    *_numbers("until_ns"),
)
"""Which table a name was first used for in a transaction."""

ANNOUNCEMENTS = Table(
    "lakeport_announcements",
    METADATA,
    *_keys("catalog", "stamp"),
    *_texts("form"),
    *_numbers("at_ns"),
    Column("body", LargeBinary, nullable=False),
)

DROPPED = Table(
    "lakeport_dropped",
    METADATA,
    *_keys("catalog", "metadata"),
    *_texts("namespace", "table", "uuid", "location"),
    *_numbers("dropped_ns"),
)

_PROCESS = ("host", "place", "process")
"""Beside `pid`: which process of which machine."""

LEASES = Table(
    "lakeport_leases",
    METADATA,
    *_keys("catalog", "namespace", "table"),
    *_texts("name", "run_id", *_PROCESS),
    *_numbers("pid", "acquired_ns", "until_ns"),
)
"""Names of tables in one case, and `name` as it is spelled."""

RUNS = Table(
    "lakeport_runs",
    METADATA,
    *_keys("run_id"),
    *_texts("catalog", "environment", "command", "request", "status", *_PROCESS),
    *_optional(Text, "fingerprint", "actor", "error"),
    *_numbers("started_ns", "until_ns", "pid"),
    *_optional(BigInteger, "ended_ns"),
)

MODEL_RUNS = Table(
    "lakeport_model_runs",
    METADATA,
    *_keys("run_id", "model"),
    *_texts("catalog", "environment", "namespace", "table", "status", "counts", "warnings"),
    *_optional(Text, "strategy", "fingerprint", "interval", "code", "error", "hint", "columns"),
    *_optional(BigInteger, "rows", "started_ns", "ended_ns", "snapshot_id", "version"),
    *_numbers("created", "attempts", "changed_ns"),
)

EDGES = Table(
    "lakeport_edges",
    METADATA,
    Column("id", BigInteger, primary_key=True),
    *_texts("catalog", "environment"),
    *_texts("source_namespace", "source_table", "source_column"),
    *_texts("target_namespace", "target_table", "target_column", "kind"),
    *_numbers("approximate"),
)

ISSUES = Table(
    "lakeport_issues",
    METADATA,
    Column("id", BigInteger, primary_key=True),
    *_texts("catalog", "environment", "namespace", "table", "code", "severity", "message"),
    *_optional(Text, "hint", "path"),
    *_optional(BigInteger, "line", "column"),
)
