"""Statement after statement of a session: which is bound, and which is told what another was."""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlglot import exp

from lakeport.lineage.retold.gaps import Untellable
from lakeport.lineage.retold.slots import TablePlaces
from lakeport.lineage.retold.telling import Answer, Telling
from lakeport.lineage.shapes import picking
from lakeport.lineage.statement import Analysed, analyse_statement
from lakeport.lineage.wire import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lakeport.lineage.retold.gaps import Words
    from lakeport.lineage.session import Session
    from lakeport.lineage.shapes import Loan, Shape
    from lakeport.lineage.workload import Statement

_logger = logging.getLogger(__name__)

# Two statements are bound before a third is told, and preparing that takes as long as another two.
_ENOUGH = 5
# What is known of a name differs: as many answers are tried for statements that are alike.
_MANY = 4


class Retelling:
    """Analyses the statements of one session in their order."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._families: dict[Shape, _Families | None] = {}
        # How many statements were not bound.
        self.told = 0

    def analyse(self, statement: Statement) -> Analysed:
        """The answer of `analyse_statement`, told again where that was given before."""
        loan = statement.parsed.loan
        if loan is None or len(loan.shape.all_texts) < _ENOUGH or not self._is_plain(statement):
            return analyse_statement(self._session, statement)
        if loan.shape not in self._families:
            self._families[loan.shape] = _families(loan.shape)
        families = self._families[loan.shape]
        family = families.of(loan) if families is not None else None
        if families is None or family is None:
            return analyse_statement(self._session, statement)
        family.left -= 1
        analysed = self._of_family(statement, loan, families.places, family)
        if not family.left:
            family.tellings.clear()
        return analysed

    def _of_family(
        self, statement: Statement, loan: Loan, places: TablePlaces, family: _Family
    ) -> Analysed:
        """Told, or bound to prove or to become what the next ones are told."""
        session, told = self._session, None
        telling: Telling | None = None
        words: Words = []
        with _careful(family, statement):
            telling, words = family.like(session, statement, loan)
            if telling is not None and telling.slots.are_proved(words):
                told = telling.told(session, statement, loan, words)
        if told is not None:
            self.told += 1
            return told
        if telling is None and not family.wants_more:
            return analyse_statement(session, statement)
        parsed, answer = statement.parsed, self._answer(statement)
        with _careful(family, statement):
            if statement.parsed is not parsed or not self._is_plain(statement):
                return answer.analysed
            if telling is not None:
                if telling.foretells(answer, words, loan):
                    telling.slots.prove(words)
                else:
                    family.give_up()
            elif not answer.is_about_others:
                family.tries -= 1
                family.tellings.append(Telling(session, statement, loan, places, answer))
        return answer.analysed

    def _is_plain(self, statement: Statement) -> bool:
        """Whether nothing but its text and the registry says what it means."""
        session = self._session
        return not (
            statement.builds
            or statement.incremental is not None
            or statement.resolved_sql is not None
            or statement.chunk.blocks
            or session.variables
            or session.registry.has_routines
            or statement.source.span is not Span
        )

    def _answer(self, statement: Statement) -> Answer:
        session, registry = self._session, self._session.registry
        issues, reports = len(session.issues), session.reports
        registry.keeps_before = True
        analysed = analyse_statement(session, statement)
        registry.keeps_before = False
        return Answer(
            analysed,
            session.issues[issues:],
            session.codes_after(reports),
            registry.log,
            registry.names_asked is not None,
        )


@contextmanager
def _careful(family: _Family, statement: Statement) -> Iterator[None]:
    """What goes wrong here costs no answer, for there is the long way."""
    try:
        yield
    except Untellable:
        pass
    except Exception:
        # A bug of ours.
        _logger.exception("lineage.bug", extra={"statement": statement.index})
        family.give_up()


class _Family(msgspec.Struct):
    """Statements that may differ in names of tables alone: how many are to come, and their answers."""

    left: int
    tellings: list[Telling] = []
    # How many answers may still be tried.
    tries: int = _MANY

    @property
    def wants_more(self) -> bool:
        """Whether another answer would be of use."""
        return bool(self.tries) and self.left >= _ENOUGH - 1

    def like(
        self, session: Session, statement: Statement, loan: Loan
    ) -> tuple[Telling | None, Words]:
        """The answer that a statement would be told, and its words."""
        for telling in self.tellings:
            words = telling.words(session, statement, loan)
            if words is not None:
                return telling, words
        return None, []

    def give_up(self) -> None:
        """No more is told: what went wrong with one would with the others."""
        self.tellings.clear()
        self.tries = 0


class _Families(NamedTuple):
    """The statements of a shape that has tables, by their other free texts."""

    places: TablePlaces
    others: Callable[[Sequence[str]], tuple[str, ...]]
    found: dict[tuple[str, ...], _Family]

    def of(self, loan: Loan) -> _Family | None:
        """The family of a statement, if that is large enough."""
        return self.found.get(self.others(loan.texts))


def _families(shape: Shape) -> _Families | None:
    places = _table_places(shape)
    if not places.names:
        return None
    free = range(len(shape.all_texts[0]))
    others = picking([p for p in free if p not in places.names and p not in places.qualifiers])
    sizes = Counter(map(others, shape.all_texts))
    found = {texts: _Family(size) for texts, size in sizes.items() if size >= _ENOUGH}
    return _Families(places, others, found)


def _table_places(shape: Shape) -> TablePlaces:
    names: dict[int, bool] = {}
    qualifiers: set[int] = set()
    for place, (_, node) in enumerate(shape.free()):
        if not isinstance(node, exp.Identifier):
            continue
        parent, facts = node.parent, node.args
        if parent.__class__ is exp.Table and node.arg_key in {"this", "db", "catalog"}:
            if not (facts.get("temporary") or facts.get("global_")):
                names[place] = bool(facts.get("quoted"))
        elif parent.__class__ is exp.Column and node.arg_key != "this":
            qualifiers.add(place)
    return TablePlaces(names, frozenset(qualifiers))
