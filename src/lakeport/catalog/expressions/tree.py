"""Expressions as DuckDB's own parser sees them.

The tree comes from the engine that will run it (`json_serialize_sql`) and goes back to text the same
way, so the names we check are the names it will call: a second grammar would have to agree with it
about every operator, precedence and renamed function. Nothing here decides what is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from lakeport.catalog.expressions import engine
from lakeport.core.errors import InvalidRequestError

Node: TypeAlias = dict[str, Any]
"""One node of DuckDB's serialised syntax tree; `class` and `type` say what it is."""

_NOWHERE = 18446744073709551615


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
    located: Node = without_locations(expression)
    return located


def text(tree: Node) -> str:
    """SQL that parses to `tree` again."""
    statement = _bare()
    statement["node"]["select_list"] = [tree]
    document = json.dumps({"error": False, "statements": [statement]})
    return engine.ask("SELECT json_deserialize_sql(?::JSON)", document).removeprefix("SELECT ")


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


def column_ref(*names: str) -> Node:
    return {
        "class": "COLUMN_REF",
        "type": "COLUMN_REF",
        "alias": "",
        "query_location": _NOWHERE,
        "column_names": list(names),
    }


def field_of(struct: Node, name: str) -> Node:
    """`struct.name`, written so that it cannot be taken for `table.column`."""
    constant = {
        "class": "CONSTANT",
        "type": "VALUE_CONSTANT",
        "alias": "",
        "query_location": _NOWHERE,
        "value": {"type": {"id": "VARCHAR", "type_info": None}, "is_null": False, "value": name},
    }
    return {
        "class": "OPERATOR",
        "type": "STRUCT_EXTRACT",
        "alias": "",
        "query_location": _NOWHERE,
        "children": [struct, constant],
    }


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
    answer = json.loads(engine.ask("SELECT json_serialize_sql(?)", sql))
    if answer["error"]:
        raise InvalidRequestError(
            f"the expression cannot be read: {engine.sentence(answer['error_message'])}",
            hint="write one SQL expression in DuckDB's dialect",
        )
    found: list[Node] = answer["statements"]
    return found


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
