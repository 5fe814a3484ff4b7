"""Statements that say of other tables what an earlier one said are answered from that answer.

Where the parser needs no second look (`shapes`), the binder mostly needs none either: what it makes of a
statement follows from its text and from what the registry knows of each name it asks for. So a
statement that is another one with other names of tables, about which as much is known, is answered by
the other one's tale (`tellings`, `tales`), and what that did to the registry is done for its own names.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlglot import exp

from lakeport.lineage.shapes import picking
from lakeport.lineage.statement import Analysed, analyse_statement
from lakeport.lineage.tales import Untellable
from lakeport.lineage.tellings import Tables, Telling
from lakeport.lineage.wire import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakeport.lineage.session import Session
    from lakeport.lineage.shapes import Loan, Shape
    from lakeport.lineage.workload import Statement

_logger = logging.getLogger(__name__)

# An answer is prepared for being told again if so many statements may need it: that takes as long as two.
_ENOUGH = 4
# What is known of a name differs: as many answers are kept for statements that are alike.
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
        session, loan = self._session, statement.parsed.loan
        if loan is None or len(loan.shape.all_texts) < _ENOUGH or not self._is_plain(statement):
            return analyse_statement(session, statement)
        if loan.shape not in self._families:
            self._families[loan.shape] = _families(loan.shape)
        families = self._families[loan.shape]
        family = families.of(loan) if families is not None else None
        if families is None or family is None:
            return analyse_statement(session, statement)
        family.left -= 1
        told = self._told(statement, loan, family)
        if told is not None:
            return told
        if len(family.tellings) == _MANY or family.left < _ENOUGH - 1:
            return analyse_statement(session, statement)
        return self._kept(statement, loan, families, family)

    def _told(self, statement: Statement, loan: Loan, family: _Family) -> Analysed | None:
        try:
            for telling in family.tellings:
                told = telling.told(self._session, statement, loan)
                if told is not None:
                    self.told += 1
                    return told
        except Exception:
            # A bug of ours must not cost the answer: there is the long way.
            _logger.exception("lineage.bug", extra={"statement": statement.index})
            family.tellings.clear()
        return None

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

    def _kept(
        self, statement: Statement, loan: Loan, families: _Families, family: _Family
    ) -> Analysed:
        """The answer, which is kept for being told again if it can be."""
        session, registry = self._session, self._session.registry
        reported, parsed = len(session.issues), statement.parsed
        registry.keeps_before = True
        analysed = analyse_statement(session, statement)
        registry.keeps_before = False
        if statement.parsed is parsed and self._is_plain(statement):
            try:
                telling = Telling(session, statement, loan, families.tables, analysed, reported)
                family.tellings.append(telling)
            except Untellable:
                # Another statement of this family would not be told either.
                family.left = 0
            except Exception:
                _logger.exception("lineage.bug", extra={"statement": statement.index})
                family.left = 0
        return analysed


class _Family(msgspec.Struct):
    """Statements that may differ in names of tables alone: their answers, and how many are to come."""

    left: int
    tellings: list[Telling] = []


class _Families(NamedTuple):
    """The statements of a shape that has tables, by their other free texts."""

    tables: Tables
    others: Callable[[Sequence[str]], tuple[str, ...]]
    found: dict[tuple[str, ...], _Family]

    def of(self, loan: Loan) -> _Family | None:
        """The family of a statement, if that is large enough."""
        return self.found.get(self.others(loan.texts))


def _families(shape: Shape) -> _Families | None:
    tables = _table_places(shape)
    if not tables.names:
        return None
    free = range(len(shape.all_texts[0]))
    others = picking([p for p in free if p not in tables.names and p not in tables.qualifiers])
    sizes = Counter(map(others, shape.all_texts))
    found = {texts: _Family(size) for texts, size in sizes.items() if size >= _ENOUGH}
    return _Families(tables, others, found)


def _table_places(shape: Shape) -> Tables:
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
    return Tables(names, frozenset(qualifiers))
