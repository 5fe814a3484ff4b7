"""Literals, casts, choices (CASE, IF, COALESCE), rounding and texts.

These are the nodes whose type depends on what is written or on the type of an argument; functions
that always give the same type stand in `functions`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot import exp

from lakeport.lineage.types.collations import normal_collation
from lakeport.lineage.types.decimals import MAXIMUM, of_literal, rounded
from lakeport.lineage.types.model import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TEXTUAL,
    VOID,
    SqlType,
    decimal,
)
from lakeport.lineage.types.operators import arithmetic, shifted_bits
from lakeport.lineage.types.read import SPARK_FAMILY, type_of_node
from lakeport.lineage.types.rules import (
    BOTH,
    DIGITS,
    EVERY,
    FIRST,
    LISTED,
    THIS,
    Answer,
    Rule,
    Types,
    argument,
    common,
    first,
    literal_number,
    nothing,
    number,
)
from lakeport.lineage.types.widen import common_of

_INT_LIMIT, _BIGINT_LIMIT = 2**31, 2**63


def literal(node: exp.Expr, _: Types, dialect: str) -> SqlType | None:
    return STRING if node.args.get("is_string") else _number(node.name, dialect)


# A number with a point is a double here, not a decimal.
_NO_DECIMALS = frozenset({"bigquery", "clickhouse", "sqlite"})


@lru_cache(maxsize=4096)
def _number(text: str, dialect: str) -> SqlType | None:
    if text.isdecimal():
        return _integer(int(text)) if len(text) <= DIGITS else None
    if "e" in text.lower() or dialect in _NO_DECIMALS:
        return DOUBLE
    if dialect in SPARK_FAMILY:
        return of_literal(text)
    return SqlType("decimal")


def _integer(value: int) -> SqlType | None:
    if value < _INT_LIMIT:
        return INT
    if value < _BIGINT_LIMIT:
        return BIGINT
    digits = len(str(value))
    return decimal(digits, 0) if digits <= MAXIMUM else None


def negative(node: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    """The sign belongs to a written number: -2147483648 is an int."""
    written = literal_number(node)
    return _integer(-written - 1) if written else number(node, types, dialect)


def cast(node: exp.Expr, _: Types, dialect: str) -> SqlType | None:
    target = type_of_node(node.args["to"], dialect)
    if target is not None and dialect in SPARK_FAMILY and target.kind in TEXTUAL:
        return SqlType("string", collation=target.collation)
    return target


def _first_column(node: exp.Expr) -> list[exp.Expr]:
    """The first column of a scalar subquery; of a union, that of its first branch."""
    query = node.this
    while isinstance(query, exp.Subquery | exp.SetOperation):
        query = query.this
    return query.expressions[:1] if isinstance(query, exp.Select) else []


def _branches(node: exp.Expr) -> list[exp.Expr]:
    chosen = [branch.args["true"] for branch in node.args.get("ifs", ())]
    default = node.args.get("default")
    return [*chosen, default] if isinstance(default, exp.Expr) else chosen


def decoded(node: exp.Expr) -> list[exp.Expr]:
    """The results of `decode(value, search, result, …[, default])`."""
    pairs = node.expressions[1:]
    results = pairs[1::2]
    return [*results, pairs[-1]] if len(pairs) % 2 else list(results)


def rounding(node: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    type_ = number(node, types, dialect)
    if type_ is None or type_.kind != "decimal" or len(type_.parameters) != 2:
        return type_
    places = _places(node)
    digits = 0 if places is None else literal_number(places)
    return rounded(type_, digits) if digits is not None else None


def _places(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Anonymous):
        return node.expressions[1] if len(node.expressions) > 1 else None
    return node.args.get("decimals")


def to_integer(node: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    """`ceil` and `floor`; with a number of places they round."""
    type_ = number(node, types, dialect)
    if type_ is None or dialect not in SPARK_FAMILY:
        return type_
    if node.args.get("decimals") is not None:
        return rounding(node, [_as_rounded(type_)], dialect)
    if type_.kind != "decimal":
        return BIGINT
    return type_ if type_.parameters[1] == 0 else rounded(type_, 0)


def _as_rounded(type_: SqlType) -> SqlType:
    """With places, Spark reads integers as decimals before it rounds them up or down."""
    digits = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}.get(type_.kind)
    if digits:
        return decimal(digits, 0)
    return {"double": decimal(30, 15), "float": decimal(14, 7)}.get(type_.kind, type_)


def formatted_number(node: exp.Expr, _: Types, __: str) -> SqlType | None:
    """`to_number('454', '999.99')`: the digits of the format."""
    pattern = node.args.get("format") or (node.expressions[1:2] or [None])[0]
    if not isinstance(pattern, exp.Literal):
        return None
    parts = re.split("[.dD]", pattern.name, maxsplit=1)
    digits = [sum(character in "09" for character in part) for part in parts]
    return decimal(sum(digits), sum(digits[1:]))


def not_a_number(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    """`nanvl` works on floating numbers and makes others doubles."""
    return FLOAT if types and all(type_ == FLOAT for type_ in types) else DOUBLE


def geometry(node: exp.Expr, _: Types, __: str) -> SqlType | None:
    """The reference system is part of the type, if it is written out."""
    system = literal_number(node.expressions[1]) if len(node.expressions) > 1 else 0
    return SqlType("geometry", (system,)) if system is not None else None


def _collated(node: exp.Expr, types: Types, dialect: str) -> SqlType | None:
    """`x COLLATE name` is a string of that collation in Spark, and what it was elsewhere."""
    name = node.args.get("expression")
    if isinstance(name, exp.Expr) and dialect in SPARK_FAMILY:
        return SqlType("string", collation=normal_collation(name.name))
    return first(node, types, dialect)


def text_or_binary(_: exp.Expr, types: Types, __: str) -> SqlType | None:
    """Functions over characters that also take bytes, if everything they get is bytes."""
    return BINARY if types and all(type_ == BINARY for type_ in types) else STRING


def _hexadecimal(node: exp.Expr, _: Types, __: str) -> SqlType | None:
    """`0x1A` is a number in BigQuery and ClickHouse, and bytes elsewhere."""
    return BIGINT if node.args.get("is_integer") else BINARY


SCALAR_NODES: dict[type[exp.Expr], Answer] = {
    exp.Literal: Rule(nothing, literal),
    exp.Null: VOID,
    exp.Boolean: BOOLEAN,
    exp.HexString: Rule(nothing, _hexadecimal),
    exp.RawString: STRING,
    exp.National: STRING,
    exp.Cast: Rule(nothing, cast),
    exp.TryCast: Rule(nothing, cast),
    exp.Neg: Rule(THIS, negative),
    exp.Paren: Rule(THIS, first),
    exp.Alias: Rule(THIS, first),
    exp.Subquery: Rule(_first_column, first),
    exp.Kwarg: Rule(argument("expression"), first),
    exp.Collate: Rule(THIS, _collated),
    exp.Case: Rule(_branches, common),
    exp.If: Rule(argument("true", "false"), common),
    exp.DecodeCase: Rule(decoded, common),
    exp.Coalesce: Rule(EVERY, common),
    exp.Greatest: Rule(EVERY, common),
    exp.Least: Rule(EVERY, common),
    exp.Nullif: Rule(THIS, first),
    exp.Nvl2: Rule(argument("true", "false"), common),
    exp.Nanvl: Rule(BOTH, not_a_number),
    exp.Abs: Rule(THIS, number),
    exp.Negative: Rule(THIS, number),
    exp.Round: Rule(THIS, rounding),
    exp.Ceil: Rule(THIS, to_integer),
    exp.Floor: Rule(THIS, to_integer),
    exp.Trunc: Rule(THIS, rounding),
    exp.ToNumber: Rule(nothing, formatted_number),
    exp.Substring: Rule(THIS, text_or_binary),
    exp.Left: Rule(THIS, text_or_binary),
    exp.Pad: Rule(argument("this", "fill_pattern"), text_or_binary),
    exp.Overlay: Rule(BOTH, text_or_binary),
    exp.Elt: Rule(LISTED, text_or_binary),
    exp.Uniform: Rule(BOTH, common),
}
SCALAR_NAMES: dict[str, Answer] = {
    "bround": Rule(FIRST, rounding),
    "positive": Rule(FIRST, number),
    "pmod": Rule(LISTED, arithmetic),
    "try_mod": Rule(LISTED, arithmetic),
    "nullifzero": Rule(FIRST, first),
    "zeroifnull": Rule(FIRST, lambda _, types, dialect: common_of([*types, INT], dialect)),
    "try_to_number": Rule(nothing, formatted_number),
    "counter_diff": Rule(FIRST, number),
    "st_geomfromwkb": Rule(nothing, geometry),
    "st_geogfromwkb": SqlType("geography", (4326,)),
    "shiftrightunsigned": Rule(FIRST, shifted_bits),
    ">>>": Rule(FIRST, shifted_bits),
    "nvl": Rule(LISTED, common),
    "decimal": decimal(10, 0),
}
