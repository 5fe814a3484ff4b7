"""An answer that can be given again for other tables: what of it is a name, a place or an id.

A statement that differs from an earlier one in the names of stored tables alone has the same answer,
with those names, their places and the ids made of them. A tale is such an answer with gaps for them. It
is only made where every name is told from every other word, and is tried on its own statement first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from lakeport.lineage.graph import column_ids, node_id, table_id
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.open_ends import Opened
from lakeport.lineage.result import Filter, StatementLineage
from lakeport.lineage.statement import Analysed
from lakeport.lineage.wire import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.issues import Issue
    from lakeport.lineage.names import Name
    from lakeport.lineage.result import Edge, LocalRelation, Node

# Names as they are written, each followed by what it is folded to.
Words: TypeAlias = "list[str]"
_Place: TypeAlias = "tuple[int, int]"

_copied = msgspec.Struct.__copy__  # type: ignore[attr-defined] # the stubs leave it out
# These tell of other statements by their numbers, or of all names there are.
_ABOUT_OTHERS = frozenset(
    {
        IssueCode.FORWARD_REFERENCE,
        IssueCode.DROPPED_TABLE_REFERENCE,
        IssueCode.SCHEMA_CONFLICT,
        IssueCode.DUPLICATE_DEFINITION,
    }
)
_NODE_TEXTS = ("label", "qualified_name", "expression", "join_condition", "description")
_EDGE_TEXTS = ("expression", "join_condition")


class Untellable(Exception):  # noqa: N818 - a decision, not an error
    """Something of the answer is not known to follow from the names."""


class Gaps:
    """The names of a statement that may be others, and texts with gaps for them."""

    def __init__(self, names: Sequence[str], folded: Sequence[str]) -> None:
        self._folded = {key: 2 * number + 1 for number, key in enumerate(folded)}
        self._written = {**self._folded, **{name: 2 * n for n, name in enumerate(names)}}
        self._gaps: dict[str, str] = {}
        for number, (name, key) in enumerate(zip(names, folded, strict=True)):
            self._gaps[name] = f"{{{2 * number}}}"
            if key != name:
                self._gaps[key] = f"{{{2 * number + 1}}}"
        # The longest first, although a name ends where its word does.
        words = "|".join(map(re.escape, sorted(self._gaps, key=len, reverse=True)))
        self._pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
        self._any = re.compile(self._pattern.pattern, re.IGNORECASE)

    def named_in(self, text: str) -> bool:
        """Whether a text holds one of the names, in whatever case."""
        return self._any.search(text) is not None

    def template(self, text: str | None) -> str | None:
        """A text with gaps to be filled with words; None if there are none in it."""
        if text is None or not self.named_in(text):
            return None
        filled, gaps = self._pattern.subn(lambda found: self._gaps[found[0]], _escaped(text))
        if gaps < len(self._any.findall(text)):
            # In another case it may be another name.
            raise Untellable
        return filled

    def parts(self, name: Name) -> list[int | str]:
        """A name with the numbers of words in place of the parts that are folded names."""
        return [self._numbered(self._folded, part) for part in name]

    def spelt(self, name: Name) -> list[int | str]:
        """The same of a name of which some parts are as they are written."""
        return [self._numbered(self._written, part) for part in name]

    def _numbered(self, numbers: dict[str, int], part: str) -> int | str:
        number = numbers.get(part)
        if number is None and self.named_in(part):
            # In another case it may be another name.
            raise Untellable
        return part if number is None else number


def _escaped(text: str) -> str:
    """A text as one with gaps that has none."""
    return text.replace("{", "{{").replace("}", "}}")


def named(parts: list[int | str], words: Words) -> Name:
    """The name with the words in it."""
    return tuple([words[part] if part.__class__ is int else part for part in parts])  # type: ignore[misc] # numbers are of words


class _Relation(NamedTuple):
    """How the id of a relation is made, and the keys of its columns, whose nodes stand behind its own."""

    kind: str
    parts: list[int | str]
    rest: str
    keys: list[str]


class _Drawn(NamedTuple):
    """An edge by the numbers of its nodes, and what its id begins with."""

    edge: Edge
    beginning: str
    source: int
    target: int


class Teller:
    """What is needed to read an answer: its statement's gaps and where its tokens stand."""

    def __init__(self, gaps: Gaps, tokens: Sequence[Token], index: int) -> None:
        self.gaps = gaps
        self.index = index
        self._starts = {token.start: number for number, token in enumerate(tokens)}
        self._ends = {token.end + 1: number for number, token in enumerate(tokens)}

    def place(self, span: Span) -> _Place:
        """The numbers of the first and the last token of a span."""
        first, last = self._starts.get(span.start), self._ends.get(span.end)
        if first is None or last is None:
            raise Untellable
        return first, last

    def constant(self, value: Any) -> None:
        """What is the same for all names, because it holds none."""
        if value and self.gaps.named_in(msgspec.json.encode(value).decode()):
            raise Untellable


