"""Every type of DuckDB's, each with values at its edges, and DuckDB itself as the maker of Arrow data.

`Session` is a user's DuckDB with its own setting of `arrow_lossless_conversion`. What it sends is what
DuckDB makes of its tables; what it gets is held against its own tables by SQL.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa

KEY = "k"

VALUES: dict[str, tuple[str, ...]] = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": ("-128", "0", "127"),
    "SMALLINT": ("-32768", "-1", "32767"),
    "INTEGER": ("-2147483648", "7", "2147483647"),
    "BIGINT": ("-9223372036854775808", "7", "9223372036854775807"),
    "UTINYINT": ("0", "128", "255"),
    "USMALLINT": ("0", "32768", "65535"),
    "UINTEGER": ("0", "2147483648", "4294967295"),
    "UBIGINT": ("0", "9223372036854775808", "18446744073709551615"),
    "HUGEINT": ("-5", "0", "99999999999999999999999999999999999999"),
    "UHUGEINT": ("0", "18446744073709551616", "99999999999999999999999999999999999999"),
    "FLOAT": ("'nan'", "'-infinity'", "-0.0", "3.4028235e38", "1e-45"),
    "DOUBLE": ("'nan'", "'infinity'", "-0.0", "1.7976931348623157e308", "5e-324"),
    "DECIMAL(4,1)": ("-999.9", "0.1", "999.9"),
    "DECIMAL(9,2)": ("-9999999.99", "0", "12.25"),
    "DECIMAL(18,3)": ("-999999999999999.999", "0.001", "5"),
    "DECIMAL(38,10)": ("-9999999999999999999999999999.9999999999", "0.0000000001", "5"),
    "VARCHAR": ("''", "'a'", "'日本語 🦆'", "'a' || chr(0) || 'b'", "repeat('x', 300)"),
    "BLOB": ("''", "'\\x00\\xFF'", "'abc'"),
    "BIT": ("'0'", "'101'", "'0000000100000001011'"),
    "BIGNUM": ("'0'", "'-1'", "'123456789012345678901234567890123456789012345678901234567890'"),
    "UUID": (
        "'00000000-0000-0000-0000-000000000000'",
        "'11111111-2222-3333-4444-555555555555'",
        "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    ),
    "JSON": ("'{}'", "'[1, {\"a\": null}]'", "'\"é\"'"),
    "DATE": (
        *("'-infinity'", "'infinity'", "'5877642-06-25 (BC)'", "'5881580-07-10'"),
        *("'1969-12-31'", "'2024-02-29'"),
    ),
    "TIME": ("'00:00:00'", "'12:34:56.789012'", "'23:59:59.999999'"),
    "TIME_NS": ("'00:00:00'", "'12:34:56.789012345'", "'23:59:59.999999999'"),
    "TIMETZ": ("'12:34:56.789+02:30'", "'00:00:00+15:59:59'", "'23:59:59-15:59:59'"),
    "TIMESTAMP": (
        *("'-infinity'", "'infinity'", "'290309-12-22 (BC) 00:00:00'"),
        *(
            "'294247-01-10 04:00:54.775806'",
            "'1969-12-31 23:59:59.999999'",
            "'2024-02-29 12:00:00'",
        ),
    ),
    "TIMESTAMP_S": (
        *("'-infinity'", "'infinity'", "'290309-12-22 (BC) 00:00:00'"),
        *("'294247-01-10 04:00:54'", "'1969-12-31 23:59:59'", "'2024-02-29 12:00:00'"),
    ),
    "TIMESTAMP_MS": (
        *("'-infinity'", "'infinity'", "'290309-12-22 (BC) 00:00:00'"),
        *("'294247-01-10 04:00:54.775'", "'1969-12-31 23:59:59.999'", "'2024-02-29 12:00:00'"),
    ),
    "TIMESTAMP_NS": (
        *("'-infinity'", "'infinity'", "'1677-09-22 00:00:00'"),
        *("'2262-04-11 23:47:16.854775806'", "'1969-12-31 23:59:59.999999999'"),
    ),
    "TIMESTAMPTZ": (
        *("'-infinity'", "'infinity'", "'290309-12-22 (BC) 00:00:00+00'"),
        *("'294247-01-10 04:00:54.775806+00'", "'2024-02-29 12:00:00+05:30'"),
    ),
    "INTERVAL": (
        *("'0 seconds'", "'1 month'", "'30 days'", "'-5 years 3 days 00:00:00.000001'"),
        "'178956970 years'",
    ),
    "GEOMETRY": ("'POINT EMPTY'", "'POINT(1 2)'", "'LINESTRING Z(1 2 3, 4 5 6)'"),
    "ENUM('sad', 'ok', 'happy')": ("'sad'", "'happy'"),
    "INTEGER[]": ("[]", "[NULL]", "[1, NULL, 3]"),
    "VARCHAR[][]": ("[]", "[[]]", "[['', NULL], NULL, ['é']]"),
    "INTEGER[3]": ("[1, 2, 3]", "[NULL, NULL, NULL]"),
    "STRUCT(a INTEGER, b VARCHAR)": ("{'a': 1, 'b': ''}", "{'a': NULL, 'b': NULL}"),
    "MAP(VARCHAR, INTEGER)": ("MAP {}", "MAP {'': NULL}", "MAP {'a': 1, 'é': 2}"),
    "UNION(num INTEGER, str VARCHAR)": (
        "union_value(num := 5)",
        "union_value(str := '')",
        "union_value(num := NULL::INTEGER)",
    ),
    "STRUCT(l STRUCT(m MAP(VARCHAR, INTEGER[])[], d DATE)[])": (
        "{'l': []}",
        "{'l': [{'m': [MAP {'x': [1, NULL]}, MAP {}], 'd': 'infinity'}, NULL]}",
    ),
    "MAP(DATE, STRUCT(t TIMESTAMP_S, i INTERVAL)[])": (
        "MAP {}",
        "MAP {DATE '-infinity': [{'t': 'infinity', 'i': '1 month'}, NULL], DATE '2024-01-01': []}",
    ),
    "STRUCT(h HUGEINT, u UUID, b BOOLEAN, j JSON)[]": (
        "[]",
        "[{'h': -5, 'u': '11111111-2222-3333-4444-555555555555', 'b': true, 'j': '{}'}, NULL]",
    ),
    "STRUCT(bits BIT, clock TIMETZ, big BIGNUM, ns TIMESTAMP_NS)": (
        "{'bits': '101', 'clock': '12:00:00+02', 'big': '-12345678901234567890', 'ns': 'infinity'}",
    ),
    "ENUM('x', 'y')[]": ("[]", "['x', NULL, 'y', 'y']"),
    "UNION(l INTEGER[], s STRUCT(u UBIGINT))[]": (
        "[]",
        "[union_value(l := [1])]",
        "[union_value(s := {'u': 18446744073709551615::UBIGINT}), NULL]",
    ),
    "TIMESTAMP[2][]": ("[]", "[['infinity', '2024-01-01'], [NULL, '-infinity'], NULL]"),
    "GEOMETRY[]": ("[]", "['POINT(1 2)', NULL]"),
}
"""By type, expressions that can be cast to it."""

COLUMNS = {f"c{at}": kind for at, kind in enumerate(VALUES)}
ROWS = max(map(len, VALUES.values())) + 1


class Session:
    def __init__(self, *, lossless: bool, zone: str = "UTC") -> None:
        self.connection = duckdb.connect(config={"threads": "1"})
        self.run(f"SET TimeZone = '{zone}'")
        self.run(f"SET arrow_lossless_conversion = {lossless}")

    def run(self, sql: str) -> None:
        self.connection.execute(sql)

    def make(self, name: str, *, shift: int = 0) -> pa.Table:
        """A table with a column of every type, every value in some row, NULL among them; as sent."""
        columns = ", ".join(f"{column} {kind}" for column, kind in COLUMNS.items())
        self.run(f"CREATE TABLE {name} ({KEY} BIGINT, {columns})")
        for row in range(ROWS):
            cells = [_pick((*values, "NULL"), row + shift, kind) for kind, values in VALUES.items()]
            self.run(f"INSERT INTO {name} SELECT {row}, {', '.join(cells)}")
        return self.arrow(f"FROM {name}")

    def arrow(self, sql: str) -> pa.Table:
        """What DuckDB's client would send of it."""
        return self.connection.sql(sql).to_arrow_table()

    def take(self, name: str, rows: pa.Table) -> None:
        """Rows that came, as a table of DuckDB's own."""
        self.connection.register("given", _aligned(rows))
        self.run(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
        self.connection.unregister("given")

    def types(self, name: str) -> dict[str, str]:
        found = self.connection.execute(f"DESCRIBE {name}").fetchall()
        return {column: kind for column, kind, *_ in found}

    def keys(self, sql: str) -> set[int]:
        return {key for (key,) in self.connection.execute(sql).fetchall()}

    def assert_same(self, found: str, expected: str) -> None:
        """Columns, types, rows: by value, and by how DuckDB shows them."""
        types = self.types(expected)
        assert self.types(found) == types
        for name in types:
            differing = self.keys(
                f"SELECT {KEY} FROM {found} a FULL JOIN {expected} b USING ({KEY})"
                f" WHERE a.{name} IS DISTINCT FROM b.{name}"
                f" OR a.{name}::VARCHAR IS DISTINCT FROM b.{name}::VARCHAR"
            )
            assert not differing, f"{name} {COLUMNS.get(name, '')}"


def _pick(values: tuple[str, ...], at: int, kind: str) -> str:
    return f"({values[at % len(values)]})::{kind}"


def _aligned(rows: pa.Table) -> pa.Table:
    """Buffers lie in a message of gRPC's wherever they happen to; DuckDB's package grumbles at that."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return pa.ipc.open_stream(sink.getvalue()).read_all()
