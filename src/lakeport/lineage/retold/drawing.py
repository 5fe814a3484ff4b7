"""The nodes and edges of an answer with gaps: what of them is a name, a place, or an id made of names."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from lakeport.lineage.graph import column_ids, node_id, table_id
from lakeport.lineage.result import Filter
from lakeport.lineage.retold.gaps import Untellable, escaped, named
from lakeport.lineage.wire import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.names import Name
    from lakeport.lineage.result import Edge, Node
    from lakeport.lineage.retold.gaps import Gaps, Parts, Words
    from lakeport.lineage.statement import Analysed

# The numbers of the first and the last token of a span.
_Place: TypeAlias = "tuple[int, int]"
# Makes the value of a field for other names and places.
_Make: TypeAlias = "Callable[[Words, Sequence[Token]], Any]"

_copied = msgspec.Struct.__copy__  # type: ignore[attr-defined] # the stubs leave it out
_NODE_TEXTS = ("label", "qualified_name", "expression", "join_condition", "description")
_EDGE_TEXTS = ("expression", "join_condition")


class Places:
    """Where the tokens of a statement stand."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._starts = {token.start: number for number, token in enumerate(tokens)}
        self._ends = {token.end + 1: number for number, token in enumerate(tokens)}

    def of(self, span: Span) -> _Place:
        """The place of a span, which is one of whole tokens."""
        first, last = self._starts.get(span.start), self._ends.get(span.end)
        if first is None or last is None:
            raise Untellable
        return first, last


def span_at(tokens: Sequence[Token], place: _Place) -> Span:
    """The span of a place in another statement."""
    return Span(tokens[place[0]].start, tokens[place[1]].end + 1)


class _Relation(NamedTuple):
    """How the id of a relation is made, and the keys of its columns, whose nodes stand behind its own."""

    kind: str
    parts: Parts
    rest: str
    keys: list[str]
    # The keys with names in them by their numbers.
    gapped: dict[int, str]


class _Drawn(NamedTuple):
    """An edge by the numbers of its nodes, and what its id begins with."""

    edge: Edge
    beginning: str
    source: int
    target: int


class Drawing:
    """The graph of one statement, to be drawn for others."""

    def __init__(self, analysed: Analysed, gaps: Gaps, places: Places) -> None:
        lineage = analysed.lineage
        if analysed.owners:
            raise Untellable
        self._nodes = lineage.nodes
        self._relations = _relations(analysed, gaps)
        # What of the nodes depends on names and places: texts, their own spans, and the rest.
        self._texts: list[tuple[int, str, str]] = []
        self._spans: list[tuple[int, int, int]] = []
        self._others: list[tuple[int, str, _Make]] = []
        for number, node in enumerate(lineage.nodes):
            self._read(number, node, gaps, places)
        self._numbers = {node.id: number for number, node in enumerate(lineage.nodes)}
        self._edges = [self._drawn(edge, gaps) for edge in lineage.edges]
        self._edge_texts = [
            change
            for number, edge in enumerate(lineage.edges)
            for change in _texts(number, edge, _EDGE_TEXTS, gaps)
        ]

    def number(self, identifier: str) -> int:
        """The number of the node of that id."""
        return self._numbers[identifier]

    # -- drawing it --------------------------------------------------------------------------

    def ids(self, index: int, words: Words) -> list[str]:
        """The ids of all nodes, in their order."""
        made: list[str] = []
        for kind, parts, rest, keys, gapped in self._relations:
            if kind == "table":
                own = _stored_id(named(parts, words), rest)
            elif kind == "cte":
                own = node_id("cte", str(index), rest, *named(parts, words))
            else:
                own = node_id("output", str(index))
            made.append(own)
            if not keys:
                continue
            ids = column_ids(own)
            made += [ids[key] for key in keys]
            for number, key in gapped.items():
                made[number - len(keys)] = ids[key.format(*words)]
        return made

    def nodes(self, ids: list[str], words: Words, tokens: Sequence[Token]) -> list[Node]:
        """The nodes of another statement."""
        nodes = list(map(_copied, self._nodes))
        for node, identifier in zip(nodes, ids, strict=True):
            node.id = identifier
        for number, field, text in self._texts:
            setattr(nodes[number], field, text.format(*words))
        for number, first, last in self._spans:
            nodes[number].span = Span(tokens[first].start, tokens[last].end + 1)
        for number, field, make in self._others:
            setattr(nodes[number], field, make(words, tokens))
        return nodes

    def edges(self, ids: list[str], words: Words) -> list[Edge]:
        """The edges between them."""
        endings = [identifier[-16:] for identifier in ids]
        edges: list[Edge] = []
        for held, beginning, source, target in self._edges:
            edge = _copied(held)
            edge.source, edge.target = ids[source], ids[target]
            edge.id = f"{beginning}{endings[source]}_{endings[target]}"
            edges.append(edge)
        for number, field, text in self._edge_texts:
            setattr(edges[number], field, text.format(*words))
        return edges

    # -- reading it --------------------------------------------------------------------------

    def _read(self, number: int, node: Node, gaps: Gaps, places: Places) -> None:
        self._texts += _texts(number, node, _NODE_TEXTS, gaps)
        metadata = _gapped(node.metadata, gaps)
        if metadata is not None:
            self._others.append((number, "metadata", metadata))
        if node.span is not None:
            self._spans.append((number, *places.of(node.span)))
        if node.body_span is not None:
            self._others.append((number, "body_span", _one_span(places.of(node.body_span))))
        if node.name_spans:
            spans = list(map(places.of, node.name_spans))
            self._others.append((number, "name_spans", _all_spans(spans)))
        if node.filters:
            self._others += _filters(number, node.filters, gaps)

    def _drawn(self, edge: Edge, gaps: Gaps) -> _Drawn:
        gaps.constant(edge.metadata)
        # The ids of its ends are the end of its own.
        beginning = edge.id[: -len(f"{edge.source[-16:]}_{edge.target[-16:]}")]
        return _Drawn(edge, beginning, self.number(edge.source), self.number(edge.target))


