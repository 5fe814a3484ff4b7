"""Whether one schema of a table grew into another: the rule of the growth door, as a pure function.

Schemas are Iceberg's JSON, and fields are told apart by their ids, because a commit that drops a column and
adds another of its name would look innocent by names. To grow is to add optional fields, to widen
(int to long, float to double, a decimal's precision) and to allow NULL; anything else is a loss. The order
of columns and their comments are nobody's loss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted

Json: TypeAlias = Mapping[str, Any]

_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_WIDER = {("int", "long"), ("float", "double")}


@dataclass(frozen=True, slots=True)
class Loss:
    """`column` is the path of a current field, with dots; `what` would become of it."""

    column: str
    what: str


def require_growth(before: Json, after: Json) -> None:
    """Refuse the schema `after` if anything would be lost by it."""
    lost = next(losses(before, after), None)
    if lost is not None:
        raise InvalidRequestError(
            f"column {quoted(lost.column)} {lost.what}",
            hint="a run lets tables grow and takes nothing away; use a token without `--growth`",
        )


def losses(before: Json, after: Json) -> Iterator[Loss]:
    """What a table would lose by having the schema `after`; nothing if it only grows."""
    yield from _in_struct((), before, after)


def _in_struct(path: tuple[str, ...], before: Json, after: Json) -> Iterator[Loss]:
    kept = {field["id"]: field for field in after.get("fields", ())}
    for field in before.get("fields", ()):
        here = (*path, field["name"])
        found = kept.pop(field["id"], None)
        if found is None:
            yield _loss(here, "would be dropped")
            continue
        if found["name"] != field["name"]:
            yield _loss(here, f"would be renamed to `{found['name']}`")
        yield from _in_place(here, field, found, "required", "type")
    for field in kept.values():
        if field.get("required") and "initial-default" not in field:
            yield _loss((*path, field["name"]), "is new and must allow NULL")


def _in_place(
    path: tuple[str, ...], before: Json, after: Json, required: str, key: str
) -> Iterator[Loss]:
    """A field, or the element of a list or value of a map, which keep the same facts under other names."""
    if after.get(required) and not before.get(required):
        yield _loss(path, "would no longer allow NULL")
    yield from _in_type(path, before[key], after[key])


def _in_type(path: tuple[str, ...], before: Any, after: Any) -> Iterator[Loss]:
    kinds = _kind(before), _kind(after)
    if kinds == ("struct", "struct"):
        yield from _in_struct(path, before, after)
    elif kinds == ("list", "list") and before["element-id"] == after["element-id"]:
        yield from _in_place((*path, "element"), before, after, "element-required", "element")
    elif kinds == ("map", "map") and _ids(before) == _ids(after):
        if _plain(before["key"]) != _plain(after["key"]):
            yield _loss((*path, "key"), "is a map's key and would get another type")
        yield from _in_place((*path, "value"), before, after, "value-required", "value")
    elif not _is_wider(before, after):
        yield _loss(path, f"would turn from {_word(before)} to {_word(after)}")


def _is_wider(before: Any, after: Any) -> bool:
    """Or the same."""
    if not (isinstance(before, str) and isinstance(after, str)):
        return False
    if _plain(before) == _plain(after) or (before, after) in _WIDER:
        return True
    old, new = _DECIMAL.fullmatch(before), _DECIMAL.fullmatch(after)
    return bool(old and new and old[2] == new[2] and int(old[1]) <= int(new[1]))


def _kind(found: Any) -> str:
    return str(found["type"]) if isinstance(found, Mapping) else "primitive"


def _ids(found: Json) -> tuple[Any, Any]:
    return found["key-id"], found["value-id"]


def _plain(found: Any) -> Any:
    """`decimal(9, 2)` is `decimal(9,2)`; of what holds fields, all of it."""
    if isinstance(found, str):
        return found.replace(" ", "")
    if isinstance(found, Mapping):
        return {key: _plain(value) for key, value in found.items() if key != "doc"}
    return [_plain(each) for each in found] if isinstance(found, list) else found


def _word(found: Any) -> str:
    return f"`{found if isinstance(found, str) else _kind(found)}`"


def _loss(path: tuple[str, ...], what: str) -> Loss:
    return Loss(".".join(path), what)
