"""Conditions on one column and constants, as predicates: those can skip whole files.

A predicate found here is true wherever the condition is. Often it is the condition itself, and then no
engine has to run; a pattern with a fixed beginning only implies one.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from lakeport.airport.pushdown.casts import is_widening
from lakeport.airport.pushdown.nodes import (
    Call,
    Column,
    Comparison,
    Constant,
    Conversion,
    Interval,
    Membership,
    Negation,
    Node,
    NullTest,
    Range,
)
from lakeport.airport.pushdown.types import TIMESTAMP_TZ, DuckType
from lakeport.catalog.arrow import Scalar
from lakeport.catalog.predicates import (
    Always,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Predicate,
    StartsWith,
    bind,
)
from lakeport.catalog.predicates.constants import PlainValue, array_of, scalar_of
from lakeport.catalog.predicates.kinds import HUGEINT, UHUGEINT
from lakeport.core.errors import LakeportError

_TYPES: dict[str, pa.DataType] = {
    "BOOLEAN": pa.bool_(),
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "HUGEINT": HUGEINT,
    "UTINYINT": pa.uint8(),
    "USMALLINT": pa.uint16(),
    "UINTEGER": pa.uint32(),
    "UBIGINT": pa.uint64(),
    "UHUGEINT": UHUGEINT,
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "JSON": pa.string(),
    "BLOB": pa.binary(),
    "UUID": pa.uuid(),
    "DATE": pa.date32(),
    "TIME": pa.time64("us"),
    "TIME_NS": pa.time64("ns"),
    "TIMESTAMP": pa.timestamp("us"),
    "TIMESTAMP_S": pa.timestamp("s"),
    "TIMESTAMP_MS": pa.timestamp("ms"),
    "TIMESTAMP_NS": pa.timestamp("ns"),
    TIMESTAMP_TZ: pa.timestamp("us", "UTC"),
}
_MIRRORED = {Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}
_PREFIXES = frozenset({"prefix", "starts_with", "^@"})


@dataclass(frozen=True, slots=True)
class Found:
    """`is_exact` when the predicate is the whole condition."""

    predicate: Predicate
    is_exact: bool = True


def prune(node: Node, schema: pa.Schema) -> Found | None:
    """The bound predicate for a condition, if there is one."""
    found = _found(node)
    try:
        return None if found is None else Found(bind(found.predicate, schema), found.is_exact)
    except (LakeportError, pa.ArrowException):
        return None  # a type that only the engine can compare


def _found(node: Node) -> Found | None:
    match node:
        case Constant(DuckType(id="BOOLEAN" | "NULL"), bool() | None as value):
            return Found(Always(value))
        case Column(type=DuckType(id="BOOLEAN"), is_stored=True):
            return Found(Compare(node.field.name, Op.EQ, pa.scalar(value=True)))
        case Negation(part):
            inner = _found(part)
            return Found(Not(inner.predicate)) if inner is not None and inner.is_exact else None
        case NullTest(Column() as column, is_null):
            found = IsNull(column.field.name)
            return Found(found if is_null else Not(found))
        case Comparison():
            return _comparison(node)
        case Range():
            return _range(node)
        case Membership():
            return _membership(node)
        case Call(_, (Column(is_stored=True) as column, Constant(value=str() as text))):
            return _pattern(node.name, column, text)
    return None


def _comparison(node: Comparison) -> Found | None:
    op, side, other = node.op, _side(node.left), node.right
    if side is None:
        op, side, other = _MIRRORED.get(node.op, node.op), _side(node.right), node.left
    value = _scalar(other)
    if side is None or value is None:
        return None
    return Found(Compare(side.name, op, value), side.is_exact)


def _range(node: Range) -> Found | None:
    side, low, high = _side(node.value), _scalar(node.low), _scalar(node.high)
    if side is None or low is None or high is None:
        return None
    ends = node.low_inclusive, node.high_inclusive
    return Found(Between(side.name, low, high, *ends), side.is_exact)


def _membership(node: Membership) -> Found | None:
    side = _side(node.probe)
    constants = [item for item in node.items if isinstance(item, Constant)]
    wanted = _arrow_type(node.probe.type)
    if side is None or wanted is None or len(constants) < len(node.items):
        return None
    if any(item.type != node.probe.type for item in constants if item.value is not None):
        return None
    found = IsIn(side.name, array_of([_plain(item) for item in constants], wanted))
    if node.is_in:
        return Found(found, side.is_exact)
    return Found(Not(found)) if side.is_exact else None


def _pattern(name: str, column: Column, text: str) -> Found | None:
    if column.type.id != "VARCHAR":
        return None
    if name in _PREFIXES:
        return Found(StartsWith(column.field.name, text))
    if name != "~~":
        return None
    fixed = text.split("%", 1)[0].split("_", 1)[0]
    return Found(StartsWith(column.field.name, fixed), is_exact=False) if fixed else None


@dataclass(frozen=True, slots=True)
class _Side:
    name: str
    is_exact: bool


def _side(node: Node) -> _Side | None:
    """The column that a side of a comparison is, seen through casts that change no value."""
    match node:
        case Column(field, _, True):
            return _Side(field.name, is_exact=True)
        case Conversion(Column(field, before, True), after):
            if is_widening(before, after):
                return _Side(field.name, is_exact=True)
            # Years beyond a TIMESTAMP's are an error of the cast, which the client shall raise.
            if before.id in {"DATE", "TIMESTAMP_S", "TIMESTAMP_MS"} and after.id == "TIMESTAMP":
                return _Side(field.name, is_exact=False)
    return None


def _scalar(node: Node) -> Scalar | None:
    wanted = _arrow_type(node.type) if isinstance(node, Constant) else None
    if not isinstance(node, Constant) or wanted is None:
        return None
    return scalar_of(_plain(node), wanted)


def _plain(constant: Constant) -> PlainValue:
    """Only types whose values are plain have an Arrow type in the table above."""
    value = constant.value
    if isinstance(value, Interval | tuple):
        raise TypeError
    return value


def _arrow_type(data_type: DuckType) -> pa.DataType | None:
    if data_type.id == "DECIMAL":
        return pa.decimal128(data_type.width, data_type.scale)
    return _TYPES.get(data_type.id)