def _stored_id(name: Name, rest: str) -> str:
    return node_id("table", *name, rest) if rest else table_id(name)


def _relations(analysed: Analysed, gaps: Gaps) -> list[_Relation]:
    """How all ids are made."""
    found: list[_Relation] = []
    # How many local relations have a name.
    namesakes: Counter[str] = Counter()
    title = owner = ""
    for node in analysed.lineage.nodes:
        called = node.qualified_name
        if node.node_type != "column":
            owner, title = node.id, f"{called}." if called is not None else ""
            name, instance = analysed.names.get(owner), node.metadata.get("instance", 1)
            if name is not None:
                rest = f"#{instance}" if instance > 1 else ""
                found.append(_Relation("table", gaps.parts(name), rest, [], {}))
            elif called is None:
                found.append(_Relation("output", [], "", [], {}))
            else:
                namesakes[called] += 1
                path = str(namesakes[called]) if namesakes[called] > 1 else ""
                found.append(_Relation("cte", [called], path, [], {}))
            continue
        key = (called or node.label).removeprefix(title)
        if column_ids(owner)[key] != node.id:
            # Told from others of that name by a number.
            raise Untellable
        keys, gapped = found[-1].keys, gaps.template(key)
        if gapped is not None:
            if gaps.are_named(key):
                # What qualifies no table may be a column.
                raise Untellable
            found[-1].gapped[len(keys)] = gapped
        keys.append(key)
    return found


def _texts(
    number: int, record: Node | Edge, fields: Iterable[str], gaps: Gaps
) -> list[tuple[int, str, str]]:
    made = ((field, gaps.template(getattr(record, field))) for field in fields)
    return [(number, field, text) for field, text in made if text is not None]


def _gapped(value: Any, gaps: Gaps) -> _Make | None:
    """What makes a value of metadata anew for other names; None if it holds no name."""
    if isinstance(value, str):
        text = gaps.template(value)
        return None if text is None else lambda words, _: text.format(*words)
    if not isinstance(value, dict | list):
        return None
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    gapped = [(key, make) for key, item in pairs if (make := _gapped(item, gaps)) is not None]
    if not gapped:
        return None

    def filled(words: Words, tokens: Sequence[Token]) -> Any:
        made = value.copy()
        for key, make in gapped:
            made[key] = make(words, tokens)
        return made

    return filled


def _one_span(place: _Place) -> _Make:
    return lambda _, tokens: span_at(tokens, place)


def _all_spans(places: list[_Place]) -> _Make:
    return lambda _, tokens: [span_at(tokens, place) for place in places]


def _filters(number: int, filters: Sequence[Filter], gaps: Gaps) -> list[tuple[int, str, _Make]]:
    """Nothing if all of them are the same for other names."""
    gapped = [gaps.template(held.expression) for held in filters]
    if not any(gapped):
        return []
    texts = [
        (text or escaped(held.expression), held.clause_type)
        for text, held in zip(gapped, filters, strict=True)
    ]

    def make(words: Words, _: Sequence[Token]) -> list[Filter]:
        return [Filter(text.format(*words), clause) for text, clause in texts]

    return [(number, "filters", make)]
