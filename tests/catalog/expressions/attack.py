"""Calls one allowed function after the other with extreme arguments, and reports what each cost.

Run as a program, so that a crash or a flood of memory is this process's own: `attack.py NAME…`
prints one JSON line per function. The calls come from DuckDB's own list of overloads, so a function
that is added to the allow-list is attacked without anyone writing a line here.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.catalog.expressions import Expression, evaluate, parse_expression
from lakeport.catalog.expressions.functions import FUNCTIONS, Argument, Function
from lakeport.catalog.expressions.slices import measured
from lakeport.core.errors import InvalidRequestError, LakeportError

LONG = 20_000
MOST_CALLS = 16
"""Per overload."""

_TEXTS = (
    *(
        "NULL",
        "''",
        "' '",
        "'a'",
        "'é̃日🦆'",
        "'%_\\'",
        "'nan'",
        "'2024-02-29'",
        "'1' || repeat('0', 30)",
    ),
    *(f"repeat('a', {LONG})", f"repeat('a', {LONG // 2}) || 'b'", f"repeat('🦆', {LONG // 4})"),
    *(f"repeat('a' || chr(769) || chr(803), {LONG // 5})", f"repeat(chr(0), {LONG // 8})"),
    *(f"repeat('[', {LONG})", f"repeat('[', {LONG // 2}) || repeat(']', {LONG // 2})"),
    *(f"repeat('{{\"a\":', {LONG // 5})", '\'{"a": [1, {"b": null}], "c": "x"}\''),
    *(f"repeat('<&>%\"', {LONG // 5})", f"repeat('a,', {LONG // 2})", "'[1, 2, NULL]'"),
)
_INTEGERS = "NULL, 0, 1, -1, 2, 7, 63, 64, 127, -128, 1000, 100000"
_EXTREMES: dict[str, str] = {
    "BOOLEAN": "NULL, true, false",
    "TINYINT": "NULL, 0, 1, -1, 127, -128",
    "SMALLINT": "NULL, 0, -1, 32767, -32768",
    "INTEGER": f"{_INTEGERS}, 2147483647, -2147483648",
    "BIGINT": f"{_INTEGERS}, 9223372036854775807, -9223372036854775808",
    "HUGEINT": "NULL, 0, -1, 170141183460469231731687303715884105727,"
    " -170141183460469231731687303715884105728",
    "UTINYINT": "NULL, 0, 255",
    "USMALLINT": "NULL, 0, 65535",
    "UINTEGER": "NULL, 0, 4294967295",
    "UBIGINT": "NULL, 0, 1, 18446744073709551615",
    "UHUGEINT": "NULL, 0, 340282366920938463463374607431768211455",
    "FLOAT": "NULL, 0, -0.0, 1.5, 3.4e38, -3.4e38, 1e-45, 'nan', 'infinity', '-infinity'",
    "DOUBLE": "NULL, 0, -0.0, 1.5, 170, 1.7976931348623157e308, 5e-324, 'nan', 'infinity', '-infinity'",
    "DECIMAL": "NULL, 0, 1.5, -99999999999999999999999999999999999.999,"
    " 99999999999999999999999999999999999.999",
    "VARCHAR": ", ".join(_TEXTS),
    "JSON": "NULL, '1', '\"x\"', '[]', '{}', '{\"a\": {\"a\": [1, 2, {\"a\": null}]}}',"
    f" repeat('[', {LONG // 2}) || repeat(']', {LONG // 2}), '[' || repeat('1,', {LONG}) || '1]'",
    "BLOB": f"NULL, ''::BLOB, '\\x00\\xFF'::BLOB, repeat('x', {LONG})::BLOB",
    "BIT": f"NULL, '0'::BIT, '1'::BIT, repeat('10', {LONG})::BIT",
    "BIGNUM": "NULL, 0, -1, repeat('9', 3000)",
    "UUID": "NULL, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-7fff-ffff-ffffffffffff'",
    "DATE": "NULL, '1970-01-01', '2024-02-29', '5877642-06-25 (BC)', '5881580-07-10', 'infinity', '-infinity'",
    "TIME": "NULL, '00:00:00', '23:59:59.999999', '24:00:00'",
    "TIME_NS": "NULL, '00:00:00', '23:59:59.999999999'",
    "TIME WITH TIME ZONE": "NULL, '00:00:00+15:59:59', '23:59:59.999999-15:59:59'",
    "TIMESTAMP": "NULL, '1970-01-01', '2024-02-29 12:34:56.789', '290309-12-22 (BC) 00:00:00',"
    " '294247-01-10 04:00:54.775806', 'infinity', '-infinity'",
    "TIMESTAMP_NS": "NULL, '1970-01-01', '2262-04-11 23:47:16.854775806', '1677-09-22'",
    "TIMESTAMP WITH TIME ZONE": "NULL, '1970-01-01', '2024-02-29 12:34:56.789+02',"
    " '294247-01-10 04:00:54.775806+00', 'infinity', '-infinity'",
    "INTERVAL": "NULL, '0 days', '1 month -1 day 1 us', '178956970 years', '-178956970 years',"
    " '2147483647 days'",
    "GEOMETRY": "NULL, 'POINT EMPTY', 'POINT(1 2)'",
    "BIGINT[]": f"NULL, [], [NULL], [1, NULL, -1], range({LONG // 4}), list_transform(range({LONG // 4}), x -> 7)",
    "INTEGER[]": f"NULL, [], [NULL], [1, 2, 3], range({LONG // 4})",
    "BOOLEAN[]": f"NULL, [], [NULL], [true, false], list_transform(range({LONG}), x -> true)",
    "VARCHAR[]": f"NULL, [], [NULL], ['a', 'b'], [repeat('a', {LONG})], string_split(repeat('ab', {LONG // 8}), '')",
    "DOUBLE[]": "NULL, [], [NULL], ['nan', 'infinity', 1e308], [1, 2, 3]",
    "FLOAT[]": "NULL, [], [1, 2, 3], ['nan', 'infinity', 3e38]",
    "DOUBLE[3]": "NULL, [1, 2, 3], ['nan', 'infinity', -1e308]",
    "FLOAT[3]": "NULL, [1, 2, 3], ['nan', 'infinity', -3e38]",
    "BIGINT[][]": f"NULL, [], [NULL], [[], [NULL], [1, 2]], [range({LONG // 4}), range(10)]",
    "STRUCT(k VARCHAR, v BIGINT)[]": "NULL, [], [{'k': 'a', 'v': 1}, {'k': NULL, 'v': NULL}],"
    f" list_transform(range({LONG // 16}), x -> {{'k': x::VARCHAR, 'v': x}})",
    "STRUCT(a BIGINT, b VARCHAR)": "NULL, {'a': 1, 'b': NULL}, {'a': NULL, 'b': repeat('x', 1000)}",
    "MAP(VARCHAR, BIGINT)": "NULL, map {}, map {'a': 1, 'b': NULL},"
    f" map(list_transform(range({LONG // 16}), x -> x::VARCHAR), range({LONG // 16}))",
    "UNION(n BIGINT, s VARCHAR)": f"NULL, 1, repeat('x', {LONG})",
}
_STANDS_FOR: dict[str, tuple[str, ...]] = {
    "ANY": ("VARCHAR", "BIGINT", "BIGINT[]", "STRUCT(a BIGINT, b VARCHAR)", "MAP(VARCHAR, BIGINT)"),
    "T": ("VARCHAR", "BIGINT"),
    "K": ("VARCHAR",),
    "ANY[]": ("VARCHAR[]", "BIGINT[]", "BOOLEAN[]"),
    "T[]": ("VARCHAR[]", "BIGINT[]", "BOOLEAN[]"),
    "K[]": ("VARCHAR[]", "BIGINT[]"),
    "V[]": ("VARCHAR[]", "BIGINT[]"),
    "T[][]": ("BIGINT[][]",),
    "FLOAT[ANY]": ("FLOAT[3]",),
    "DOUBLE[ANY]": ("DOUBLE[3]",),
    "MAP(ANY, ANY)": ("MAP(VARCHAR, BIGINT)",),
    "MAP(K, V)": ("MAP(VARCHAR, BIGINT)",),
    "STRUCT": ("STRUCT(a BIGINT, b VARCHAR)",),
    "STRUCT(K, V)[]": ("STRUCT(k VARCHAR, v BIGINT)[]",),
    "UNION": ("UNION(n BIGINT, s VARCHAR)",),
    "": ("MAP(VARCHAR, BIGINT)", "BIGINT", "VARCHAR", "BIGINT[]", "BOOLEAN[]", "DATE", "INTERVAL"),
}
_LITERALS: dict[Argument, tuple[str, ...]] = {
    Argument.LIKE: ("'%a%b%a%'", "'a_%'", "''", "'%" + "a" * 900 + "%'", "NULL"),
    Argument.GLOB: ("'a*'", "'*[a-z]'", "'" + "a" * 900 + "*b'", "''"),
    Argument.REGEX: ("'(a|b)*c'", "''", "'(a+)+$'", "'[ab]{500}x'", "'(.)(.)?'", "NULL"),
    Argument.PATH: ("'$.a'", "'$[0]'", "'/a'", "'a'", "0", "NULL"),
    Argument.NEEDLE: ("'a'", "''", "'" + "a" * 900 + "'", "NULL"),
    Argument.ZONE: ("'Europe/Berlin'", "'UTC'", "'nowhere'", "NULL"),
    Argument.OTHER: ("1", "'\\0xyz'", "'g'", "'x'", "NULL"),
}


# Functions whose other arguments must be constants, or that take structs without names.
_BY_HAND: dict[str, tuple[str, ...]] = {
    "array_prepend": ("array_prepend(c0, [c0])",),
    "list_prepend": ("list_prepend(c0, [c0])",),
    "map_contains_entry": ("map_contains_entry(map {'a': c0}, 'a', c0)",),
    "map_contains_value": ("map_contains_value(map {'a': c0}, c0)",),
    "round_even": ("round_even(c0::DOUBLE, 300)", "round_even(c0, -5)"),
    "roundbankers": ("roundbankers(c0::DOUBLE, 300)",),
    "split_part": ("split_part(c0::VARCHAR, 'a', 3)", "split_part(c0::VARCHAR, '', -1)"),
    "strptime": (
        "strptime(c0::VARCHAR, '%Y-%m-%d %H:%M:%S')",
        "strptime(c0::VARCHAR, ['%c', '%x'])",
    ),
    "try_strptime": ("try_strptime(c0::VARCHAR, '%Y-%m-%d')",),
    "struct_contains": ("struct_contains(row(c0, 1), c0)",),
    "struct_extract": ("struct_extract({'a': c0}, 'a')",),
    "struct_extract_at": ("struct_extract_at(row(c0, 1), 1)",),
    "struct_has": ("struct_has(row(c0, 1), c0)",),
    "struct_indexof": ("struct_indexof(row(c0, 1), c0)",),
    "struct_position": ("struct_position(row(c0, 1), c0)",),
    "union_extract": ("union_extract(union_value(s := c0), 's')",),
}


@dataclass
class Report:
    function: str
    calls: int = 0
    values: int = 0
    seconds: float = 0.0
    beyond_bound: str = ""
    memory: int = 0
    input: int = 0


def overloads(function: Function) -> Iterator[tuple[str, ...]]:
    """The argument types of each overload, with what stands for a generic one; "" is unknown."""
    rows = duckdb.execute(
        "SELECT DISTINCT parameter_types, varargs FROM duckdb_functions()"
        " WHERE database_name = 'system' AND function_type IN ('scalar', 'macro')"
        " AND lower(function_name) = ? ORDER BY ALL",
        [function.name.lower()],
    ).fetchall()
    for types, more in rows:
        named = [name or "" for name in types]
        yield tuple(named)
        if more:
            yield (*named, more)
            yield (*named, more, more)


def calls(function: Function) -> Iterator[tuple[str, dict[str, str]]]:
    """SQL of each call, and the types of the columns it names."""
    for sql in _BY_HAND.get(function.name, ()):
        yield from ((sql, {"c0": kind}) for kind in ("VARCHAR", "BIGINT", "DOUBLE"))
    demands = dict(function.demands)
    for types in overloads(function):
        choices = [
            _LITERALS[demands[place]]
            if place in demands
            else [(place, name) for name in _STANDS_FOR.get(kind, (kind,)) if name in _EXTREMES]
            for place, kind in enumerate(types)
        ]
        every = list(itertools.product(*choices))
        for chosen in random.Random(0).sample(every, min(MOST_CALLS, len(every))):  # noqa: S311 - a choice of tests
            columns = {f"c{c[0]}": c[1] for c in chosen if isinstance(c, tuple)}
            arguments = [c if isinstance(c, str) else f"c{c[0]}" for c in chosen]
            yield _call(function.name, arguments), columns


def _call(name: str, arguments: list[str]) -> str:
    if name in {"struct_pack", "struct_insert", "struct_update", "union_value"}:
        fixed = 0 if name in {"struct_pack", "union_value"} else 1
        named = [f"n{place} := {argument}" for place, argument in enumerate(arguments[fixed:])]
        arguments = [*arguments[:fixed], *(named[:1] if name == "union_value" else named)]
    if name == "position" and len(arguments) == 2:
        return f"position({arguments[1]} IN {arguments[0]})"
    if name[0].isalpha():
        return f"{name}({', '.join(arguments)})"
    return (
        f"({f' {name} '.join(arguments)})"
        if len(arguments) == 2
        else f"({name} {' '.join(arguments)})"
    )


class Tables:
    """Rows of extremes; two columns of one table meet in every combination."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(config={"arrow_lossless_conversion": "true"})
        self._connection.execute("SET TimeZone = 'UTC'")
        self._made: dict[tuple[tuple[str, str], ...], pa.RecordBatch] = {}

    def of(self, columns: dict[str, str]) -> pa.RecordBatch:
        key = tuple(columns.items())
        if key not in self._made:
            self._made[key] = self._make(columns)
        return self._made[key]

    def _make(self, columns: dict[str, str]) -> pa.RecordBatch:
        if not columns:
            return pa.RecordBatch.from_arrays([pa.nulls(3)], ["unused"])
        sources = [
            f"(SELECT unnest([{_listed(kind)}]) AS {name}) AS t_{name}"
            for name, kind in list(columns.items())[:2]
        ]
        more = [
            f"[{_listed(kind)}][1 + (hash(row_number() OVER ()) % {_count(kind)})::INT] AS {name}"
            for name, kind in list(columns.items())[2:]
        ]
        wanted = ", ".join([*list(columns)[:2], *more])
        table = self._connection.execute(
            f"SELECT {wanted} FROM {', '.join(sources)}"
        ).to_arrow_table()
        return table.combine_chunks().to_batches()[0]


