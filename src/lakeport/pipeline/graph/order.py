"""The order of models, and the circles that make one impossible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lakeport.core.names import TableName


def in_order(upstream: Mapping[TableName, Sequence[TableName]]) -> list[TableName]:
    """By depth, then by name; needs a graph without circles."""
    depths: dict[TableName, int] = {}
    for name in _finished(upstream):
        depths[name] = 1 + max((depths[above] for above in upstream[name]), default=-1)
    return sorted(depths, key=lambda name: (depths[name], name.folded))


def _finished(upstream: Mapping[TableName, Sequence[TableName]]) -> Iterable[TableName]:
    """Each after what it needs; iterative, because a chain may be longer than Python's stack."""
    seen: set[TableName] = set()
    for start in upstream:
        pending = [(start, False)]
        while pending:
            name, done = pending.pop()
            if done:
                yield name
            elif name not in seen:
                seen.add(name)
                pending.append((name, True))
                pending += [(above, False) for above in upstream[name] if above not in seen]


def circles(upstream: Mapping[TableName, Sequence[TableName]]) -> list[list[TableName]]:
    """One shortest circle of each knot of models that need each other, in the order of reading."""
    found: list[list[TableName]] = []
    for knot in _knots(upstream):
        members = set(knot)
        start = min(knot, key=lambda name: name.folded)
        found.append(_shortest(start, members, upstream))
    return sorted(found, key=lambda circle: circle[0].folded)


def _knots(upstream: Mapping[TableName, Sequence[TableName]]) -> Iterable[list[TableName]]:
    """Strongly connected components of more than one model (Tarjan's way, without recursion)."""
    index: dict[TableName, int] = {}
    low: dict[TableName, int] = {}
    stack: list[TableName] = []
    held: set[TableName] = set()
    for start in upstream:
        if start in index:
            continue
        work = [(start, iter(upstream[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        held.add(start)
        while work:
            name, rest = work[-1]
            above = next(rest, None)
            if above is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    at = stack.index(name)
                    knot, stack[at:] = stack[at:], []
                    held -= set(knot)
                    if len(knot) > 1:
                        yield knot
            elif above not in index:
                index[above] = low[above] = len(index)
                stack.append(above)
                held.add(above)
                work.append((above, iter(upstream[above])))
            elif above in held:
                low[name] = min(low[name], index[above])


def _shortest(
    start: TableName, members: set[TableName], upstream: Mapping[TableName, Sequence[TableName]]
) -> list[TableName]:
    """From a model back to it, as few steps as there are."""
    before: dict[TableName, TableName] = {}
    layer = [start]
    while layer:
        following: list[TableName] = []
        for name in layer:
            for above in upstream[name]:
                if above == start:
                    path = [name]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return path[::-1]
                if above in members and above not in before:
                    before[above] = name
                    following.append(above)
        layer = following
    return [start]
