"""Filter JSON by hand, as the client writes it: for documents that its SQL cannot make."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

_COMMON = {"alias": "", "query_location": 18446744073709551615}
BOOLEAN = {"id": "BOOLEAN", "type_info": None}


def document(*filters: Any, names: list[Any] | None = None) -> str:
    known = {} if names is None else {"column_binding_names_by_index": names}
    return json.dumps({"filters": list(filters), **known})


def column(index: int, type_name: str = "INTEGER") -> Json:
    return {
        **_node("BOUND_COLUMN_REF", "BOUND_COLUMN_REF"),
        "return_type": {"id": type_name, "type_info": None},
        "binding": {"table_index": 0, "column_index": index},
        "depth": 0,
    }


def constant(value: Any, type_name: str = "INTEGER") -> Json:
    data_type = {"id": type_name, "type_info": None}
    held = {"type": data_type, "is_null": value is None}
    return {
        **_node("BOUND_CONSTANT", "VALUE_CONSTANT"),
        "value": held if value is None else {**held, "value": value},
    }


def compare(left: Json, right: Json, name: str = "COMPARE_EQUAL") -> Json:
    return {**_node("BOUND_COMPARISON", name), "left": left, "right": right}


def joined(word: str, *children: Json) -> Json:
    return {**_node("BOUND_CONJUNCTION", f"CONJUNCTION_{word}"), "children": list(children)}


def operator(name: str, *children: Json) -> Json:
    return {**_node("BOUND_OPERATOR", name), "return_type": BOOLEAN, "children": list(children)}


def negated(child: Json) -> Json:
    return operator("OPERATOR_NOT", child)


def call(name: str, *children: Json, returns: str = "BOOLEAN", catalog: str = "system") -> Json:
    return {
        **_node("BOUND_FUNCTION", "BOUND_FUNCTION"),
        "return_type": {"id": returns, "type_info": None},
        "children": list(children),
        "name": name,
        "arguments": [],
        "original_arguments": [],
        "catalog_name": catalog,
        "schema_name": "main" if catalog else "",
        "has_serialize": False,
        "is_operator": False,
    }


def _node(class_name: str, name: str) -> Json:
    return {"expression_class": class_name, "type": name, **_COMMON}