def _listed(kind: str) -> str:
    as_type = "DECIMAL(38, 3)" if kind == "DECIMAL" else kind
    return ", ".join(f"TRY_CAST({value} AS {as_type})" for value in _split(_EXTREMES[kind]))


def _count(kind: str) -> int:
    return len(_split(_EXTREMES[kind]))


def _split(values: str) -> list[str]:
    """A list of SQL values, cut at the commas that separate them."""
    found, depth, quoted, start = [], 0, False, 0
    for place, character in enumerate(values):
        quoted ^= character == "'"
        depth += 0 if quoted else (character in "([{") - (character in ")]}")
        if character == "," and not depth and not quoted:
            found.append(values[start:place].strip())
            start = place + 1
    return [*found, values[start:].strip()]


def attack(function: Function, tables: Tables) -> Report:
    report = Report(function.name)
    for sql, columns in calls(function):
        batch = tables.of(columns)
        try:
            expression = parse_expression(f"TRY({sql})", batch.schema)
        except LakeportError:
            continue  # an overload that does not bind, or an argument that is refused
        report.calls += 1
        report.input = max(report.input, measured(batch))
        before, started = _memory("VmRSS", anew=True), time.monotonic()
        for piece, values in _answered(expression, batch):
            report.values += len(values)
            bound = expression.growth.result
            size = measured(piece)
            if values.nbytes > bound.factor * size + bound.constant * piece.num_rows:
                report.beyond_bound = f"{sql} over {columns}: {values.nbytes} of {size} bytes"
        report.seconds = max(report.seconds, time.monotonic() - started)
        report.memory = max(report.memory, _memory("VmHWM") - before)
    return report


def _answered(
    expression: Expression, batch: pa.RecordBatch
) -> Iterator[tuple[pa.RecordBatch, Array]]:
    """The rows that have an answer: TRY does not catch every error, so a batch that fails is halved."""
    try:
        yield batch, evaluate(expression, batch, seconds=30)
    except InvalidRequestError:
        if batch.num_rows > 1:
            half = batch.num_rows // 2
            yield from _answered(expression, batch.slice(0, half))
            yield from _answered(expression, batch.slice(half))


def _memory(measure: str, *, anew: bool = False) -> int:
    """Bytes this process has resident now (VmRSS) or had at most since it was last asked anew (VmHWM)."""
    if anew:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(measure):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    prepared = Tables()
    for name in sys.argv[1:]:
        sys.stdout.write(json.dumps(asdict(attack(FUNCTIONS[name], prepared))) + "\n")
        sys.stdout.flush()
