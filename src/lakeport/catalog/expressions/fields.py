"""Struct fields and casts in a checked expression's text.

Texts that are stored have been normalised, so a field is read as `(s).f`, `s['f']` or
`struct_extract(s, 'f')` and in no other way.
"""

from __future__ import annotations

from lakeport.catalog.expressions import tree
from lakeport.core.names import fold

_EXTRACTS = frozenset({"struct_extract", "array_extract", "element_at", "map_extract_value"})


def rename_field(sql: str, path: tuple[str, ...], to: str) -> str:
    """The same expression after the field at `path` (column first) is called `to`.

    `element` and `value` in the path stand for any subscript. What reaches the field in a way that
    is not seen here stays as it was, and no longer parses against the new schema.
    """
    read = tree.parse(sql)
    wanted = tuple(fold(part) for part in path)
    for node in list(tree.walk(read)):
        if _reaches(node, wanted):
            node["children"][1]["value"]["value"] = to
    return tree.text(read)


def is_cast_of(sql: str, column: str) -> bool:
    """Whether the text is a plain CAST of that column and nothing else."""
    node = tree.parse(sql)
    if node["class"] != "CAST" or node["try_cast"]:
        return False
    names = node["child"].get("column_names", ())
    return len(names) == 1 and fold(names[0]) == fold(column)


def _reaches(node: tree.Node, path: tuple[str, ...]) -> bool:
    if len(path) == 1:
        names = node.get("column_names", ())
        return len(names) == 1 and fold(names[0]) == path[0]
    subscript = _subscript(node)
    if subscript is None or not _reaches(node["children"][0], path[:-1]):
        return False
    name = subscript.get("value", {}).get("value") if subscript["class"] == "CONSTANT" else None
    return path[-1] in {"element", "value"} or (isinstance(name, str) and fold(name) == path[-1])


def _subscript(node: tree.Node) -> tree.Node | None:
    extracts = node["type"] in {"STRUCT_EXTRACT", "ARRAY_EXTRACT"} or (
        node["class"] == "FUNCTION" and node["function_name"] in _EXTRACTS
    )
    if not extracts or len(node["children"]) != 2:
        return None
    subscript: tree.Node = node["children"][1]
    return subscript
