"""Expressions as DuckDB's own parser sees them.

The tree comes from the engine that will run it (`json_serialize_sql`) and goes back to text the same
way, so the names we check are the names it will call: a second grammar would have to agree with it
about every operator, precedence and renamed function. Nothing here decides what is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeAlias

from lakeport.catalog.expressions import engine
from lakeport.core.errors import InvalidRequestError, LimitError

Node: TypeAlias = dict[str, Any]
"""One node of DuckDB's serialised syntax tree; `class` and `type` say what it is."""

MAX_DEPTH = 100
"""Levels of a tree: every walk over one is recursive, and callers have a stack of their own."""

MAX_NODES = 2_000
"""Parts of an expression beside its constants: each takes room for 2,048 values when it runs."""

_NOWHERE = 18446744073709551615
_PARTS = dict.fromkeys(("input", "lower", "upper", "left", "right", "child", "children")).keys()


def parse(sql: str) -> Node:
    """The tree of one expression; text that is anything more or less is refused."""
    statements = _statements(f"SELECT (\n{sql}\n)")
    if len(statements) != 1:
        raise _not_one(sql)
    select = statements[0]["node"]
    found = select.get("select_list", [])
    # Whatever the text smuggled past its brackets (a FROM, a second column, LIMIT, WITH…) shows here.
    if len(found) != 1 or {**statements[0], "node": {**select, "select_list": []}} != _bare():
        raise _not_one(sql)
    expression: Node = found[0]
    if expression["alias"]:
        raise _not_one(sql)
    _check_size(expression)
    located: Node = without_locations(expression)
    return located


def text(tree: Node) -> str:
    """SQL that parses to `tree` again."""
    statement = _bare()
    statement["node"]["select_list"] = [tree]
    document = json.dumps({"error": False, "statements": [statement]})
    return engine.ask("json_deserialize_sql", document).removeprefix("SELECT ")


def walk(tree: Any) -> Iterator[Node]:
    """Every node of the tree, parents first. Constants and types are values, not nodes."""
    pending: list[Any] = [tree]
    while pending:
        found = pending.pop()
        if isinstance(found, list):
            pending.extend(reversed(found))
        elif isinstance(found, dict):
            if "class" in found:
                yield found
            pending.extend(v for k, v in found.items() if k not in {"value", "cast_type"})


def children(node: Node) -> list[Node]:
    """The parts of a checked node, in the order they are written; of a CASE: when, then, …, else."""
    if node["class"] == "CASE":
        parts = [check[key] for check in node["case_checks"] for key in ("when_expr", "then_expr")]
        return [*parts, node["else_expr"]]
    found: list[Node] = []
    for key in _PARTS:
        part = node.get(key, ())
        found.extend(part if isinstance(part, list | tuple) else (part,))
    return found


def with_children(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with `change` applied to each of its parts."""
    if node["class"] == "CASE":
        checks = [{key: change(part) for key, part in c.items()} for c in node["case_checks"]]
        return {**node, "case_checks": checks, "else_expr": change(node["else_expr"])}
    changed = dict(node)
    for key in _PARTS & node.keys():
        part = node[key]
        changed[key] = [change(p) for p in part] if isinstance(part, list) else change(part)
    return changed


def column_ref(*names: str) -> Node:
    return _node("COLUMN_REF", column_names=list(names))


def literal(text: str) -> Node:
    value = {"type": {"id": "VARCHAR", "type_info": None}, "is_null": False, "value": text}
    return _node("CONSTANT", "VALUE_CONSTANT", value=value)


def cast(child: Node, to: Any) -> Node:
    return _node("CAST", "OPERATOR_CAST", child=child, cast_type=to, try_cast=False)


def field_of(struct: Node, name: str) -> Node:
    """`struct.name`, written so that it cannot be taken for `table.column`."""
    return _node("OPERATOR", "STRUCT_EXTRACT", children=[struct, literal(name)])


def call(function: str, *arguments: Node) -> Node:
    return _node(
        "FUNCTION",
        function_name=function,
        schema="",
        catalog="",
        children=list(arguments),
        filter=None,
        order_bys={"type": "ORDER_MODIFIER", "orders": []},
        distinct=False,
        is_operator=False,
        export_state=False,
    )


def _node(kind: str, type_name: str = "", **members: Any) -> Node:
    common = {"class": kind, "type": type_name or kind, "alias": "", "query_location": _NOWHERE}
    return {**common, **members}


def without_locations(tree: Any) -> Any:
    """Where a node stood in the text says nothing about what it means."""
    if isinstance(tree, dict):
        return {
            key: _NOWHERE if key == "query_location" else without_locations(value)
            for key, value in tree.items()
        }
    if isinstance(tree, list):
        return [without_locations(item) for item in tree]
    return tree


def _statements(sql: str) -> list[Node]:
    try:
        answer = json.loads(engine.ask("json_serialize_sql", sql))
    except RecursionError:
        raise _too_deep() from None
    if answer["error"]:
        said = answer["error_message"]
        if "Max expression depth" in said or "memory exhausted" in said:
            raise _too_deep()
        raise InvalidRequestError(
            f"the expression cannot be read: {engine.sentence(said)}",
            hint="write one SQL expression in DuckDB's dialect",
        )
    found: list[Node] = answer["statements"]
    return found


def _check_size(tree: Node) -> None:
    pending: list[tuple[Any, int]] = [(tree, 0)]
    nodes = 0
    while pending:
        found, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise _too_deep()
        nodes += isinstance(found, dict) and found.get("class", "CONSTANT") != "CONSTANT"
        if nodes > MAX_NODES:
            raise LimitError(
                f"the expression has more than {MAX_NODES:,} parts", hint="split it into several"
            )
        if isinstance(found, dict):
            pending.extend((value, depth + ("class" in found)) for value in found.values())
        elif isinstance(found, list):
            pending.extend((value, depth) for value in found)


def _too_deep() -> LimitError:
    return LimitError(
        "the expression is nested too deeply", hint=f"at most {MAX_DEPTH} levels are allowed"
    )


@cache
def _bare_text() -> str:
    statement = _statements("SELECT (NULL)")[0]
    statement["node"]["select_list"] = []
    return json.dumps(statement)


def _bare() -> Node:
    """The statement `SELECT (…)` without its expression."""
    bare: Node = json.loads(_bare_text())
    return bare


def _not_one(sql: str) -> InvalidRequestError:
    shown = sql if len(sql) <= 60 else sql[:59] + "…"
    return InvalidRequestError(
        f"not a single expression: {shown}", hint="write one SQL expression, without a statement"
    )
