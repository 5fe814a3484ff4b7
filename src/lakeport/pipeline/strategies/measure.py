"""What has to be known of staged rows before they are written, in one aggregate over them.

How many there are, how many have a NULL in their key, how far keys reach, and whether they repeat: that
only for who has to know, since counting keys costs as much as all the rest.
Dates and points in time come as numbers or text, so that no zone of a session and no limit of a
client's calendar gets in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakeport.core.errors import ConstraintViolationError, KeyViolationError
from lakeport.core.names import quoted
from lakeport.pipeline.growth import model
from lakeport.pipeline.growth.conversion import KEEP, Projected
from lakeport.pipeline.growth.model import Type
from lakeport.pipeline.growth.spark_select import expression
from lakeport.pipeline.strategies.keys import key_columns
from lakeport.pipeline.strategies.literals import is_ordered
from lakeport.pipeline.strategies.write import Bound, Value, Write

_SAMPLE = 5
_UNASKED = "NULL"
_FORMS: dict[Type, str] = {
    model.DATE: "unix_date({})",
    model.TIMESTAMPTZ: "unix_micros({})",
    # Counting from 1970 goes through the session's zone, which has hours that no wall clock shows.
    model.TIMESTAMP: "CAST({} AS STRING)",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """`repeated` counts rows beyond the first of each key, None where nobody asked; rows with a NULL key
    repeat only by `match`.
    """

    rows: int
    null_keys: int = 0
    repeated: int | None = None
    bounds: tuple[Bound, ...] = ()


def figures(write: Write, *, repeats: bool = False) -> tuple[str, ...]:
    """Aggregates over the staged rows; `repeats` asks whether keys do."""
    if not write.unique_key:
        return ("count(*)",)
    keys = key_columns(write)
    values = [
        "count(*)",
        f"count_if({_any_null(keys)})",
        f"count(DISTINCT {_whole_key(write, keys)})" if repeats else _UNASKED,
    ]
    for key in _ordered(keys):
        form = _FORMS.get(key.type, "{}")
        values += [form.format(f"{end}({expression(key)})") for end in ("min", "max")]
    return tuple(values)


def measure(write: Write, *, repeats: bool = False) -> str:
    """One row: `measured` reads it."""
    return f"SELECT {', '.join(figures(write, repeats=repeats))}\nFROM {write.staged.sql}"


def countable(write: Write) -> tuple[str, ...]:
    """Those figures that can be taken while the rows are computed, under whatever settings they are.

    None where a key is cast: what a cast does depends on them.
    """
    if write.unique_key and any(key.conversion != KEEP for key in key_columns(write)):
        return ()
    return tuple(figure for figure in figures(write) if figure != _UNASKED)


def counted(values: Sequence[Value | None]) -> tuple[Value | None, ...]:
    """The values of `countable` as the row that `measured` reads."""
    rows, *rest = values
    if not rest:
        return (rows,)
    nulls, *ends = rest
    return rows, nulls, None, *ends


def measured(write: Write, row: Sequence[Value | None]) -> Measured:
    rows, *rest = row
    if not rest:
        return Measured(_count(rows))
    nulls, distinct, *ends = rest
    keyed = _count(rows) - (0 if write.null_keys == "match" else _count(nulls))
    pairs = zip(_ordered(key_columns(write)), ends[::2], ends[1::2], strict=True)
    bounds = tuple(
        Bound(key.name, low, high)
        for key, low, high in pairs
        if low is not None and high is not None
    )
    repeated = None if distinct is None else keyed - _count(distinct)
    return Measured(_count(rows), _count(nulls), repeated, bounds)


def repeated_keys(write: Write) -> str:
    """A few keys that several staged rows have, for the message."""
    keys = key_columns(write)
    names = ", ".join(expression(key) for key in keys)
    known = "" if write.null_keys == "match" else f"\nWHERE NOT ({_any_null(keys)})"
    return (
        f"SELECT {names}\nFROM {write.staged.sql}{known}\n"
        f"GROUP BY {names}\nHAVING count(*) > 1\nORDER BY {names}\nLIMIT {_SAMPLE}"
    )


def require_keys(write: Write, found: Measured) -> None:
    """Refuse NULL keys where the model wants none."""
    if write.null_keys == "fail" and found.null_keys:
        raise ConstraintViolationError(
            f"{found.null_keys} of {found.rows} rows have a NULL in"
            f" {_named(key_columns(write))}, their unique_key",
            hint='filter them in the model, or set null_keys = "append" or "match"',
        )


def repetition(write: Write, sample: Sequence[Sequence[object]]) -> KeyViolationError:
    """The error of a `merge` whose staged keys repeat; `sample` is the answer to `repeated_keys`."""
    shown = "; ".join(", ".join(str(value) for value in key) for key in sample)
    return KeyViolationError(
        f"several rows have the same {_named(key_columns(write))}: {shown}",
        hint='make the key unique in the model, or use strategy = "delete_insert", which keeps them',
        details={"sample": shown},
        unseen=f"several rows have the same {_named(key_columns(write))}",
    )


def _ordered(keys: Sequence[Projected]) -> list[Projected]:
    return [key for key in keys if is_ordered(key.type)]


def _any_null(keys: Sequence[Projected]) -> str:
    return " OR ".join(f"{expression(key)} IS NULL" for key in keys)


def _whole_key(write: Write, keys: Sequence[Projected]) -> str:
    # A struct is counted even if all in it is NULL, which is what `match` means by a key.
    whole = f"struct({', '.join(expression(key) for key in keys)})"
    return whole if write.null_keys == "match" else f"IF({_any_null(keys)}, NULL, {whole})"


def _named(keys: Sequence[Projected]) -> str:
    return ", ".join(quoted(key.name) for key in keys)


def _count(value: Value | None) -> int:
    return int(value or 0)
