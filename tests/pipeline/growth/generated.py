"""Generated tables, and queries that are like them and yet not: columns leave, come, change case and type."""

from __future__ import annotations

from hypothesis import strategies as st

from lakeport.core.names import fold, why_unsafe_column
from lakeport.pipeline.growth import Field, Schema, Type, model
from lakeport.pipeline.growth.model import DecimalOf, Foreign, ListOf, MapOf, Primitive, StructOf

_WORDS = (
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


def schemas(
    leaves: tuple[Type, ...], *, depth: int = 2, least: int = 0
) -> st.SearchStrategy[Schema]:
    """Columns whose names differ in any spelling."""
    parts = st.builds(Field, NAMES, types(leaves, depth), st.booleans())
    names = st.lists(parts, min_size=least, max_size=5, unique_by=lambda field: fold(field.name))
    return names.map(tuple)


def types(leaves: tuple[Type, ...], depth: int) -> st.SearchStrategy[Type]:
    leaf = st.sampled_from(leaves)
    if depth == 0:
        return leaf
    inner = st.deferred(lambda: types(leaves, depth - 1))
    return st.one_of(
        leaf,
        leaf,
        st.builds(ListOf, inner, st.booleans()),
        st.builds(MapOf, st.sampled_from(_KEYS), inner, st.booleans()),
        st.builds(StructOf, schemas(leaves, depth=depth - 1, least=1)),
    )


TABLES = schemas(STORED)


@st.composite
def meetings(draw: st.DrawFn) -> tuple[Schema, Schema]:
    """A table and a query whose columns are partly the table's."""
    target = draw(TABLES)
    return target, draw(variants(target, least=0))


@st.composite
def variants(draw: st.DrawFn, target: Schema, least: int) -> Schema:
    """Some fields in another order, spelling or type, and some that the target lacks."""
    kept = [field for field in target if draw(st.integers(0, 3))]
    again = [draw(_variant(field)) for field in draw(st.permutations(kept))]
    fresh = draw(schemas(GIVEN, depth=1, least=0 if again or not least else least))
    taken = {fold(field.name) for field in again}
    return (*again, *(field for field in fresh if fold(field.name) not in taken))


@st.composite
def _variant(draw: st.DrawFn, field: Field) -> Field:
    spellings = (field.name, field.name.swapcase(), field.name.upper(), field.name.lower())
    same = [name for name in spellings if fold(name) == fold(field.name)]
    return Field(draw(st.sampled_from(same)), draw(_near(field.type)), draw(st.booleans()))


@st.composite
def _near(draw: st.DrawFn, type_: Type) -> Type:
    match type_:
        case StructOf():
            return StructOf(draw(variants(type_.fields, least=1)))
        case ListOf():
            return ListOf(draw(_near(type_.element)), draw(st.booleans()))
        case MapOf():
            return MapOf(type_.key, draw(_near(type_.value)), draw(st.booleans()))
        case model.UUID:
            return model.STRING
        case Primitive() if model.is_fixed(type_):
            return model.BINARY
        case _:
            return draw(st.one_of(st.just(type_), st.just(type_), st.sampled_from(GIVEN)))
