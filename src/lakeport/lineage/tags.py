"""Classifications that travel with values: a copy of an e-mail address is one, its hash is not.

Tags go along `data_flow` and `derivation` edges in topological order; each derivation weakens the
confidence, a masking edge stops the tag and leaves a note. What a column was given itself is never
changed by what it inherits.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from lakeport.lineage.request import ColumnTag, TagHint
from lakeport.lineage.result import Edge, GlobalEdge, GlobalNode, Node, TagCount, TagFlow

_CARRYING = frozenset({"data_flow", "derivation"})
_PER_DERIVATION = 0.9
_CERTAIN = 1.0
_DIGITS = 6
# The functions that leave nothing of a value to be read, by the start of their names.
_MASKING = (
    "aes_encrypt",
    "anonymize",
    "crc32",
    "digest",
    "encrypt",
    "hash",
    "hmac",
    "mask",
    "md5",
    "murmur",
    "pgp_sym_encrypt",
    "redact",
    "sha",
    "tokenize",
    "xxhash",
)
_NEVER_MASKING = ("shape", "share", "shard")


def is_masking(function: str) -> bool:
    """Does a function of this name hide the value it is given?"""
    name = function.lower().rsplit(".", maxsplit=1)[-1]
    return name.startswith(_MASKING) and not name.startswith(_NEVER_MASKING)


@dataclass(frozen=True, slots=True)
class TagReport:
    """Where tags are in the end, by node id."""

    tags: dict[str, list[ColumnTag]] = field(default_factory=dict)
    # The tags that a masking edge kept out of a column; they belong in its metadata.
    stopped: dict[str, list[str]] = field(default_factory=dict)
    counts: list[TagCount] = field(default_factory=list)
    flows: list[TagFlow] = field(default_factory=list)


def seeds_from_hints(
    nodes: Iterable[GlobalNode], hints: Sequence[TagHint], fold: Callable[[str], str]
) -> dict[str, list[ColumnTag]]:
    """The tags that hints give to columns; `*` means every column of the table.

    A table may be named by any number of its last parts: `orders` also means `lake.sales.orders`.
    """
    wanted = [
        (tuple(map(fold, hint.table.split("."))), fold(hint.column), hint.tags) for hint in hints
    ]
    seeds: dict[str, list[ColumnTag]] = {}
    for node in nodes:
        name = node.canonical_name
        if name.column is None:
            continue
        parts = [part for part in (name.catalog, name.schema, name.name) if part]
        table = tuple(fold(piece) for part in parts for piece in part.split("."))
        column = fold(name.column)
        for asked, asked_column, tags in wanted:
            if table[-len(asked) :] == asked and asked_column in {column, "*"}:
                seeds.setdefault(node.id, []).extend(tags)
    return {node_id: _distinct(tags) for node_id, tags in seeds.items()}


def _distinct(tags: Iterable[ColumnTag]) -> list[ColumnTag]:
    return list({tag.name: tag for tag in tags}.values())


def propagate(
    nodes: Sequence[Node | GlobalNode],
    edges: Sequence[Edge | GlobalEdge],
    seeds: Mapping[str, Sequence[ColumnTag]],
) -> TagReport:
    """Carry the tags of `seeds` (by column id) along the values of a graph."""
    if not any(seeds.values()):
        return TagReport()
    held = {node_id: {tag.name: tag for tag in tags} for node_id, tags in seeds.items() if tags}
    leaving: dict[str, list[Edge | GlobalEdge]] = defaultdict(list)
    for edge in edges:
        if edge.edge_type in _CARRYING and edge.source != edge.target:
            leaving[edge.source].append(edge)
    stopped = _spread(held, leaving)
    owners = {edge.target: edge.source for edge in edges if edge.edge_type == "ownership"}
    answers = {node.id for node in nodes if node.node_type == "output"}
    order = {node.id: position for position, node in enumerate(nodes)}
    tags = {node_id: list(found.values()) for node_id, found in held.items() if node_id in order}
    return TagReport(
        tags=dict(sorted(tags.items(), key=lambda item: order[item[0]])),
        stopped=_still_stopped(stopped, held),
        counts=_counts(tags, owners, answers),
        flows=_flows(tags, order),
    )


def _spread(
    held: dict[str, dict[str, ColumnTag]],
    leaving: Mapping[str, list[Edge | GlobalEdge]],
) -> dict[str, list[str]]:
    """Fill `held` downstream of what is in it; the answer is what masking kept out, by column."""
    stopped: dict[str, list[str]] = defaultdict(list)
    order = deque(_in_order(held, leaving))
    waiting = set(order)
    while order:
        source = order.popleft()
        waiting.discard(source)
        arriving = held.get(source)
        if not arriving:
            continue
        for edge in leaving.get(source, ()):
            if _hides(edge):
                stopped[edge.target].extend(arriving)
                continue
            target = held.setdefault(edge.target, {})
            improved = [_inherit(target, tag, edge) for tag in arriving.values()]
            # Only in a cycle has the target had its turn already.
            if any(improved) and edge.target not in waiting:
                waiting.add(edge.target)
                order.append(edge.target)
    return stopped


def _in_order(
    held: Mapping[str, object], leaving: Mapping[str, list[Edge | GlobalEdge]]
) -> list[str]:
    """The columns downstream of the seeds, sources first; those in a cycle come last."""
    reached: dict[str, int] = dict.fromkeys(held, 0)
    frontier = list(held)
    while frontier:
        for edge in leaving.get(frontier.pop(), ()):
            if edge.target not in reached:
                reached[edge.target] = 0
                frontier.append(edge.target)
    for node_id in reached:
        for edge in leaving.get(node_id, ()):
            reached[edge.target] += 1
    ready = deque(node_id for node_id, inputs in reached.items() if inputs == 0)
    order: list[str] = []
    while ready:
        node_id = ready.popleft()
        order.append(node_id)
        for edge in leaving.get(node_id, ()):
            reached[edge.target] -= 1
            if reached[edge.target] == 0:
                ready.append(edge.target)
    return order + [node_id for node_id, inputs in reached.items() if inputs > 0]


def _hides(edge: Edge | GlobalEdge) -> bool:
    transformation = edge.metadata.get("transformation")
    return isinstance(transformation, Mapping) and bool(transformation.get("masking"))


def _inherit(target: dict[str, ColumnTag], tag: ColumnTag, edge: Edge | GlobalEdge) -> bool:
    """Give a tag on, if the target does not hold a surer one; True if something changed."""
    confidence = tag.confidence
    if edge.edge_type == "derivation":
        confidence = round(
            (_CERTAIN if confidence is None else confidence) * _PER_DERIVATION, _DIGITS
        )
    present = target.get(tag.name)
    if present is not None and (
        not present.inherited or _sure(present.confidence) >= _sure(confidence)
    ):
        return False
    target[tag.name] = msgspec.structs.replace(
        tag,
        confidence=confidence,
        inherited=True,
        from_column_id=tag.from_column_id if tag.inherited else edge.source,
    )
    return True


def _sure(confidence: float | None) -> float:
    """A tag without a confidence was stated, not estimated."""
    return _CERTAIN if confidence is None else confidence


def _still_stopped(
    stopped: Mapping[str, list[str]], held: Mapping[str, Mapping[str, ColumnTag]]
) -> dict[str, list[str]]:
    """A tag that reached the column by another way was not stopped."""
    left = {
        node_id: sorted({name for name in names if name not in held.get(node_id, {})})
        for node_id, names in stopped.items()
    }
    return {node_id: names for node_id, names in left.items() if names}


def _counts(
    tags: Mapping[str, list[ColumnTag]], owners: Mapping[str, str], answers: Collection[str]
) -> list[TagCount]:
    """How many columns hold a tag, and in how many relations; what a query answers is none."""
    columns: dict[str, set[str]] = defaultdict(set)
    sources: dict[str, set[str]] = defaultdict(set)
    for node_id, found in tags.items():
        for tag in found:
            columns[tag.name].add(node_id)
            sources[tag.name].add(tag.source)
    return [
        TagCount(
            tag=name,
            columns=len(holders),
            tables=len({owners.get(node_id, node_id) for node_id in holders}.difference(answers)),
            sources=sorted(sources[name]),
        )
        for name, holders in sorted(columns.items())
    ]


def _flows(tags: Mapping[str, list[ColumnTag]], order: Mapping[str, int]) -> list[TagFlow]:
    """Per tag, the columns that were given it and those that only inherit it."""
    sources: dict[str, list[str]] = defaultdict(list)
    targets: dict[str, list[str]] = defaultdict(list)
    for node_id in sorted(tags, key=order.__getitem__):
        for tag in tags[node_id]:
            (targets if tag.inherited else sources)[tag.name].append(node_id)
    return [
        TagFlow(tag=name, sources=sources[name], targets=targets[name]) for name in sorted(targets)
    ]
