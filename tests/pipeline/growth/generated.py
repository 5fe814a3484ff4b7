"""Generated tables, and queries that are like them and yet not: columns leave, come, change case and type.

As in `tests/strategies.py` there are two doors: hypothesis strategies, and functions of a seed for
tests that want thousands.
"""

from __future__ import annotations

import random

from hypothesis import strategies as st

from lakeport.core.names import fold, why_unsafe_column
from lakeport.pipeline.growth import Field, Schema, Type, model
from lakeport.pipeline.growth.model import DecimalOf, Foreign, ListOf, MapOf, Primitive, StructOf
from tests.strategies import seeded

_WORDS = (
    *(
        "id",
        "Name",
        "größe",
        "STRASSE",
        "日本",
        "a b",
        "q`uote",
        'q"q',
        "x'y",
        "select",
        "É",
        "\u0130",
    ),
    *("ΣΑΣ", "ﬁn", "c\\d", "e\u0301t", "n1", "n2", "n3", "n4", "customer_id", "Ǆ"),
)
_LETTERS = st.characters(categories=("Lu", "Ll", "Lo", "Nd", "Mn"))
NAMES = st.one_of(st.sampled_from(_WORDS), st.text(_LETTERS, min_size=1, max_size=6)).filter(
    lambda name: why_unsafe_column(name) is None
)

STORED: tuple[Type, ...] = (
    model.BOOLEAN,
    model.INT,
    model.LONG,
    model.FLOAT,
    model.DOUBLE,
    DecimalOf(4, 1),
    DecimalOf(9, 2),
    DecimalOf(38, 2),
    model.STRING,
    model.BINARY,
    model.DATE,
    model.TIMESTAMP,
    model.TIMESTAMPTZ,
    model.UUID,
    Primitive("fixed[16]"),
)
GIVEN: tuple[Type, ...] = (
    *(one for one in STORED if one != model.UUID and not model.is_fixed(one)),
    model.BYTE,
    model.SHORT,
    model.COLLATED,
    DecimalOf(12, 2),
    model.VOID,
    Foreign("interval day to second"),
    Foreign("variant"),
)
_KEYS: tuple[Type, ...] = (model.STRING, model.INT, model.LONG, DecimalOf(9, 2))
_GIVEN_KEYS: tuple[Type, ...] = (
    *_KEYS,
    model.BYTE,
    model.COLLATED,
    model.VOID,
    Foreign("interval month"),
    StructOf((Field("k", model.SHORT), Field("K2", Foreign("interval day"), required=True))),
)

Meeting = tuple[Schema, Schema]


def meetings() -> st.SearchStrategy[Meeting]:
    return st.integers(0, 2**32).map(lambda seed: random_meeting(seeded(seed)))


def types(leaves: tuple[Type, ...], depth: int) -> st.SearchStrategy[Type]:
    return st.integers(0, 2**32).map(lambda seed: _random_type(seeded(seed), leaves, depth))


def random_meeting(rng: random.Random) -> Meeting:
    """A table and a query whose columns are partly the table's."""
    target = _random_schema(rng, STORED, 2, rng.randint(0, 5))
    return target, _variants(rng, target, least=0)


def _random_schema(rng: random.Random, leaves: tuple[Type, ...], depth: int, count: int) -> Schema:
    """Columns whose names differ in any spelling."""
    names = {fold(name): name for name in rng.sample(_WORDS, count)}
    return tuple(
        Field(name, _random_type(rng, leaves, depth), required=rng.random() < 0.3)
        for name in names.values()
    )


def _random_type(rng: random.Random, leaves: tuple[Type, ...], depth: int) -> Type:
    if depth == 0 or rng.random() < 0.5:
        return rng.choice(leaves)
    required = rng.random() < 0.3
    match rng.randrange(3):
        case 0:
            return ListOf(_random_type(rng, leaves, depth - 1), required)
        case 1:
            keys = _KEYS if leaves is STORED else _GIVEN_KEYS
            return MapOf(rng.choice(keys), _random_type(rng, leaves, depth - 1), required)
        case _:
            return StructOf(_random_schema(rng, leaves, depth - 1, rng.randint(1, 3)))


def _variants(rng: random.Random, target: Schema, least: int) -> Schema:
    """Some fields in another order, spelling or type, and some that the target lacks."""
    kept = [_variant(rng, field) for field in target if rng.random() < 0.75]
    rng.shuffle(kept)
    fresh = _random_schema(rng, GIVEN, 1, rng.randint(0 if kept else least, 3))
    taken = {fold(field.name) for field in kept}
    return (*kept, *(field for field in fresh if fold(field.name) not in taken))


def _variant(rng: random.Random, field: Field) -> Field:
    spellings = (field.name, field.name.swapcase(), field.name.upper(), field.name.lower())
    same = [name for name in spellings if fold(name) == fold(field.name)]
    return Field(rng.choice(same), _near(rng, field.type), required=rng.random() < 0.3)


def _near(rng: random.Random, type_: Type) -> Type:
    if rng.random() < 0.1:
        return rng.choice(GIVEN)
    match type_:
        case StructOf():
            return StructOf(_variants(rng, type_.fields, least=1))
        case ListOf():
            return ListOf(_near(rng, type_.element), required=rng.random() < 0.3)
        case MapOf():
            key = rng.choice(_GIVEN_KEYS) if rng.random() < 0.2 else type_.key
            return MapOf(key, _near(rng, type_.value), required=rng.random() < 0.3)
        case model.UUID:
            return model.STRING
        case Primitive() if model.is_fixed(type_):
            return model.BINARY
        case _:
            return rng.choice(_NEIGHBOURS.get(type_, (type_,)))


_NEIGHBOURS: dict[Type, tuple[Type, ...]] = {
    model.INT: (model.INT, model.BYTE, model.LONG, model.VOID),
    model.LONG: (model.LONG, model.SHORT, model.INT),
    model.FLOAT: (model.FLOAT, model.DOUBLE, model.INT),
    model.DOUBLE: (model.DOUBLE, model.FLOAT, model.INT),
    DecimalOf(9, 2): (DecimalOf(9, 2), DecimalOf(12, 2), DecimalOf(4, 1), model.SHORT),
    model.STRING: (model.STRING, model.COLLATED, Foreign("variant")),
}
