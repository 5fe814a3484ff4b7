"""Which expressions may run: an allow-list over DuckDB's own syntax tree, and the columns bound.

What is not named here is refused: subqueries, lambdas, windows, parameters, stars, unknown
functions, types and collations, and any member of a node we do not know. A name that is no column is
refused too, because DuckDB would go on to read `current_date` or `current_user` as a function.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from lakeport.catalog.expressions.functions import (
    COLLATIONS,
    FUNCTIONS,
    NAMED_TYPES,
    TYPES,
    VOLATILE,
    Argument,
    Function,
)
from lakeport.catalog.expressions.tree import Node, column_ref, field_of
from lakeport.core.errors import InvalidRequestError, LimitError
from lakeport.core.names import NameMap, nearest, quoted

MAX_PATTERN = 1_000
MAX_ARRAY = 1_024
MAX_PATH = 32

_COMMON = frozenset({"class", "type", "alias", "query_location"})
_COMPARISONS = frozenset(
    {
        *("COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_GREATERTHAN"),
        *("COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHANOREQUALTO"),
        *("COMPARE_DISTINCT_FROM", "COMPARE_NOT_DISTINCT_FROM"),
    }
)
_OPERATORS = frozenset(
    {
        *("OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE"),
        *("OPERATOR_TRY", "COMPARE_IN", "COMPARE_NOT_IN"),
        *("ARRAY_EXTRACT", "ARRAY_SLICE", "STRUCT_EXTRACT"),
    }
)
# For each class of node: its types, and its members beside the common ones.
_CLASSES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "BETWEEN": (frozenset({"COMPARE_BETWEEN"}), frozenset({"input", "lower", "upper"})),
    "CASE": (frozenset({"CASE_EXPR"}), frozenset({"case_checks", "else_expr"})),
    "CAST": (frozenset({"OPERATOR_CAST"}), frozenset({"child", "cast_type", "try_cast"})),
    "COLLATE": (frozenset({"COLLATE"}), frozenset({"child", "collation"})),
    "COLUMN_REF": (frozenset({"COLUMN_REF"}), frozenset({"column_names"})),
    "COMPARISON": (_COMPARISONS, frozenset({"left", "right"})),
    "CONJUNCTION": (frozenset({"CONJUNCTION_AND", "CONJUNCTION_OR"}), frozenset({"children"})),
    "CONSTANT": (frozenset({"VALUE_CONSTANT"}), frozenset({"value"})),
    "FUNCTION": (
        frozenset({"FUNCTION"}),
        frozenset(
            {"function_name", "schema", "catalog", "children", "filter", "order_bys"}
            | {"distinct", "is_operator", "export_state"}
        ),
    ),
    "OPERATOR": (_OPERATORS, frozenset({"children"})),
}
_SAID = {
    "SUBQUERY": (
        "a subquery",
        "an expression may read its own row only; for ANY use list_contains",
    ),
    "LAMBDA": ("a lambda", "list functions with lambdas are not available here"),
    "WINDOW": ("a window function", "an expression may read its own row only"),
    "PARAMETER": ("a parameter", "write the value itself"),
    "STAR": ("a star", "name the columns"),
    "POSITIONAL_REFERENCE": ("a positional reference", "name the column"),
    "DEFAULT": ("DEFAULT", "write the value itself"),
}
_NAMED_ARGUMENTS = frozenset({"struct_pack", "struct_insert", "struct_update", "union_value"})


def bind(node: Node, columns: NameMap[pa.DataType]) -> Node:
    """The same tree with every column in the schema's spelling; refused if anything in it may not run."""
    kind = node["class"]
    if kind == "LAMBDA":
        node = _arrow(node)
        kind = "FUNCTION"
    known = _CLASSES.get(kind)
    if known is None or node["type"] not in known[0] or node.keys() - _COMMON != known[1]:
        raise _refused(node)
    match kind:
        case "COLUMN_REF":
            return {**_column(node["column_names"], columns), "alias": node["alias"]}
        case "CASE":
            checks = [
                {key: bind(part, columns) for key, part in check.items()}
                for check in node["case_checks"]
            ]
            return {**node, "case_checks": checks, "else_expr": bind(node["else_expr"], columns)}
        case "CAST":
            _check_cast(node, columns)
        case "COLLATE":
            _check_collation(node["collation"])
        case "FUNCTION":
            _check_function(node)
    return {
        key: _bound(value, columns, named=_may_name(node)) if key in _PARTS else value
        for key, value in node.items()
    }


