"""Arrays, maps and structs: building them, reaching into them, and functions over their parts.

A field of an array of structs is the array of that field, as Spark has it. A part whose type is
not known leaves the other parts known: `struct(x, 1).col2` is an int whatever `x` is.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from lakeport.lineage.types.model import (
    BIGINT,
    DOUBLE,
    INSTANT,
    INT,
    STRING,
    TEXTUAL,
    TIMESTAMP,
    VARIANT,
    VOID,
    Field,
    SqlType,
    array_of,
    map_of,
    struct_of,
)
from lakeport.lineage.types.read import read_columns
from lakeport.lineage.types.rules import (
    BOTH,
    EVERY,
    FIRST,
    LISTED,
    THIS,
    Answer,
    Rule,
    Types,
    argument,
    array_of_common,
    common,
    element,
    first,
    nothing,
    number,
    positional,
)
from lakeport.lineage.types.widen import common_type


def field_type(type_: SqlType | None, path: Sequence[str]) -> SqlType | None:
    """What stands at the end of a path of names inside a type."""
    for name in path:
        type_ = _field(type_, name)
    return type_


def star_fields(type_: SqlType | None) -> tuple[Field, ...]:
    """The columns of `column.*`; none if it is not known to be a struct."""
    return type_.fields if type_ is not None and type_.kind == "struct" else ()


def without_field(type_: SqlType | None, path: Sequence[str]) -> SqlType | None:
    """A struct without the field at the end of a path; None if there is no such field."""
    wanted, *rest = (name.lower() for name in path)
    fields = star_fields(type_)
    at = next((n for n, field in enumerate(fields) if field.name.lower() == wanted), None)
    if at is None:
        return None
    kept = [(field.name, field.type) for field in fields]
    if not rest:
        del kept[at]
    else:
        inner = without_field(fields[at].type, rest)
        if inner is None:
            return None
        kept[at] = (fields[at].name, inner)
    return struct_of(kept)


def _field(type_: SqlType | None, name: str) -> SqlType | None:
    if type_ is None or type_ in {VARIANT, VOID}:
        return type_
    if type_.kind == "array":
        inner = _field(type_.element, name)
        return array_of(inner) if inner else None
    if type_.kind == "map":
        return type_.value
    wanted = name.lower()
    return next((field.type for field in type_.fields if field.name.lower() == wanted), None)


def dotted(node: exp.Expr, types: Types, _: str) -> SqlType | None:
    field = node.args.get("expression")
    return _field(types[0], field.name) if types and field is not None else None


def bracketed(node: exp.Expr, types: Types, _: str) -> SqlType | None:
    container = types[0] if types else None
    if container is None or container in {VARIANT, VOID}:
        return container
    if container.kind == "map":
        return container.value
    index = node.expressions[0] if node.expressions else None
    if isinstance(index, exp.Literal) and index.is_string:
        return _field(container, index.name)
    return container.element


def taken(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    """`get` and its kin: the element of an array, the value of a map."""
    container = types[0] if types else None
    return (container.element or container.value) if container else None


def struct(node: exp.Expr, types: Types, _: str) -> SqlType | None:
    fields: list[tuple[str, SqlType | None]] = []
    for place, (part, kind) in enumerate(zip(node.expressions, types, strict=True), 1):
        if isinstance(part, exp.Query) or not part.is_star:
            fields.append((_part_name(part, place), kind))
        elif kind is not None and kind.fields:
            fields += [(field.name, field.type) for field in kind.fields]
        else:
            return None
    return struct_of(fields)


def _part_name(part: exp.Expr, place: int) -> str:
    if isinstance(part, exp.PropertyEQ):
        name: str = part.this.name
        return name
    named = isinstance(part, exp.Alias | exp.Column | exp.Identifier)
    return part.alias_or_name if named else f"col{place}"


def _struct_parts(node: exp.Expr) -> list[exp.Expr]:
    return [
        part.expression if isinstance(part, exp.PropertyEQ) else part.unalias()
        for part in node.expressions
    ]


def map_of_arrays(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    if len(types) != 2 or types[0] is None or types[1] is None:
        return None
    return map_of(types[0].element, types[1].element)


def map_of_entries(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    entry = types[0].element if types and types[0] else None
    if entry is None or len(entry.fields) != 2:
        return None
    return map_of(entry.fields[0].type, entry.fields[1].type)


def entries(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    source = types[0] if types else None
    if source is None or source.kind != "map":
        return None
    return array_of(struct_of([("key", source.key), ("value", source.value)]))


def keys(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    return array_of(types[0].key) if types and types[0] and types[0].key else None


def values(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    return array_of(types[0].value) if types and types[0] and types[0].value else None


def with_element(_: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    """An array that takes one more element."""
    if len(types) != 2 or types[0] is None:
        return None
    inner = common_type(types[0].element, types[1], dialect)
    return array_of(inner) if inner else None


def zipped(node: exp.Expr, types: Types, _: str) -> SqlType | None:
    """`arrays_zip`: columns keep their names, anything else is called by its position."""
    fields = []
    for position, (part, type_) in enumerate(zip(node.expressions, types, strict=True)):
        name = part.name if isinstance(part, exp.Column | exp.Dot) else str(position)
        fields.append((name, type_.element if type_ else None))
    return array_of(struct_of(fields))


def reversed_value(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    type_ = types[0] if types else None
    return type_ if type_ is None or type_.kind == "array" else STRING


def parsed(node: exp.Expr, _: Types, dialect: str) -> SqlType | None:
    """`from_json`, `from_csv`, `from_xml`: the type is written in the schema argument."""
    schema = node.args.get("expression") or (node.expressions[1:2] or [None])[0]
    if not isinstance(schema, exp.Literal) or not schema.is_string:
        return None
    return read_columns(schema.name, dialect)


def variant_part(node: exp.Expr, _: Types, dialect: str) -> SqlType | None:
    """`variant_get(v, path, 'int')`; without a type it stays a variant."""
    if len(node.expressions) < 3:
        return VARIANT
    return parsed(exp.Anonymous(this="", expressions=node.expressions[1:3]), (), dialect)


def extracted(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    """`column:path`: a part of a variant is one, a part of a JSON text is a text."""
    source = types[0] if types else None
    if source is None or source == VARIANT:
        return source
    return STRING if source.kind in TEXTUAL else None


def histogram(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    inner = number(_, types, __)
    return array_of(struct_of([("x", inner), ("y", DOUBLE)])) if inner else None


def most_frequent(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    inner = types[0] if types else None
    return array_of(struct_of([("item", inner), ("count", BIGINT)])) if inner else None


def time_window(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    """The bounds of a window have the type of its time column; anything else is read as a timestamp."""
    time = types[0] if types else None
    if time is None or time.kind not in INSTANT:
        time = TIMESTAMP
    return struct_of([("start", time), ("end", time)])


NESTED_NODES: dict[type[exp.Expr], Answer] = {
    exp.Dot: Rule(THIS, dotted),
    exp.Bracket: Rule(THIS, bracketed),
    exp.Struct: Rule(_struct_parts, struct),
    exp.Tuple: Rule(LISTED, struct),
    exp.Array: Rule(LISTED, array_of_common),
    exp.Map: Rule(argument("keys", "values"), map_of_arrays),
    exp.VarMap: Rule(argument("keys", "values"), map_of_arrays),
    exp.MapFromEntries: Rule(THIS, map_of_entries),
    exp.MapKeys: Rule(THIS, keys),
    exp.StrToMap: map_of(STRING, STRING),
    exp.Flatten: Rule(THIS, element),
    exp.ArrayAppend: Rule(BOTH, with_element),
    exp.ArrayPrepend: Rule(BOTH, with_element),
    exp.ArrayInsert: Rule(BOTH, with_element),
    exp.ArrayRemove: Rule(THIS, first),
    exp.ArrayCompact: Rule(THIS, first),
    exp.ArrayDistinct: Rule(THIS, first),
    exp.ArrayExcept: Rule(BOTH, common),
    exp.ArrayIntersect: Rule(LISTED, common),
    exp.ArrayConcat: Rule(EVERY, common),
    exp.ArrayReverse: Rule(THIS, first),
    exp.ArraySlice: Rule(THIS, first),
    exp.ArraySort: Rule(THIS, first),
    exp.Shuffle: Rule(THIS, first),
    exp.ArrayMax: Rule(THIS, element),
    exp.ArrayMin: Rule(THIS, element),
    exp.ArrayFirst: Rule(THIS, element),
    exp.ArrayLast: Rule(THIS, element),
    exp.ArraysZip: Rule(LISTED, zipped),
    exp.GenerateSeries: Rule(argument("start", "end"), array_of_common),
    exp.Explode: Rule(THIS, element),
    exp.Reverse: Rule(THIS, reversed_value),
    exp.FromJson: Rule(nothing, parsed),
    exp.JSONExtract: Rule(THIS, extracted),
    exp.JSONKeys: array_of(STRING),
    exp.RegexpSplit: array_of(STRING),
    exp.Split: array_of(STRING),
    exp.RegexpExtractAll: array_of(STRING),
}
NESTED_NAMES: dict[str, Answer] = {
    "array_repeat": Rule(FIRST, lambda _, types, __: array_of(types[0]) if types else None),
    "array_union": Rule(LISTED, common),
    "array_append": Rule(LISTED, with_element),
    "get": Rule(FIRST, taken),
    "element_at": Rule(FIRST, taken),
    "try_element_at": Rule(FIRST, taken),
    "trim_array": Rule(FIRST, first),
    "map_concat": Rule(LISTED, common),
    "map_entries": Rule(FIRST, entries),
    "map_values": Rule(FIRST, values),
    "map_keys": Rule(FIRST, keys),
    "from_csv": Rule(nothing, parsed),
    "from_xml": Rule(nothing, parsed),
    "variant_get": Rule(nothing, variant_part),
    "try_variant_get": Rule(nothing, variant_part),
    "histogram_numeric": Rule(FIRST, histogram),
    "window": Rule(FIRST, time_window),
    "session_window": Rule(FIRST, time_window),
    "collect_union": Rule(FIRST, first),
    "sentences": array_of(array_of(STRING)),
    "xpath": array_of(STRING),
    "cardinality": INT,
    "sequence": Rule(positional(0, 1), array_of_common),
}
