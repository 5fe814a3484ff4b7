"""The graph as a Mermaid flowchart, for Markdown pages and pull requests.

Node ids of ours are safe words, labels are not: quotes and brackets in them become entities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.render.picture import Arrow, Level, Relation, picture_of

if TYPE_CHECKING:
    from lakeport.lineage.result import AnalyzeResult

_SHAPES = {
    "table": ('["', '"]'),
    "view": ('(["', '"])'),
    "cte": ('("', '")'),
    "output": ('{{"', '"}}'),
}
_STYLES = (
    "classDef imported fill:#e3f2e6,stroke:#2e7d32,color:#1b1b1b",
    "classDef implied fill:#e4edf8,stroke:#1f5fa8,color:#1b1b1b",
    "classDef unknown fill:#fbeed9,stroke:#b26a00,color:#1b1b1b,stroke-dasharray:4 3",
)


def mermaid(result: AnalyzeResult, *, level: Level = "table") -> str:
    picture = picture_of(result)
    lines = ["flowchart LR"]
    for relation in picture.relations.values():
        lines += _with_columns(relation) if level == "column" else [_box(relation)]
    lines += [_line(arrow) for arrow in picture.arrows(level)]
    lines += [
        f"class {relation.id} {relation.resolution}"
        for relation in picture.relations.values()
        if relation.resolution
    ]
    return "\n    ".join([*lines, *_STYLES]) + "\n"


def _box(relation: Relation) -> str:
    opening, closing = _SHAPES[relation.kind]
    return f"{relation.id}{opening}{_escaped(relation.name)}{closing}"


def _with_columns(relation: Relation) -> list[str]:
    if not relation.columns:
        return [_box(relation)]
    inner = [f'    {column}["{_escaped(name)}"]' for column, name in relation.columns]
    return [f'subgraph {relation.id}["{_escaped(relation.name)}"]', *inner, "end"]


def _line(arrow: Arrow) -> str:
    stroke = "-.->" if arrow.approximate else "==>" if arrow.kind == "derivation" else "-->"
    label = "|join|" if arrow.kind == "join_dependency" else ""
    label = "|filter|" if arrow.kind == "indirect_dependency" else label
    return f"{arrow.source} {stroke}{label} {arrow.target}"


def _escaped(text: str) -> str:
    """Mermaid reads `#…;` as an entity, so the hash sign goes first."""
    text = text.replace("#", "#35;").replace('"', "#quot;").replace("`", "#96;")
    return text.replace("<", "#lt;").replace(">", "#gt;").replace("\n", " ")
