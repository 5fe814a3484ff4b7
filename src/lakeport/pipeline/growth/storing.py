"""The type that a new column gets: Iceberg's equivalent, optional at every depth.

A type that Iceberg lacks is stored as text, as the contract has it, or refused by the model's wish.
Names inside a new struct are looked at here too, since nobody has seen them before.
"""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.core.names import why_unsafe_column, why_unsafe_field
from lakeport.pipeline.growth import model, refusals
from lakeport.pipeline.growth.columns import diff
from lakeport.pipeline.growth.model import (
    DecimalOf,
    Field,
    Foreign,
    ListOf,
    MapOf,
    Primitive,
    Schema,
    StructOf,
    Type,
    parts,
)
from lakeport.pipeline.growth.plan import Path, Refused, Unmapped
from lakeport.pipeline.growth.policy import Policy
from lakeport.pipeline.growth.spark_words import text_of

_STORED = {model.BYTE: model.INT, model.SHORT: model.INT, model.COLLATED: model.STRING}


def stored(type_: Type) -> Type:
    """Spark's type as Iceberg's; what has no equivalent is a string."""
    match type_:
        case Primitive():
            return _STORED.get(type_, type_)
        case DecimalOf():
            return type_
        case ListOf():
            return ListOf(stored(type_.element))
        case MapOf():
            return MapOf(stored(type_.key), stored(type_.value))
        case StructOf():
            return StructOf(tuple(Field(part.name, stored(part.type)) for part in type_.fields))
        case Foreign():
            return model.STRING


def side_name(field: Field) -> str:
    """`amount__string`, `amount__decimal_9_2`: where values go that the column itself cannot take."""
    word = text_of(stored(field.type)).partition("<")[0]
    return f"{field.name}__{word.replace('(', '_').replace(',', '_').rstrip(')')}"


def unmapped(path: Path, type_: Type, policy: Policy) -> Iterator[Unmapped | Refused]:
    """The parts of a query's type that are stored as text because Iceberg lacks them."""
    for where, part in parts(path, type_):
        if isinstance(part, Foreign):
            refuses = policy.on_unmappable_type == "fail"
            yield (
                refusals.unmappable_type(where, part.text)
                if refuses
                else Unmapped(where, part.text)
            )


def unwritable(path: Path, type_: Type) -> Iterator[Refused]:
    """The parts of a table's column that Spark cannot open."""
    for where, part in parts(path, type_):
        if isinstance(part, Foreign):
            yield refusals.unwritable_type(where, part.text)


def why_not_new(path: Path, type_: Type) -> Iterator[Refused]:
    """What is wrong with the names of a new column or field, and with those inside it."""
    why = (why_unsafe_column if len(path) == 1 else why_unsafe_field)(path[-1])
    if why is not None:
        yield refusals.unsafe_name(path, why)
    for where, part in parts(path, type_):
        if isinstance(part, StructOf):
            yield from _why_not_fields(where, part.fields)


def _why_not_fields(path: Path, fields: Schema) -> Iterator[Refused]:
    names = [field.name for field in fields]
    for found in diff((), names).collisions:
        yield refusals.collision(path, found)
    for name in names:
        why = why_unsafe_field(name)
        if why is not None:
            yield refusals.unsafe_name((*path, name), why)
