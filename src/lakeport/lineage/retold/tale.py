"""An answer that can be given again for other tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from lakeport.lineage.graph import table_id
from lakeport.lineage.open_ends import Opened
from lakeport.lineage.result import StatementLineage
from lakeport.lineage.retold.drawing import Drawing, Places, span_at
from lakeport.lineage.retold.gaps import escaped, named
from lakeport.lineage.statement import Analysed
from lakeport.lineage.wire import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.issues import Issue
    from lakeport.lineage.result import LocalRelation
    from lakeport.lineage.retold.gaps import Gaps, Words


class Tale:
    """All that binding a statement gives, with gaps for names, places and ids."""

    def __init__(
        self,
        analysed: Analysed,
        issues: list[Issue],
        gaps: Gaps,
        tokens: Sequence[Token],
    ) -> None:
        lineage = analysed.lineage
        self._lineage = lineage
        places = Places(tokens)
        self._drawing = drawing = Drawing(analysed, gaps, places)
        self._local = [_local(relation, gaps, places) for relation in lineage.local_schema]
        self._reads, self._writes = (
            [gaps.template(text) or escaped(text) for text in texts]
            for texts in (lineage.reads, lineage.writes)
        )
        self._names = [
            (drawing.number(own), gaps.parts(name)) for own, name in analysed.names.items()
        ]
        firsts = {table_id(name): gaps.parts(name) for name in analysed.names.values()}
        self._linked = [
            [firsts[identifier] for identifier in linked]
            for linked in (analysed.reads, analysed.writes, analysed.rewrites)
        ]
        self._renewed = [drawing.number(own) for own in analysed.renewed]
        self._opened = [
            (
                drawing.number(opened.relation),
                opened.certain,
                [(drawing.number(origin), without) for origin, without in opened.origins],
            )
            for opened in analysed.opened
        ]
        self._issues = [_issue(issue, gaps, places) for issue in issues]
        # The line in a template is a statement's own.
        explained = lineage.metadata.get("explainOnly")
        self._metadata = {"explainOnly": explained} if explained else {}

    def told(
        self, index: int, words: Words, tokens: Sequence[Token]
    ) -> tuple[Analysed, list[Issue]]:
        """The answer and the issues of the statement of that number, about the tables of these words."""
        ids = self._drawing.ids(index, words)
        held = self._lineage
        lineage = StatementLineage(
            statement_index=index,
            statement_type=held.statement_type,
            nodes=self._drawing.nodes(ids, words, tokens),
            edges=self._drawing.edges(ids, words),
            span=Span(tokens[0].start, tokens[-1].end + 1),
            join_count=held.join_count,
            complexity_score=held.complexity_score,
            source_name=held.source_name,
            local_schema=[make(tokens) for make in self._local],
            reads=[text.format(*words) for text in self._reads],
            writes=[text.format(*words) for text in self._writes],
            metadata=self._metadata,
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


def _local(
    relation: LocalRelation, gaps: Gaps, places: Places
) -> Callable[[Sequence[Token]], LocalRelation]:
    gaps.constant(replace(relation, span=None))
    if relation.span is None:
        return lambda _: relation
    place = places.of(relation.span)
    return lambda tokens: replace(relation, span=span_at(tokens, place))


def _issue(
    issue: Issue, gaps: Gaps, places: Places
) -> Callable[[int, Words, Sequence[Token]], Issue]:
    """Names are in what an issue says of its relation, never in its hint."""
    gaps.constant([issue.hint, issue.suggestions, issue.column])
    texts = {
        field: text
        for field in ("message", "relation")
        if (text := gaps.template(getattr(issue, field))) is not None
    }
    place = places.of(issue.span) if issue.span is not None else None

    def make(index: int, words: Words, tokens: Sequence[Token]) -> Issue:
        changed: dict[str, Any] = {field: text.format(*words) for field, text in texts.items()}
        span = None if place is None else span_at(tokens, place)
        return replace(issue, statement_index=index, span=span, **changed)

    return make