def _span(tokens: Sequence[Token], place: _Place) -> Span:
    return Span(tokens[place[0]].start, tokens[place[1]].end + 1)


class Tale:
    """The answer to one statement, and what is left of its graph for others."""

    def __init__(self, analysed: Analysed, issues: list[Issue], teller: Teller) -> None:
        lineage = analysed.lineage
        if analysed.owners or lineage.metadata or lineage.resolved_sql is not None:
            raise Untellable
        self._lineage = lineage
        numbers = {node.id: number for number, node in enumerate(lineage.nodes)}
        self._relations = _relations(analysed, teller)
        self._nodes = lineage.nodes
        self._node_changes = _node_changes(lineage.nodes, teller)
        self._edges = [_drawn(edge, numbers) for edge in lineage.edges]
        self._edge_changes = _edge_changes(lineage.edges, teller)
        self._local = [_local(relation, teller) for relation in lineage.local_schema]
        self._reads = [_either(teller.gaps.template(text), text) for text in lineage.reads]
        self._writes = [_either(teller.gaps.template(text), text) for text in lineage.writes]
        self._names = [
            (_known(numbers, own), teller.gaps.parts(name)) for own, name in analysed.names.items()
        ]
        firsts = {table_id(name): teller.gaps.parts(name) for name in analysed.names.values()}
        self._linked = [
            [_known(firsts, identifier) for identifier in linked]
            for linked in (analysed.reads, analysed.writes, analysed.rewrites)
        ]
        self._renewed = [_known(numbers, own) for own in analysed.renewed]
        self._opened = [
            (
                _known(numbers, opened.relation),
                opened.certain,
                [(_known(numbers, origin), without) for origin, without in opened.origins],
            )
            for opened in analysed.opened
        ]
        self._issues = [_issue(issue, teller) for issue in issues]

    # -- telling -----------------------------------------------------------------------------

    def told(
        self, index: int, words: Words, tokens: Sequence[Token]
    ) -> tuple[Analysed, list[Issue]]:
        """The answer and the issues of the statement of that number, about the tables of these words."""
        ids = self._ids(index, words)
        held = self._lineage
        lineage = StatementLineage(
            statement_index=index,
            statement_type=held.statement_type,
            nodes=self._told_nodes(ids, words, tokens),
            edges=self._told_edges(ids, words),
            span=Span(tokens[0].start, tokens[-1].end + 1),
            join_count=held.join_count,
            complexity_score=held.complexity_score,
            source_name=held.source_name,
            local_schema=[make(words, tokens) for make in self._local],
            reads=[text.format(*words) for text in self._reads],
            writes=[text.format(*words) for text in self._writes],
        )
        reads, writes, rewrites = (
            [table_id(named(parts, words)) for parts in linked] for linked in self._linked
        )
        analysed = Analysed(
            lineage,
            {ids[number]: named(parts, words) for number, parts in self._names},
            {},
            reads,
            writes,
            rewrites,
            [ids[number] for number in self._renewed],
            [
                Opened(ids[number], certain, tuple([(ids[n], keys) for n, keys in origins]))
                for number, certain, origins in self._opened
            ],
        )
        return analysed, [make(index, words, tokens) for make in self._issues]

    def _ids(self, index: int, words: Words) -> list[str]:
        """The ids of all nodes, in their order."""
        made: list[str] = []
        for kind, parts, rest, keys in self._relations:
            if kind == "table":
                name = named(parts, words)
                own = node_id("table", *name, rest) if rest else table_id(name)
            elif kind == "cte":
                own = node_id("cte", str(index), rest, *named(parts, words))
            else:
                own = node_id("output", str(index))
            made.append(own)
            if keys:
                ids = column_ids(own)
                made += [ids[key] for key in keys]
        return made

    def _told_nodes(self, ids: list[str], words: Words, tokens: Sequence[Token]) -> list[Node]:
        nodes = list(map(_copied, self._nodes))
        for node, identifier in zip(nodes, ids, strict=True):
            node.id = identifier
        texts, places, others = self._node_changes
        for number, field, text in texts:
            setattr(nodes[number], field, text.format(*words))
        for number, first, last in places:
            nodes[number].span = Span(tokens[first].start, tokens[last].end + 1)
        for number, field, make in others:
            setattr(nodes[number], field, make(words, tokens))
        return nodes

    def _told_edges(self, ids: list[str], words: Words) -> list[Edge]:
        endings = [identifier[-16:] for identifier in ids]
        edges: list[Edge] = []
        for held, beginning, source, target in self._edges:
            edge = _copied(held)
            edge.source, edge.target = ids[source], ids[target]
            edge.id = f"{beginning}{endings[source]}_{endings[target]}"
            edges.append(edge)
        for number, field, text in self._edge_changes:
            setattr(edges[number], field, text.format(*words))
        return edges


