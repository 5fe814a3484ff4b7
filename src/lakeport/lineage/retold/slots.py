"""The places of a statement where a table's name may be another one, and what may stand there.

A name may be another if it is nothing but a table's name there: no other word of the statement, of the
columns it asks for or of the session is the same, and no rule of an engine knows it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lakeport.lineage.bind.system_tables import is_system_table
from lakeport.lineage.bind.table_parts import is_part_of_table
from lakeport.lineage.names import unsharded
from lakeport.lineage.retold.gaps import Untellable, escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakeport.lineage.retold.gaps import Words
    from lakeport.lineage.session import Session
    from lakeport.lineage.shapes import Loan
    from lakeport.lineage.workload import Statement

_WORD = re.compile(r"\w+")
# Namespaces that engines bring, as far as their names could be anybody's.
_ENGINES = frozenset({"global_temp", "spark_catalog", "hive_metastore"})
_LOWER, _UPPER, _MIXED = range(3)


class TablePlaces(NamedTuple):
    """Places among the free texts of a shape: parts of names of tables, and what may qualify columns."""

    # With their quotes.
    names: dict[int, bool]
    qualifiers: frozenset[int]


class _Slot(NamedTuple):
    text: str
    quoted: bool
    case: int
    # The numbers of its tokens, and the first of its places among the free texts.
    tokens: list[int]
    place: int


class Slots:
    """What other statements may say differently."""

    def __init__(
        self,
        session: Session,
        statement: Statement,
        loan: Loan,
        places: TablePlaces,
        known: Iterable[str],
    ) -> None:
        """`known` are texts of what the statement asks for: a name must not be in one of them."""
        self._dialect = session.dialect.name
        self._fold = session.folding.table
        found = self._candidates(loan, places)
        # All of the statement but the names: strings and comments, too.
        others = [*_cut(statement, loan, found)[0], *known]
        self._others = set(_WORD.findall("\n".join(others).casefold()))
        self._slots = [slot for slot in found if slot.text.lower() not in self._others]
        if not self._slots:
            raise Untellable
        self._others.update(slot.text.lower() for slot in found if slot not in self._slots)
        self._template = _template(statement, loan, self._slots)
        # Its own names.
        self.words = self._words(loan)
        # The slots whose gaps were seen to be right with another name; None before anything was.
        self._proved: set[int] | None = None

    def filled(self, loan: Loan, text: str) -> Words | None:
        """The words of another statement; None if it says something else or may mean something else."""
        words = self._words(loan)
        if self._template.format(*words) != text:
            return None
        names = words[::2]
        lowered = {name.lower() for name in names}
        if len(lowered) < len(names) or not self._others.isdisjoint(lowered):
            return None
        for name, slot in zip(names, self._slots, strict=True):
            if _case(name, self._dialect) != slot.case:
                return None
        return words

    def are_proved(self, words: Words) -> bool:
        """Whether the answer was right for another statement, with every gap that these words fill anew."""
        return self._proved is not None and self._differing(words) <= self._proved

    def prove(self, words: Words) -> None:
        """The answer with these words was the right one."""
        self._proved = self._differing(words) | (self._proved or set())

    def _differing(self, words: Words) -> set[int]:
        own = self.words
        return {number for number in range(0, len(words), 2) if words[number] != own[number]}

    def _words(self, loan: Loan) -> Words:
        words: Words = []
        for slot in self._slots:
            name = loan.texts[slot.place]
            words += (name, self._fold(name, quoted=slot.quoted))
        return words

    def _candidates(self, loan: Loan, places: TablePlaces) -> list[_Slot]:
        """The names of tables, each with all its places, that could mean nothing else."""
        numbers = [number for number, _ in loan.shape.free()]
        found: dict[str, _Slot] = {}
        mixed: set[str] = set()
        for place, quoted in places.names.items():
            text = loan.texts[place]
            case = _case(text, self._dialect)
            if case is None:
                continue
            slot = found.setdefault(text, _Slot(text, quoted, case, [], place))
            slot.tokens.append(numbers[place])
            if slot.quoted is not quoted:
                mixed.add(text)
        for place in places.qualifiers:
            if loan.texts[place] in found:
                found[loan.texts[place]].tokens.append(numbers[place])
        lowered = [text.lower() for text in found]
        return [
            slot
            for text, slot in found.items()
            if text not in mixed and lowered.count(text.lower()) == 1
        ]


@lru_cache(maxsize=4096)
def _case(text: str, dialect: str) -> int | None:
    """How a part of a table's name is written; None if it may mean more than itself.

    Names of one case are folded alike by every rule there is, in quotes and without.
    """
    lowered = text.lower()
    if (
        not text.isascii()
        or text.startswith("_")
        or lowered in _ENGINES
        or is_part_of_table(lowered)
        or is_system_table((text,), dialect)
        or is_system_table((text, ""), dialect)
        or (dialect == "bigquery" and unsharded(text) != text)
    ):
        return None
    return _LOWER if text == lowered else _UPPER if text == text.upper() else _MIXED


def _cut(statement: Statement, loan: Loan, slots: Iterable[_Slot]) -> tuple[list[str], list[int]]:
    """The pieces of the statement's text around the names, and the numbers of the slots between them."""
    marks = sorted((number, n) for n, slot in enumerate(slots) for number in slot.tokens)
    text, begin = statement.source.content, statement.chunk.start
    pieces: list[str] = []
    for number, _ in marks:
        token = loan.tokens[number]
        # Quotes may be around it.
        start = text.index(token.text, token.start, token.end + 1)
        pieces.append(text[begin:start])
        begin = start + len(token.text)
    return [*pieces, text[begin : statement.chunk.end]], [n for _, n in marks]


def _template(statement: Statement, loan: Loan, slots: list[_Slot]) -> str:
    """The statement with gaps for the names."""
    (first, *others), between = _cut(statement, loan, slots)
    filled = (f"{{{2 * n}}}{escaped(piece)}" for n, piece in zip(between, others, strict=True))
    return escaped(first) + "".join(filled)
