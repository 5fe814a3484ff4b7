"""Which expressions may run: an allow-list over DuckDB's own syntax tree, and the columns bound.

What is not named here is refused: subqueries, lambdas, windows, parameters, stars, unknown
functions, types and collations, and any member of a node we do not know. A name that is no column is
refused too, because DuckDB would go on to read `current_date` or `current_user` as a function.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrays.containers import is_nested
from lakeport.catalog.expressions.arguments import check_argument
from lakeport.catalog.expressions.constants import exact
from lakeport.catalog.expressions.functions import FUNCTIONS, VOLATILE
from lakeport.catalog.expressions.tree import (
    Node,
    call,
    children,
    column_ref,
    field_of,
    with_children,
)
from lakeport.catalog.expressions.types import check_collation, check_type
from lakeport.core.errors import InvalidRequestError, LimitError
from lakeport.core.names import NameMap, nearest, quoted

MAX_PATH = 32
"""Names in `column.field.field`: each becomes a level of the tree."""

_COMMON = frozenset({"class", "type", "alias", "query_location"})
# For each class of node: its types, and its members beside the common ones.
_CLASSES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "BETWEEN": (frozenset({"COMPARE_BETWEEN"}), frozenset({"input", "lower", "upper"})),
    "CASE": (frozenset({"CASE_EXPR"}), frozenset({"case_checks", "else_expr"})),
    "CAST": (frozenset({"OPERATOR_CAST"}), frozenset({"child", "cast_type", "try_cast"})),
    "COLLATE": (frozenset({"COLLATE"}), frozenset({"child", "collation"})),
    "COLUMN_REF": (frozenset({"COLUMN_REF"}), frozenset({"column_names"})),
    "COMPARISON": (
        frozenset(
            {
                *("COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_GREATERTHAN"),
                *("COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHANOREQUALTO"),
                *("COMPARE_DISTINCT_FROM", "COMPARE_NOT_DISTINCT_FROM"),
            }
        ),
        frozenset({"left", "right"}),
    ),
    "CONJUNCTION": (frozenset({"CONJUNCTION_AND", "CONJUNCTION_OR"}), frozenset({"children"})),
    "CONSTANT": (frozenset({"VALUE_CONSTANT"}), frozenset({"value"})),
    "FUNCTION": (
        frozenset({"FUNCTION"}),
        frozenset(
            {
                *("function_name", "schema", "catalog", "children", "filter", "order_bys"),
                *("distinct", "is_operator", "export_state"),
            }
        ),
    ),
    "OPERATOR": (
        frozenset(
            {
                *("OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE"),
                *("OPERATOR_TRY", "COMPARE_IN", "COMPARE_NOT_IN"),
                *("ARRAY_EXTRACT", "ARRAY_SLICE", "STRUCT_EXTRACT"),
            }
        ),
        frozenset({"children"}),
    ),
}
_REFUSED = {
    "SUBQUERY": (
        "a subquery",
        "an expression reads its own row only; instead of ANY use list_contains",
    ),
    "LAMBDA": ("a lambda", "list functions with lambdas are not available here"),
    "WINDOW": ("a window function", "an expression reads its own row only"),
    "PARAMETER": ("a parameter", "write the value itself"),
    "STAR": ("a star", "name the columns"),
    "POSITIONAL_REFERENCE": ("a positional reference", "name the column"),
    "DEFAULT": ("DEFAULT", "write the value itself"),
}
_LIST_LITERALS = frozenset({"array_value", "list_pack", "list_value"})
_TAKE_NAMES = frozenset({"struct_insert", "struct_pack", "struct_update", "union_value"})


def bind(node: Node, columns: NameMap[pa.DataType]) -> Node:
    """The tree with each column in the schema's spelling; an error if any of it may not run."""
    if node["class"] == "LAMBDA":
        # `json -> path` is read as a lambda; as no function that takes one is allowed, it is JSON's.
        node = {**call("json_extract", node["lhs"], node["expr"]), "alias": node["alias"]}
    types, members = _CLASSES.get(node["class"], (frozenset(), frozenset()))
    if node["type"] not in types or node.keys() - _COMMON != members:
        raise _refused(node)
    match node["class"]:
        case "COLUMN_REF":
            return {**_column(node["column_names"], columns), "alias": node["alias"]}
        case "CONSTANT":
            return {**exact(node), "alias": node["alias"]}
        case "CAST":
            check_type(node["cast_type"])
        case "COLLATE":
            check_collation(node["collation"])
        case "FUNCTION":
            _check_call(node, columns)
    _check_names(node)
    return with_children(node, lambda part: bind(part, columns))


