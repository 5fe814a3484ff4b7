"""What the engine is given to run: the same meaning as the checked tree, in linear time.

DuckDB matches ILIKE by backtracking, but LIKE with plain pieces between its `%` by searching for one
piece after the other. Lower case on both sides makes the first into the second, which is also how it
defines ILIKE.
"""

from __future__ import annotations

from lakeport.catalog.expressions.tree import Node, call, with_children

_WITHOUT_CASE = {"~~*": "~~", "!~~*": "!~~"}


def runnable(node: Node) -> Node:
    changed = with_children(node, runnable)
    if node["class"] != "FUNCTION" or node["function_name"] not in _WITHOUT_CASE:
        return changed
    text, pattern = changed["children"]
    if "_" in str(pattern["value"].get("value", "")):
        return changed
    lowered = [call("lower", text), call("lower", pattern)]
    return {**changed, "function_name": _WITHOUT_CASE[node["function_name"]], "children": lowered}