_PARTS = frozenset({"child", "children", "input", "left", "lower", "right", "upper"})


def _bound(value: Any, columns: NameMap[pa.DataType], *, named: bool) -> Any:
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        if part["alias"] and not named:
            raise InvalidRequestError(
                f"there is no argument called {quoted(part['alias'])}",
                hint="pass the value without a name",
            )
    bound = [bind(part, columns) for part in parts]
    return bound if isinstance(value, list) else bound[0]


def _may_name(node: Node) -> bool:
    return node["class"] == "FUNCTION" and node["function_name"].lower() in _NAMED_ARGUMENTS


def _arrow(node: Node) -> Node:
    """`json -> path` is read as a lambda. No function that takes one is allowed, so it is JSON's."""
    return {
        **{key: node[key] for key in _COMMON},
        "class": "FUNCTION",
        "type": "FUNCTION",
        "function_name": "json_extract",
        "schema": "",
        "catalog": "",
        "children": [node["lhs"], node["expr"]],
        "filter": None,
        "order_bys": {"type": "ORDER_MODIFIER", "orders": []},
        "distinct": False,
        "is_operator": False,
        "export_state": False,
    }


def _column(names: list[str], columns: NameMap[pa.DataType]) -> Node:
    if len(names) > MAX_PATH:
        raise LimitError(f"a path of {len(names)} names", hint=f"at most {MAX_PATH} are allowed")
    first, *fields = names
    if first not in columns:
        if first.lower() in VOLATILE:
            raise _volatile(first)
        raise _unknown("column", first, columns)
    found = column_ref(columns.spelling(first))
    for field in fields:
        found = field_of(found, field)
    return found


def _check_function(node: Node) -> None:
    name = node["function_name"].lower()
    function = FUNCTIONS.get(name)
    if node["schema"] not in {"", "main"} or node["catalog"]:
        raise InvalidRequestError(
            f"functions are called by their bare name, not as {quoted(node['schema'] + '.' + name)}",
            hint=f"write {name}(…) with every argument inside the brackets",
        )
    if function is None:
        raise _volatile(name) if name in VOLATILE else _unknown("function", name, FUNCTIONS)
    if node["filter"] or node["order_bys"]["orders"] or node["distinct"] or node["export_state"]:
        raise InvalidRequestError(
            f"{quoted(name)} is called like an aggregate", hint="use it plainly"
        )
    given = len(node["children"])
    if given < function.least or (function.most is not None and given > function.most):
        raise InvalidRequestError(
            f"{quoted(name)} needs {function.least} arguments here, not {given}",
            hint="with fewer it would read the clock",
        )
    for position, demand in function.demands:
        if position < given:
            _check_argument(function, node["children"][position], demand)


def _check_argument(function: Function, node: Node, demand: Argument) -> None:
    if node["class"] != "CONSTANT":
        raise InvalidRequestError(
            f"the {demand} of {quoted(function.name)} must be a constant",
            hint="write it as a literal; what it costs must be known beforehand",
        )
    value = node["value"].get("value")
    if not isinstance(value, str):
        return
    match demand:
        case Argument.LIKE:
            _check_wildcards(value, "%", exact="_" not in value and "escape" not in function.name)
        case Argument.GLOB:
            _check_wildcards(value, "*", exact=False)
        case Argument.REGEX:
            _check_regex(value)
        case Argument.PATH:
            if "*" in value:
                raise InvalidRequestError(
                    f"the path {value!r} has a wildcard", hint="name one member at a time"
                )
        case Argument.CONSTANT:
            pass


