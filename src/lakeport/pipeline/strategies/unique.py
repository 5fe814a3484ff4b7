"""PRIMARY KEY and UNIQUE: a question whose answer is the keys that the write would leave twice.

It is asked about the table as it would be afterwards: staged rows, and those rows of the table that the
strategy leaves. Only keys of staged rows count, so what foreign writers broke before is nobody's error
here. Rows with a NULL in a key never collide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from lakeport.catalog.definition import Key
from lakeport.catalog.evolution.layout import parse_term
from lakeport.core.errors import PreconditionError
from lakeport.core.names import NameMap, quoted
from lakeport.pipeline.growth.conversion import Projected
from lakeport.pipeline.growth.spark_select import expression
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.strategies.keys import key_columns
from lakeport.pipeline.strategies.time_range import range_of, within
from lakeport.pipeline.strategies.write import SOURCE, TARGET, Write

_SAMPLE = 5
_NEW = "__lakeport_new"
_KEY = "__lakeport_unique_"
_FUNCTIONS = {"year": "years", "month": "months", "day": "days", "hour": "hours"}


def taken_keys(strategy: str, write: Write, key: Key, table: pa.Schema | None) -> str:
    """A few keys that more than one row would have; `table` is None if it has no rows yet."""
    columns = _columns(write, key)
    names = [f"{_KEY}{number}" for number in range(1, len(columns) + 1)]
    rows = [_staged(strategy, write, columns, names)]
    if table is not None and strategy != "full":
        rows += _left(strategy, write, columns, names, table)
    known = " AND ".join(f"{name} IS NOT NULL" for name in names)
    every = ", ".join(names)
    return (
        f"SELECT {every}\nFROM (\n  "
        + "\n  UNION ALL ".join(rows)
        + f"\n)\nWHERE {known}\nGROUP BY {every}\n"
        f"HAVING count(*) > 1 AND max({_NEW})\nORDER BY {every}\nLIMIT {_SAMPLE}"
    )


def _columns(write: Write, key: Key) -> list[Projected]:
    held = NameMap((column.name, column) for column in write.projection)
    missing = [name for name in key.columns if name not in held]
    if missing:
        # Another engine dropped or renamed the column: a key nobody can check admits nothing.
        raise PreconditionError(
            f"the key {quoted(key.name)} cannot be checked any more: column {quoted(missing[0])} is gone",
            hint="drop the constraint, or bring its columns back",
        )
    return [held[name] for name in key.columns]


def _staged(strategy: str, write: Write, columns: Sequence[Projected], names: Sequence[str]) -> str:
    if strategy == "merge":
        return _merged(write, columns, names)
    values = _named((expression(column) for column in columns), names, new=True)
    where = ""
    if strategy == "time_range":
        span, column = range_of(write)
        where = f" WHERE {within(expression(column), column, span)}"
    return f"SELECT {values} FROM {write.staged.sql}{where}"  # noqa: S608 quoted


def _merged(write: Write, columns: Sequence[Projected], names: Sequence[str]) -> str:
    """What the model has no value for stays in a row that is updated, and is NULL in a new one."""
    given = [f"{SOURCE}.{identifier(c.name)}" for c in columns]
    kept = [
        f"{TARGET}.{identifier(c.name)}" if c.source is None else value
        for c, value in zip(columns, given, strict=True)
    ]
    source = f"(SELECT {write.values} FROM {write.staged.sql}) AS {SOURCE}"  # noqa: S608 quoted
    return (
        f"SELECT {_named(kept, names, new=True)} FROM {source}"  # noqa: S608 quoted
        f" LEFT JOIN {write.target.sql} AS {TARGET} ON {_same_key(write)}"
    )


def _left(
    strategy: str,
    write: Write,
    columns: Sequence[Projected],
    names: Sequence[str],
    table: pa.Schema,
) -> list[str]:
    """The rows of the table that stay as they are."""
    values = _named((f"{TARGET}.{identifier(c.name)}" for c in columns), names, new=False)
    start = f"SELECT {values} FROM {write.target.sql} AS {TARGET}"  # noqa: S608 quoted
    match strategy:
        case "append":
            return [start]
        case "delete_insert" | "merge":
            source = f"(SELECT {write.values} FROM {write.staged.sql}) AS {SOURCE}"  # noqa: S608
            return [f"{start} LEFT ANTI JOIN {source} ON {_same_key(write)}"]
        case "time_range":
            span, column = range_of(write)
            inside = within(f"{TARGET}.{identifier(column.name)}", column, span)
            return [f"{start} WHERE ({inside}) IS NOT TRUE"]
        case _:
            source = f"(SELECT {write.values} FROM {write.staged.sql}) AS {SOURCE}"  # noqa: S608
            return [f"{start} LEFT ANTI JOIN {source} ON {_same_partition(write, table)}"]


def _same_key(write: Write) -> str:
    equals = "<=>" if write.null_keys == "match" else "="
    names = [identifier(column.name) for column in key_columns(write)]
    return " AND ".join(f"{TARGET}.{name} {equals} {SOURCE}.{name}" for name in names)


def _same_partition(write: Write, table: pa.Schema) -> str:
    catalog = identifier(write.target.parts[0])
    pairs = []
    for text in write.partitioned_by:
        term = parse_term(text, table)
        word, _, number = term.head.partition("(")
        path = ".".join(identifier(part) for part in term.path)
        sides = []
        for side in (TARGET, SOURCE):
            value = f"{side}.{path}"
            if word.strip():
                name = _FUNCTIONS.get(word.strip().lower().rstrip("s"), word.strip().lower())
                value = f"{catalog}.system.{name}({number}{value})"
            sides.append(value)
        pairs.append(f"{sides[0]} <=> {sides[1]}")
    return " AND ".join(pairs)


def _named(values: Iterable[str], names: Sequence[str], *, new: bool) -> str:
    pairs = zip(values, names, strict=True)
    return ", ".join(
        (*(f"{value} AS {name}" for value, name in pairs), f"{str(new).upper()} AS {_NEW}")
    )