def _either(template: str | None, text: str) -> str:
    return template if template is not None else _escaped(text)


def _known(found: dict[str, Any], identifier: str) -> Any:
    if identifier not in found:
        raise Untellable
    return found[identifier]


# -- reading an answer -------------------------------------------------------------------------


def _drawn(edge: Edge, numbers: dict[str, int]) -> _Drawn:
    ends = f"{edge.source[-16:]}_{edge.target[-16:]}"
    if not edge.id.endswith(ends):
        raise Untellable
    beginning = edge.id[: -len(ends)]
    return _Drawn(edge, beginning, _known(numbers, edge.source), _known(numbers, edge.target))


def _relations(analysed: Analysed, teller: Teller) -> list[_Relation]:
    """How all ids are made; those that are made in some other way cannot be told."""
    found: list[_Relation] = []
    title = owner = ""
    for node in analysed.lineage.nodes:
        if node.node_type == "column":
            key = (node.qualified_name or node.label).removeprefix(title)
            if not found or column_ids(owner)[key] != node.id:
                raise Untellable
            found[-1].keys.append(key)
            continue
        owner = node.id
        title = f"{node.qualified_name}." if node.qualified_name is not None else ""
        found.append(_relation(node, analysed.names.get(owner), teller))
    return found


def _relation(node: Node, name: Name | None, teller: Teller) -> _Relation:
    if name is not None:
        instance = node.metadata.get("instance", 1)
        rest = f"#{instance}" if instance > 1 else ""
        made = node_id("table", *name, rest) if rest else table_id(name)
        relation = _Relation("table", teller.gaps.parts(name), rest, [])
    elif node.node_type == "output":
        made = node_id("output", str(teller.index))
        relation = _Relation("output", [], "", [])
    else:
        local = node.qualified_name or ""
        paths = ("", *map(str, range(2, 12)))
        path = next(
            (p for p in paths if node_id("cte", str(teller.index), p, local) == node.id), None
        )
        if path is None:
            raise Untellable
        return _Relation("cte", teller.gaps.parts((local,)), path, [])
    if made != node.id:
        raise Untellable
    return relation


_Make: TypeAlias = "Callable[[Words, Sequence[Token]], Any]"
_NodeChanges: TypeAlias = (
    "tuple[list[tuple[int, str, str]], list[tuple[int, int, int]], list[tuple[int, str, _Make]]]"
)


