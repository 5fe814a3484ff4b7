"""The columns of a new table that all files fit into: by name in any case, in the first file's order."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lakeport.app.lake.load.inputs import Input
from lakeport.catalog.arrow import Field
from lakeport.catalog.expressions import type_text
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import fold, quoted


def common_schema(inputs: Sequence[Input]) -> pa.Schema:
    found: dict[str, tuple[Field, Input]] = {}
    for source in inputs:
        for column in source.schema():
            key = fold(column.name)
            if key in found:
                found[key] = (_wider(found[key], column, source), source)
            else:
                found[key] = (_storable(column), source)
    return pa.schema([column for column, _ in found.values()])


def _wider(known: tuple[Field, Input], other: Field, source: Input) -> Field:
    column, earlier = known
    wanted = _storable(other)
    if column.type == wanted.type:
        return column
    try:
        merged = pa.unify_schemas(
            [pa.schema([column]), pa.schema([wanted.with_name(column.name)])],
            promote_options="permissive",
        )
        return merged.field(0)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        # Guessed types are only opinions: the values themselves are still text.
        if earlier.is_guessed and source.is_guessed:
            return column.with_type(pa.string())
    raise InvalidRequestError(
        f"column {quoted(column.name)} is {type_text(column)} in {earlier.label}"
        f" and {type_text(other)} in {source.label}",
        hint="load them one after the other, or convert one of them",
    )


def _storable(column: Field) -> Field:
    """A column that holds nothing but NULL could be anything; half floats no client can read."""
    nullable = column.with_nullable(nullable=True)
    if pa.types.is_null(column.type):
        return nullable.with_type(pa.string())
    if pa.types.is_float16(column.type):
        return nullable.with_type(pa.float32())
    return nullable