def _check_wildcards(pattern: str, wildcard: str, *, exact: bool) -> None:
    """DuckDB matches `%` with `_`, escapes and GLOB by backtracking: a text of n characters costs
    n to the power of the wildcards before the last, and nothing can interrupt it (four of them over
    1,000 characters took 152 seconds). A LIKE of plain pieces between `%` is matched in linear time.
    """
    searches = len(re.findall(re.escape(wildcard) + "+(?=.)", pattern, re.DOTALL))
    if not exact and (searches > 1 or len(pattern) > MAX_PATTERN):
        raise LimitError(
            f"the pattern {_shown(pattern)} would take too long to match",
            hint="use regexp_matches, or one wildcard that is not at the end",
        )


def _check_regex(pattern: str) -> None:
    """The matcher is linear in the text times the pattern with its repetitions written out."""
    counts = re.findall(r"\{(?:\d+,)?(\d+),?\}", pattern)
    if (
        len(pattern) > MAX_PATTERN
        or math.prod(max(1, int(count)) for count in counts) > MAX_PATTERN
    ):
        raise LimitError(
            f"the regular expression {_shown(pattern)} is too large",
            hint=f"at most {MAX_PATTERN:,} characters, and as many repetitions in braces",
        )


def _check_cast(node: Node, columns: NameMap[pa.DataType]) -> None:
    _check_type(node["cast_type"])
    if node["cast_type"]["id"] == "BIGNUM" and not _is_number(node["child"], columns):
        # Reading n digits takes n² steps.
        raise InvalidRequestError(
            "only constants and number columns can be cast to BIGNUM",
            hint="cast to HUGEINT or DECIMAL",
        )


def _is_number(node: Node, columns: NameMap[pa.DataType]) -> bool:
    if node["class"] == "CONSTANT":
        return True
    if node["class"] != "COLUMN_REF" or len(node["column_names"]) > 1:
        return (
            node["class"] == "FUNCTION"
            and node["function_name"] == "-"
            and all(_is_number(child, columns) for child in node["children"])
        )
    found = columns.get(node["column_names"][0])
    return found is not None and (pa.types.is_integer(found) or isinstance(found, pa.OpaqueType))


def _check_type(data_type: Any, arrays: int = 1) -> None:
    name, info = data_type["id"], data_type["type_info"] or {}
    if name == "UNBOUND":
        if info["name"].lower() not in NAMED_TYPES or info["catalog"] or info["schema"]:
            raise _unknown("type", info["name"], TYPES | NAMED_TYPES)
        return
    if name not in TYPES:
        raise _unknown("type", name, TYPES | NAMED_TYPES)
    arrays *= info.get("size", 1)
    if arrays > MAX_ARRAY:
        raise LimitError(
            f"an array of {arrays:,} elements", hint=f"at most {MAX_ARRAY:,}; use a list instead"
        )
    if "child_type" in info:
        _check_type(info["child_type"], arrays)
    for child in info.get("child_types", ()):
        _check_type(child["second"], arrays)


def _check_collation(name: str) -> None:
    for part in name.lower().split("."):
        if part not in COLLATIONS:
            raise _unknown("collation", part, COLLATIONS)


def _refused(node: Node) -> InvalidRequestError:
    what, hint = _SAID.get(
        node["class"],
        (f"{node['type'].lower().replace('_', ' ')}", "only plain expressions may be used"),
    )
    return InvalidRequestError(f"{what} cannot be part of an expression", hint=hint)


def _volatile(name: str) -> InvalidRequestError:
    return InvalidRequestError(
        f"{quoted(name)} gives another answer each time it is asked",
        hint="an expression must depend on its row alone; write the value itself",
    )


def _unknown(kind: str, name: str, known: Iterable[str]) -> InvalidRequestError:
    close = nearest(name, known)
    allowed = "" if kind == "column" else " that expressions may use"
    return InvalidRequestError(
        f"there is no {kind} {quoted(name)}{allowed}",
        hint=f"did you mean {quoted(close)}?" if close else _WHERE[kind],
    )


_WHERE = {
    "column": "an expression reads the columns of its own table",
    "function": "the functions that may be used are listed in docs/reference/functions.md",
    "type": "use a type that columns can have",
    "collation": "use nocase, noaccent or nfc",
}


def _shown(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 40 else pattern[:39] + "…")
