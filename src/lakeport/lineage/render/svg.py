"""The drawing of the HTML report: boxes with columns and curved arrows, as one inline SVG.

Every element carries the ids it concerns as data attributes; the report's script lights up the
whole path of what is pointed at.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lakeport.lineage.render.layout import HEADER, ROW, WIDTH, Box, Layout, lay_out

if TYPE_CHECKING:
    from lakeport.lineage.render.picture import Arrow, Picture, Relation

_LONGEST_NAME = 30


def svg(picture: Picture) -> str:
    layout = lay_out(picture)
    ends = _Ends(picture, layout)
    arrows = [_arrow(picture, ends, arrow) for arrow in picture.arrows("column")]
    boxes = [_box(relation, layout.boxes[relation.id]) for relation in picture.relations.values()]
    size = f'viewBox="0 0 {layout.width} {layout.height}" width="{layout.width}" height="{layout.height}"'
    marker = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    return (
        f'<svg {size} role="img" aria-label="lineage graph">{marker}{"".join(arrows + boxes)}</svg>'
    )


def _box(relation: Relation, box: Box) -> str:
    kind = f"box {relation.kind} {relation.resolution or 'local'}"
    parts = [
        f'<g class="{kind}" transform="translate({box.x},{box.y})">',
        f'<rect class="frame" width="{WIDTH}" height="{box.height}" rx="6"/>',
        f'<g class="name" data-node="{relation.id}"><title>{escape(relation.name)}</title>',
        f'<rect width="{WIDTH}" height="{HEADER - 4}" rx="6"/>',
        f'<text x="10" y="18">{escape(_short(relation.name))}</text></g>',
    ]
    for index, (column, name) in enumerate(relation.columns[: box.rows]):
        parts.append(
            f'<g class="column" data-node="{column}" transform="translate(0,{HEADER + index * ROW})">'
            f'<title>{escape(name)}</title><rect width="{WIDTH}" height="{ROW}"/>'
            f'<text x="12" y="14">{escape(_short(name))}</text></g>'
        )
    hidden = len(relation.columns) - box.rows
    if hidden:
        y = HEADER + box.rows * ROW + 14
        parts.append(f'<text class="more" x="12" y="{y}">… {hidden} more</text>')
    return "".join([*parts, "</g>"])


def _arrow(picture: Picture, ends: _Ends, arrow: Arrow) -> str:
    x1, y1 = ends.at(arrow.source, right=True)
    x2, y2 = ends.at(arrow.target, right=False)
    bend = max(40, abs(x2 - x1) // 2)
    kind = f"arrow {arrow.kind}{' approximate' if arrow.approximate else ''}"
    path = f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    title = f"{picture.name(arrow.source)} → {picture.name(arrow.target)}"
    return (
        f'<path class="{kind}" d="{path}" marker-end="url(#tip)" '
        f'data-from="{arrow.source}" data-to="{arrow.target}"><title>{escape(title)}</title></path>'
    )


class _Ends:
    """Where an arrow may start or end: beside its column's row, or beside the relation's name."""

    def __init__(self, picture: Picture, layout: Layout) -> None:
        self._picture = picture
        self._boxes = layout.boxes
        self._row = {
            column: row
            for relation in picture.relations.values()
            for row, (column, _) in enumerate(relation.columns)
        }

    def at(self, node_id: str, *, right: bool) -> tuple[int, int]:
        box = self._boxes[self._picture.home(node_id)]
        x = box.x + (WIDTH if right else 0)
        if node_id not in self._row:
            return x, box.y + HEADER // 2
        # Columns past the last row shown share the line that counts them.
        return x, box.y + HEADER + min(self._row[node_id], box.rows) * ROW + ROW // 2


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