def _node_changes(nodes: list[Node], teller: Teller) -> _NodeChanges:
    """What of the nodes depends on names and places: texts, their own spans, and the rest."""
    texts: list[tuple[int, str, str]] = []
    places: list[tuple[int, int, int]] = []
    others: list[tuple[int, str, _Make]] = []
    for number, node in enumerate(nodes):
        texts += _texts(number, node, _NODE_TEXTS, teller)
        metadata = _gapped(node.metadata, teller)
        if metadata is not None:
            others.append((number, "metadata", _by_words(metadata)))
        if node.span is not None:
            places.append((number, *teller.place(node.span)))
        if node.body_span is not None:
            others.append((number, "body_span", _one_span(teller.place(node.body_span))))
        if node.name_spans:
            others.append((number, "name_spans", _spans(list(map(teller.place, node.name_spans)))))
        if any(teller.gaps.named_in(held.expression) for held in node.filters):
            others.append((number, "filters", _filters(node.filters, teller)))
    return texts, places, others


def _edge_changes(edges: list[Edge], teller: Teller) -> list[tuple[int, str, str]]:
    for edge in edges:
        teller.constant(edge.metadata)
    return [
        change
        for number, edge in enumerate(edges)
        for change in _texts(number, edge, _EDGE_TEXTS, teller)
    ]


def _texts(
    number: int, record: Node | Edge, fields: Iterable[str], teller: Teller
) -> list[tuple[int, str, str]]:
    made = ((field, teller.gaps.template(getattr(record, field))) for field in fields)
    return [(number, field, text) for field, text in made if text is not None]


def _gapped(value: Any, teller: Teller) -> Callable[[Words], Any] | None:
    """What makes a value of metadata anew for other names; None if it holds no name."""
    if isinstance(value, str):
        text = teller.gaps.template(value)
        return None if text is None else lambda words: text.format(*words)
    if not isinstance(value, dict | list):
        return None
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    gapped = [(key, make) for key, item in pairs if (make := _gapped(item, teller)) is not None]
    if not gapped:
        return None

    def filled(words: Words) -> Any:
        made = value.copy()
        for key, make in gapped:
            made[key] = make(words)
        return made

    return filled


def _by_words(make: Callable[[Words], Any]) -> _Make:
    return lambda words, _: make(words)


def _one_span(place: _Place) -> _Make:
    return lambda _, tokens: _span(tokens, place)


def _spans(places: list[_Place]) -> _Make:
    return lambda _, tokens: [_span(tokens, place) for place in places]


def _filters(filters: Sequence[Filter], teller: Teller) -> _Make:
    held = [
        (_either(teller.gaps.template(item.expression), item.expression), item.clause_type)
        for item in filters
    ]
    return lambda words, _: [Filter(text.format(*words), clause) for text, clause in held]


def _local(relation: LocalRelation, teller: Teller) -> _Make:
    span = relation.span
    teller.constant(replace(relation, span=None))
    if span is None:
        return lambda _, __: relation
    place = teller.place(span)
    return lambda _, tokens: replace(relation, span=_span(tokens, place))


def _issue(issue: Issue, teller: Teller) -> Callable[[int, Words, Sequence[Token]], Issue]:
    """Names are in what an issue says of its relation, never in its hint."""
    if issue.code in _ABOUT_OTHERS or issue.statement_index != teller.index:
        raise Untellable
    teller.constant([issue.hint, issue.suggestions, issue.column])
    message, relation = teller.gaps.template(issue.message), teller.gaps.template(issue.relation)
    place = teller.place(issue.span) if issue.span is not None else None

    def make(index: int, words: Words, tokens: Sequence[Token]) -> Issue:
        return replace(
            issue,
            statement_index=index,
            message=issue.message if message is None else message.format(*words),
            relation=issue.relation if relation is None else relation.format(*words),
            span=None if place is None else _span(tokens, place),
        )

    return make
