"""DuckDB's types as its JSON writes them: `{"id": "DECIMAL", "type_info": {"width": 9, …}}`.

A type that we cannot write down again in SQL, letter by letter, is not evaluated: an alias may bring
casts and an order of its own (INET), and a name we never saw may mean anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.catalog.arrow import Field
from lakeport.catalog.expressions import engine, type_text

MAX_DEPTH = 32
MAX_PARTS = 1_000

TIMESTAMP_TZ = "TIMESTAMP WITH TIME ZONE"
TIME_TZ = "TIME WITH TIME ZONE"

PLAIN = frozenset(
    {
        *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE"),
        *("VARCHAR", "BLOB", "BIT", "BIGNUM", "UUID", "DATE", "TIME", "TIME_NS", "INTERVAL"),
        *("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", TIMESTAMP_TZ, TIME_TZ),
        *("GEOMETRY", "JSON"),
    }
)
# What contract 002 and older clients call some of them.
_OTHER_NAMES = {"TIMESTAMP_TZ": TIMESTAMP_TZ, "TIME_TZ": TIME_TZ, "VARINT": "BIGNUM"}
_ALIASES = {("VARCHAR", "JSON"): "JSON", ("BLOB", "GEOMETRY"): "GEOMETRY"}


@dataclass(frozen=True, slots=True)
class DuckType:
    """`sql` is empty for a type that SQL has no words for (a row without field names).

    `parts` are the types inside: `element` of a LIST or ARRAY, the fields of a STRUCT, `key` and
    `value` of a MAP, the members of a UNION.
    """

    id: str
    sql: str
    parts: tuple[tuple[str, DuckType], ...] = ()
    width: int = 0
    scale: int = 0
    size: int = 0
    members: tuple[str, ...] = ()

    @property
    def is_zoned(self) -> bool:
        """Whether its text, its calendar and its casts depend on the session's time zone."""
        return self.id in {TIMESTAMP_TZ, TIME_TZ} or any(part.is_zoned for _, part in self.parts)


BOOLEAN = DuckType("BOOLEAN", "BOOLEAN")
NULL = DuckType("NULL", "")


def read_type(found: object, depth: int = 0) -> DuckType:
    """The type of a JSON object; whatever else it is cannot be evaluated."""
    if not isinstance(found, dict) or depth > MAX_DEPTH:
        raise NotEvaluatedError("an unknown type")
    name, info = found.get("id"), found.get("type_info")
    if not isinstance(name, str) or not isinstance(info, dict | None):
        raise NotEvaluatedError("an unknown type")
    name = _OTHER_NAMES.get(name, name)
    info = info or {}
    alias = info.get("alias")
    if alias:
        name = _ALIASES.get((name, str(alias)), "")
    if name in PLAIN and not info.get("extension_info"):
        return DuckType(name, name)
    if name == "NULL":
        return NULL
    read = PARAMETRISED.get(name)
    if read is None or info.get("extension_info"):
        raise NotEvaluatedError(f"the type {str(alias or found['id'])[:60]}")
    return read(info, depth + 1)


def is_stored_as(field: Field, wanted: DuckType) -> bool:
    """Whether DuckDB sees the column as just that type."""
    return type_text(field) == _spelling(wanted.sql) if wanted.sql else False


def stored_type(field: Field) -> DuckType:
    """What a filter that does not say the type of its column must mean."""
    text = type_text(field)
    if text not in PLAIN:
        raise NotEvaluatedError(f"a column of type {text[:60]} whose type is not said")
    return DuckType(text, text)


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@lru_cache(maxsize=512)
def _spelling(sql: str) -> str:
    """DuckDB's own words: it quotes names inside a type only where it has to."""
    if "(" not in sql and "[" not in sql:
        return sql
    return engine.type_name(f"CAST(NULL AS {sql})", pa.table({"row": pa.nulls(0)}))


def _decimal(info: dict[str, object], _: int) -> DuckType:
    width, scale = _whole(info, "width"), _whole(info, "scale")
    if not (1 <= width <= 38 and 0 <= scale <= width):
        raise NotEvaluatedError("an unknown type")
    return DuckType("DECIMAL", f"DECIMAL({width},{scale})", width=width, scale=scale)


def _list(info: dict[str, object], depth: int) -> DuckType:
    element = read_type(info.get("child_type"), depth)
    return DuckType("LIST", element.sql and f"{element.sql}[]", (("element", element),))


def _array(info: dict[str, object], depth: int) -> DuckType:
    element, size = read_type(info.get("child_type"), depth), _whole(info, "size")
    return DuckType(
        "ARRAY", element.sql and f"{element.sql}[{size}]", (("element", element),), size=size
    )


def _struct(info: dict[str, object], depth: int) -> DuckType:
    fields = _fields(info, depth)
    return DuckType("STRUCT", _with_names("STRUCT", fields), fields)


def _union(info: dict[str, object], depth: int) -> DuckType:
    members = _fields(info, depth)[1:]  # the tag comes first
    return DuckType("UNION", _with_names("UNION", members), members)


def _map(info: dict[str, object], depth: int) -> DuckType:
    parts = read_type(info.get("child_type"), depth).parts
    if len(parts) != 2:
        raise NotEvaluatedError("an unknown type")
    (_, key), (_, value) = parts
    sql = f"MAP({key.sql}, {value.sql})" if key.sql and value.sql else ""
    return DuckType("MAP", sql, (("key", key), ("value", value)))


def _enum(info: dict[str, object], _: int) -> DuckType:
    members = info.get("values")
    if not isinstance(members, list) or not all(isinstance(member, str) for member in members):
        raise NotEvaluatedError("an unknown type")
    if not 0 < len(members) <= MAX_PARTS:
        raise NotEvaluatedError(f"an ENUM of {len(members):,} members")
    sql = f"ENUM({', '.join(map(text_literal, members))})"
    return DuckType("ENUM", sql, members=tuple(members))


PARAMETRISED = {
    "DECIMAL": _decimal,
    "LIST": _list,
    "ARRAY": _array,
    "STRUCT": _struct,
    "UNION": _union,
    "MAP": _map,
    "ENUM": _enum,
}


def _fields(info: dict[str, object], depth: int) -> tuple[tuple[str, DuckType], ...]:
    children = info.get("child_types")
    if not isinstance(children, list) or not 0 < len(children) <= MAX_PARTS:
        raise NotEvaluatedError("an unknown type")
    fields = []
    for child in children:
        name = child.get("first") if isinstance(child, dict) else None
        if not isinstance(name, str):
            raise NotEvaluatedError("an unknown type")
        fields.append((name, read_type(child.get("second"), depth)))
    return tuple(fields)


def _with_names(word: str, fields: tuple[tuple[str, DuckType], ...]) -> str:
    if not all(name and part.sql for name, part in fields):
        return ""
    return f"{word}({', '.join(f'{identifier(name)} {part.sql}' for name, part in fields)})"


def _whole(info: dict[str, object], key: str) -> int:
    found = info.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= 2**31:
        raise NotEvaluatedError("an unknown type")
    return found