def _column(names: list[str], columns: NameMap[pa.DataType]) -> Node:
    if len(names) > MAX_PATH:
        raise LimitError(f"a path of {len(names)} names", hint=f"at most {MAX_PATH} are allowed")
    first, *fields = names
    if first not in columns:
        raise _volatile(first) if first.lower() in VOLATILE else _no_column(first, columns)
    found = column_ref(columns.spelling(first))
    for field in fields:
        found = field_of(found, field)
    return found


def _check_call(node: Node, columns: NameMap[pa.DataType]) -> None:
    name = node["function_name"].lower()
    function = FUNCTIONS.get(name)
    if node["schema"] not in {"", "main"} or node["catalog"]:
        raise InvalidRequestError(
            f"functions are called by their bare name, not as {quoted(node['schema'] + '.' + name)}",
            hint=f"write {name}(…) with every argument inside the brackets",
        )
    if function is None:
        raise _volatile(name) if name in VOLATILE else _no_function(name)
    if node["filter"] or node["order_bys"]["orders"] or node["distinct"] or node["export_state"]:
        raise InvalidRequestError(
            f"{quoted(name)} is called like an aggregate", hint="give it plain arguments"
        )
    given = node["children"]
    if function.arguments not in {None, len(given)}:
        raise InvalidRequestError(
            f"{quoted(name)} is allowed with {function.arguments} arguments, not {len(given)}",
            hint="its other forms depend on the clock, or cost too much",
        )
    if name == "contains" and given and _is_list(given[0], columns):
        return  # `x IN list`: an element is found by comparing, not by searching a text
    for position, demand in function.demands:
        if position < len(given):
            check_argument(name, given[position], demand)


def _is_list(node: Node, columns: NameMap[pa.DataType]) -> bool:
    if node["class"] == "COLUMN_REF" and len(node["column_names"]) == 1:
        found = columns.get(node["column_names"][0])
        return found is not None and is_nested(found)
    return node["class"] == "FUNCTION" and node["function_name"].lower() in _LIST_LITERALS


def _check_names(node: Node) -> None:
    """`name := value` is for structs and unions; elsewhere DuckDB would ignore the name."""
    if node["class"] == "FUNCTION" and node["function_name"].lower() in _TAKE_NAMES:
        return
    for part in children(node):
        if part["alias"]:
            raise InvalidRequestError(
                f"there is no argument called {quoted(part['alias'])}",
                hint="pass the value without a name",
            )


def _refused(node: Node) -> InvalidRequestError:
    kind = node["type"].lower().replace("_", " ")
    what, hint = _REFUSED.get(node["class"], (f"`{kind}`", "use operators and functions only"))
    return InvalidRequestError(f"{what} cannot be part of an expression", hint=hint)


def _volatile(name: str) -> InvalidRequestError:
    return InvalidRequestError(
        f"{quoted(name)} gives another answer each time it is asked",
        hint="an expression depends on its row alone; write the value itself",
    )


def _no_column(name: str, columns: NameMap[pa.DataType]) -> InvalidRequestError:
    close = nearest(name, columns)
    known = ", ".join(list(columns)[:12])
    hint = f"did you mean {quoted(close)}? " if close else ""
    return InvalidRequestError(
        f"there is no column {quoted(name)}",
        hint=hint + (f"columns: {known}" if known else "no column can be read here"),
    )


def _no_function(name: str) -> InvalidRequestError:
    close = nearest(name, FUNCTIONS)
    hint = f"did you mean {quoted(close)}? " if close else ""
    return InvalidRequestError(
        f"the function {quoted(name)} cannot be used in an expression",
        hint=hint + "the allowed ones are listed in docs/reference/functions.md",
    )
