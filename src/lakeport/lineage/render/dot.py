"""The graph in Graphviz's DOT language; with columns, every relation is a table with one port each."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lakeport.lineage.render.picture import Arrow, Level, Picture, Relation, picture_of

if TYPE_CHECKING:
    from lakeport.lineage.result import AnalyzeResult

_COLOURS = {"imported": "#2e7d32", "implied": "#1f5fa8", "unknown": "#b26a00"}
_STYLES = {"join_dependency": "dotted", "indirect_dependency": "dotted"}


def dot(result: AnalyzeResult, *, level: Level = "table") -> str:
    picture = picture_of(result)
    lines = [
        "digraph lineage {",
        "  rankdir=LR;",
        '  node [shape=plain, fontname="Helvetica"];',
        *(_node(relation, columns=level == "column") for relation in picture.relations.values()),
        *(_edge(picture, arrow) for arrow in picture.arrows(level)),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node(relation: Relation, *, columns: bool) -> str:
    colour = _COLOURS.get(relation.resolution or "", "#555555")
    rows = [
        f'<tr><td bgcolor="{colour}"><font color="white"><b>{_text(relation.name)}</b></font></td></tr>'
    ]
    if columns:
        rows += [
            f'<tr><td port="{column}" align="left">{_text(name)}</td></tr>'
            for column, name in relation.columns
        ]
    table = f'<table border="0" cellborder="1" cellspacing="0" cellpadding="4" color="{colour}">'
    return f'  "{relation.id}" [label=<{table}{"".join(rows)}</table>>];'


def _edge(picture: Picture, arrow: Arrow) -> str:
    style = "dashed" if arrow.approximate else _STYLES.get(arrow.kind, "solid")
    width = 'penwidth="1.6"' if arrow.kind == "derivation" else 'penwidth="1"'
    return f"  {_end(picture, arrow.source)} -> {_end(picture, arrow.target)} [style={style}, {width}];"


def _end(picture: Picture, node_id: str) -> str:
    relation = picture.home(node_id)
    return f'"{relation}"' if relation == node_id else f'"{relation}":"{node_id}"'


def _text(name: str) -> str:
    """Graphviz refuses an empty label inside a cell."""
    return escape(name) or "&nbsp;"
