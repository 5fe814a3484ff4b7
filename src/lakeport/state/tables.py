"""The tables of the store as the newest schema has them. How a database gets there: `steps.py`.

Times are nanoseconds since 1970 in UTC. Every name starts with `lakeport_`, because the store may share
a Postgres database with the catalog.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, LargeBinary, MetaData, Table, Text

METADATA = MetaData()

NUMBERS = Table(
    "lakeport_numbers",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)
"""The schema's version, and one counter per kind of thing that others keep copies of."""

TOKENS = Table(
    "lakeport_tokens",
    METADATA,
    Column("id", BigInteger, primary_key=True),
    Column("name", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("created_ns", BigInteger, nullable=False),
    Column("created_by", Text),
    Column("expires_ns", BigInteger),
    Column("revoked_ns", BigInteger),
    Column("max_rows", BigInteger),
    Column("max_bytes", BigInteger),
    Column("growth", BigInteger, nullable=False),
)

PASSES = Table(
    "lakeport_passes",
    METADATA,
    Column("digest", LargeBinary, primary_key=True),
    Column("token_id", BigInteger, ForeignKey("lakeport_tokens.id"), nullable=False),
    Column("expires_ns", BigInteger, nullable=False),
)

GRANTS = Table(
    "lakeport_grants",
    METADATA,
    Column("token_id", BigInteger, ForeignKey("lakeport_tokens.id"), primary_key=True),
    Column("ability", Text, primary_key=True),
    Column("pattern", Text, primary_key=True),
    Column("catalog", Text, primary_key=True),
)

AUDIT = Table(
    "lakeport_audit",
    METADATA,
    Column("id", BigInteger, primary_key=True),
    Column("at_ns", BigInteger, nullable=False),
    Column("identity", Text),
    Column("method", Text, nullable=False),
    Column("action", Text),
    Column("catalog", Text),
    Column("namespace", Text),
    Column("table", Text),
    Column("rows_in", BigInteger, nullable=False),
    Column("rows_out", BigInteger, nullable=False),
    Column("rows_changed", BigInteger, nullable=False),
    Column("bytes_in", BigInteger, nullable=False),
    Column("bytes_out", BigInteger, nullable=False),
    Column("ms", Double, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("trace_id", Text),
    Column("session_id", Text),
    Column("transaction_id", Text),
    Column("peer", Text),
)

PINS = Table(
    "lakeport_pins",
    METADATA,
    Column("transaction_id", Text, primary_key=True),
    Column("catalog", Text, primary_key=True),
    Column("table_uuid", Text, primary_key=True),
    Column("snapshot_id", BigInteger),
    Column("schema_id", BigInteger, nullable=False),
    Column("until_ns", BigInteger, nullable=False),
)

MEANINGS = Table(
    "lakeport_meanings",
    METADATA,
    Column("transaction_id", Text, primary_key=True),
    Column("catalog", Text, primary_key=True),
    Column("namespace", Text, primary_key=True),
    Column("table", Text, primary_key=True),
    Column("table_uuid", Text, nullable=False),
    Column("until_ns", BigInteger, nullable=False),
)
"""Which table a name was first used for in a transaction."""

DROPPED = Table(
    "lakeport_dropped",
    METADATA,
    Column("catalog", Text, primary_key=True),
    Column("metadata", Text, primary_key=True),
    Column("namespace", Text, nullable=False),
    Column("table", Text, nullable=False),
    Column("uuid", Text, nullable=False),
    Column("location", Text, nullable=False),
    Column("dropped_ns", BigInteger, nullable=False),
)
