"""A diff as lines for people: one sign, what it is, its name, and what is different about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import msgspec

from lakeport.lineage.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakeport.lineage.diff import Changes, ColumnFacts, EdgeFacts, LineageDiff, NodeFacts

Sign: TypeAlias = Literal["+", "-", "~"]
Facts = TypeVar("Facts", bound=Wire)


@dataclass(frozen=True, slots=True)
class ChangeLine:
    sign: Sign
    subject: str
    name: str
    detail: str = ""


def change_lines(found: LineageDiff) -> list[ChangeLine]:
    """Relations and columns first, then edges, then the schema."""
    return [
        *_lines(found.nodes, _node),
        *_lines(found.edges, _edge),
        *_lines(found.columns, _column),
    ]


def _lines(
    changes: Changes[Facts], describe: Callable[[Facts], tuple[str, str]]
) -> Iterator[ChangeLine]:
    for added in changes.added:
        yield ChangeLine("+", *describe(added))
    for removed in changes.removed:
        yield ChangeLine("-", *describe(removed))
    for change in changes.changed:
        yield ChangeLine("~", *describe(change.after), _difference(change.before, change.after))


def _node(node: NodeFacts) -> tuple[str, str]:
    return node.node_type, node.name


def _edge(edge: EdgeFacts) -> tuple[str, str]:
    return "edge", f"{edge.source} → {edge.target}"


def _column(column: ColumnFacts) -> tuple[str, str]:
    return "schema", f"{column.table}.{column.column}"


def _difference(before: Wire, after: Wire) -> str:
    """`data type: int → bigint`, for every field that differs."""
    old, new = msgspec.structs.asdict(before), msgspec.structs.asdict(after)
    return ", ".join(
        f"{key.replace('_', ' ')}: {_shown(old[key])} → {_shown(new[key])}"
        for key in new
        if old[key] != new[key]
    )


def _shown(value: object) -> str:
    match value:
        case None | ():
            return "none"
        case bool():
            return "yes" if value else "no"
        case tuple():
            return " ".join(map(str, value))
        case _:
            return str(value)
