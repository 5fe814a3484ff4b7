"""Where the boxes of a drawing go: layers from left to right, every arrow pointing right if it can.

Longest-path layering and two barycentre sweeps, all iterative and linear but for the sorts. A
cycle (a table that feeds itself through others) is broken where it is first met.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakeport.lineage.render.picture import Picture

WIDTH = 230
ROW = 20
HEADER = 30
MAX_ROWS = 14
_GAP_X = 110
_GAP_Y = 26


@dataclass(frozen=True, slots=True)
class Box:
    """A relation's place; `rows` of its columns are shown."""

    x: int
    y: int
    height: int
    rows: int


@dataclass(frozen=True, slots=True)
class Layout:
    boxes: dict[str, Box]
    width: int
    height: int


def lay_out(picture: Picture) -> Layout:
    successors: dict[str, list[str]] = defaultdict(list)
    predecessors: dict[str, list[str]] = defaultdict(list)
    for arrow in picture.relation_arrows:
        successors[arrow.source].append(arrow.target)
        predecessors[arrow.target].append(arrow.source)
    layers = _layers(list(picture.relations), successors, predecessors)
    _untangle(layers, predecessors)
    _untangle(layers[::-1], successors)
    return _placed(picture, layers)


def _layers(
    ids: list[str], successors: dict[str, list[str]], predecessors: dict[str, list[str]]
) -> list[list[str]]:
    """Kahn's order; when only cycles are left, the first relation in order is let go."""
    depth = dict.fromkeys(ids, 0)
    waiting = {node: len(predecessors[node]) for node in ids}
    ready = [node for node in ids if waiting[node] == 0]
    leftover = iter(ids)
    done: set[str] = set()
    while len(done) < len(ids):
        if not ready:
            ready.append(next(node for node in leftover if node not in done))
        node = ready.pop()
        if node in done:
            continue
        done.add(node)
        for after in successors[node]:
            if after not in done:
                depth[after] = max(depth[after], depth[node] + 1)
                waiting[after] -= 1
                if waiting[after] == 0:
                    ready.append(after)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in ids:
        layers[depth[node]].append(node)
    return layers


def _untangle(layers: list[list[str]], neighbours: dict[str, list[str]]) -> None:
    """Order each layer by the mean place of the neighbours already placed."""
    place: dict[str, float] = {}
    for layer in layers:
        own = {node: float(index) for index, node in enumerate(layer)}
        for node in layer:
            known = [place[other] for other in neighbours[node] if other in place]
            if known:
                own[node] = sum(known) / len(known)
        layer.sort(key=own.__getitem__)
        place.update({node: float(index) for index, node in enumerate(layer)})


def _placed(picture: Picture, layers: list[list[str]]) -> Layout:
    boxes: dict[str, Box] = {}
    height = 0
    for depth, layer in enumerate(layers):
        y = _GAP_Y
        for node in layer:
            columns = len(picture.relations[node].columns)
            rows = min(columns, MAX_ROWS)
            tall = HEADER + ROW * (rows + (columns > rows)) + 6
            boxes[node] = Box(_GAP_Y + depth * (WIDTH + _GAP_X), y, tall, rows)
            y += tall + _GAP_Y
        height = max(height, y)
    return Layout(boxes, max(1, len(layers)) * (WIDTH + _GAP_X), max(height, 60))
