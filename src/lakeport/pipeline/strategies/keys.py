"""The unique key of a write: its columns, how rows are compared by it, and how far its values reach.

A comparison of `append` and `fail` is SQL's: a NULL equals nothing, so a row with one never replaces
another. `match` compares NULLs as equal.
"""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.core.errors import InvalidRequestError, NotFoundError, UnsupportedError
from lakeport.core.names import NameMap, quoted, twins
from lakeport.pipeline.growth.conversion import Projected
from lakeport.pipeline.growth.model import MapOf, parts
from lakeport.pipeline.growth.spark_words import identifier, text_of
from lakeport.pipeline.strategies.literals import literal_of
from lakeport.pipeline.strategies.write import TARGET, Write


def key_columns(write: Write) -> tuple[Projected, ...]:
    """The key's columns in the table's spelling; an error for a key that rows cannot be told apart by."""
    if not write.unique_key:
        raise InvalidRequestError(
            "this strategy needs a unique_key", hint="name the columns that tell rows apart"
        )
    pair = twins(write.unique_key)
    if pair is not None:
        raise InvalidRequestError(
            f"unique_key names {quoted(pair[1])} twice", hint="name each column once"
        )
    return tuple(_key_column(write, name) for name in write.unique_key)


def _key_column(write: Write, name: str) -> Projected:
    # A column that left the model is NULL in every new row: no row would ever be replaced by it.
    found = write.given.get(name)
    if found is None:
        raise NotFoundError.among("column", name, write.given, where="for its unique_key the model")
    if any(isinstance(part, MapOf) for _, part in parts((name,), found.type)):
        raise UnsupportedError(
            f"unique_key column {quoted(name)} is a {text_of(found.type)}, and maps have no equality",
            hint="use a column that can be compared",
        )
    return found


def matches(write: Write, others: tuple[str, ...]) -> str:
    """The ON condition: the table's key equals `others`, column by column, within the bounds."""
    equals = "<=>" if write.null_keys == "match" else "="
    columns = key_columns(write)
    pairs = (
        f"{_of_target(column)} {equals} {other}"
        for column, other in zip(columns, others, strict=True)
    )
    return "\n  AND ".join((*pairs, *_ranges(write, columns)))


def _ranges(write: Write, columns: tuple[Projected, ...]) -> Iterator[str]:
    """Literal bounds let Iceberg skip the files that no staged key can be in."""
    bounds = NameMap((bound.column, bound) for bound in write.bounds)
    for column in columns:
        bound = bounds.get(column.name)
        if bound is None:
            continue
        low, high = literal_of(column.type, bound.low), literal_of(column.type, bound.high)
        if low is None or high is None:
            continue
        within = f"{_of_target(column)} BETWEEN {low} AND {high}"
        yield (
            f"({within} OR {_of_target(column)} IS NULL)" if write.null_keys == "match" else within
        )


def _of_target(column: Projected) -> str:
    return f"{TARGET}.{identifier(column.name)}"
