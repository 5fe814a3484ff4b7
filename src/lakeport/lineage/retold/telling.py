"""An answer with all it depends on and all it did, and whether it is the answer to another statement."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lakeport.lineage.entries import TableEntry
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.retold.gaps import Gaps, Untellable, named
from lakeport.lineage.retold.slots import Slots
from lakeport.lineage.retold.tale import Tale

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakeport.lineage.entries import Standing
    from lakeport.lineage.issues import Issue
    from lakeport.lineage.names import Name
    from lakeport.lineage.retold.gaps import Parts, Words
    from lakeport.lineage.retold.slots import TablePlaces
    from lakeport.lineage.session import Session
    from lakeport.lineage.shapes import Loan
    from lakeport.lineage.statement import Analysed
    from lakeport.lineage.workload import Statement

# A change of the registry: its method, and what that is given.
_Change: TypeAlias = "tuple[str, tuple[Any, ...]]"
# What of a table is not compared as such: its names and its columns are in other ways. Which statement
# made it, as which version, and how it was drawn shows in no answer.
_OTHERWISE = frozenset(
    {
        *("name", "shown", "columns"),
        *("statement_index", "version", "_index", "shown_columns", "_drawn"),
    }
)
_facts = attrgetter(*(field for field in TableEntry.__struct_fields__ if field not in _OTHERWISE))
# These tell of other statements by their numbers, or of the names there are by how alike they are.
_ABOUT_OTHERS = frozenset(
    {
        IssueCode.DROPPED_TABLE_REFERENCE,
        IssueCode.DUPLICATE_DEFINITION,
        IssueCode.FORWARD_REFERENCE,
        IssueCode.SCHEMA_CONFLICT,
        IssueCode.UNRESOLVED_REFERENCE,
    }
)


class Answer(NamedTuple):
    """What binding a statement has given and done."""

    analysed: Analysed
    issues: list[Issue]
    # Their codes, and those of the issues that nobody wants to see.
    codes: set[object]
    log: list[_Change]
    # Whether it asked for all names there are, as those do who look for one that is like another.
    asked: bool

    @property
    def is_about_others(self) -> bool:
        """Whether it depends on more than what is known of its own names."""
        return self.asked or not _ABOUT_OTHERS.isdisjoint(self.codes)


class Telling:
    """One answer, what it depends on, and what it did."""

    def __init__(
        self,
        session: Session,
        statement: Statement,
        loan: Loan,
        places: TablePlaces,
        answer: Answer,
    ) -> None:
        registry, index = session.registry, statement.index
        self._session_state = registry.seen["",]
        standing = registry.stood()
        known = [*registry.namespaces.parts(), *_told_by(standing)]
        self.slots = Slots(session, statement, loan, places, known)
        gaps = Gaps(self.slots.words)
        self._known = [_Known(name, stood, gaps) for name, stood in standing.items()]
        self._changes = [_change(*change, gaps, index) for change in answer.log]
        self._tale = Tale(answer.analysed, answer.issues, gaps, loan.tokens)

    def words(self, session: Session, statement: Statement, loan: Loan) -> Words | None:
        """The names of another statement, if nothing else tells the two apart."""
        registry = session.registry
        if registry.revisions.get(("",), 0) != self._session_state:
            return None
        words = self.slots.filled(loan, statement.text)
        if words is None:
            return None
        registry.statement = statement.index
        for known in self._known:
            if not known.stands_alike(registry.standing(named(known.parts, words)), words):
                return None
        return words

    def told(self, session: Session, statement: Statement, loan: Loan, words: Words) -> Analysed:
        """The answer for the statement with those names, which has done what it does."""
        registry, index = session.registry, statement.index
        analysed, issues = self._tale.told(index, words, loan.tokens)
        changes = self._made(words, index)
        session.source = statement.source
        session.issues += issues
        registry.begin(index, statement.said)
        for method, given in changes:
            getattr(registry, method)(*given)
        return analysed

    def foretells(self, answer: Answer, words: Words, loan: Loan) -> bool:
        """Whether what a statement was answered is what would have been told."""
        index = answer.analysed.lineage.statement_index
        mine = self._made(words, index)
        return (
            self._tale.told(index, words, loan.tokens) == (answer.analysed, answer.issues)
            and len(mine) == len(answer.log)
            and all(map(_are_same_changes, mine, answer.log))
        )

    def _made(self, words: Words, index: int) -> list[_Change]:
        return [(method, given(words, index)) for method, given in self._changes]


# -- what is known of names ------------------------------------------------------------------------


class _Known:
    """A name that was looked up, and how it stood."""

    __slots__ = ("_shown", "_standing", "_temporary", "parts")

    def __init__(self, name: Name, stood: Standing, gaps: Gaps) -> None:
        self.parts = gaps.parts(name)
        is_free = any(part.__class__ is int for part in self.parts)
        if is_free and (stood.spelt is not None or stood.awaited > 1):
            # How an imported name is spelt, and which statement creates a table, is a matter of that name.
            raise Untellable
        self._standing = stood
        self._temporary = None if stood.temporary is None else gaps.parts(stood.temporary)
        # Its spelling in each of the entries.
        self._shown = [gaps.parts(e.shown) if e is not None else [] for e in stood.entries()]

    def stands_alike(self, now: Standing, words: Words) -> bool:
        """Whether a statement learns of its name what the other one did."""
        then, temporary = self._standing, self._temporary
        return (
            now.awaited == then.awaited
            and now.spelt == then.spelt
            # By which statement would be in an issue, if it mattered.
            and (now.dropped is None) is (then.dropped is None)
            and now.temporary == (None if temporary is None else named(temporary, words))
            and all(
                mine is other
                if mine is None or other is None
                else _are_alike(mine, other, shown, words)
                for mine, other, shown in zip(
                    now.entries(), then.entries(), self._shown, strict=True
                )
            )
        )


def _are_alike(mine: TableEntry, other: TableEntry, shown: Parts, words: Words) -> bool:
    """Whether two relations are the same but for their names."""
    return named(shown, words) == mine.shown and _say_the_same(mine, other)


def _say_the_same(mine: TableEntry, other: TableEntry) -> bool:
    return mine is other or (
        (mine.columns is other.columns or mine.columns == other.columns)
        and _facts(mine) == _facts(other)
    )


def _told_by(standing: dict[Name, Standing]) -> Iterator[str]:
    """The words of all tables that are not their names."""
    for stood in standing.values():
        for entry in stood.entries():
            if entry is not None:
                yield from _texts(entry)


def _texts(entry: TableEntry) -> Iterator[str]:
    yield entry.description or ""
    for column in (*entry.columns, *entry.overlay.values()):
        yield column.name
        yield column.key
        yield column.data_type or ""
        yield column.description or ""
        if column.foreign_key is not None:
            yield column.foreign_key.table


# -- what was done ---------------------------------------------------------------------------------


def _change(
    method: str, given: tuple[Any, ...], gaps: Gaps, index: int
) -> tuple[str, Callable[[Words, int], tuple[Any, ...]]]:
    """A change of the registry, to be made for other names by another statement."""
    if method == "define":
        return method, _definition(given[0], gaps)
    if method == "infer":
        name, columns, shown = given
        gaps.constant(columns)
        parts, spelt = gaps.parts(name), gaps.parts(shown)
        return method, lambda words, _: (named(parts, words), columns, named(spelt, words))
    if method == "arrived":
        arrived = gaps.parts(given[0])
        return method, lambda words, _: (named(arrived, words),)
    if method == "drop" and given[1] == index:
        dropped = gaps.parts(given[0])
        return method, lambda words, number: (named(dropped, words), number)
    raise Untellable


def _definition(entry: TableEntry, gaps: Gaps) -> Callable[[Words, int], tuple[TableEntry]]:
    gaps.constant([list(_texts(entry)), entry.constraints])
    parts, shown = gaps.parts(entry.name), gaps.parts(entry.shown)

    return lambda words, number: (
        entry.called(named(parts, words), named(shown, words), statement=number),
    )


def _are_same_changes(mine: _Change, other: _Change) -> bool:
    if mine[0] != "define" or other[0] != "define":
        return mine == other
    (made,), (defined,) = mine[1], other[1]
    return (
        (made.name, made.shown, made.statement_index)
        == (defined.name, defined.shown, defined.statement_index)
    ) and _say_the_same(made, defined)
