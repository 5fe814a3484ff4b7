"""An answer with all it depends on and all it did, and whether it is the answer to another statement.

A name may be another one if nothing else in the statement, in the tables it asks for or in the session
is called so, and if as much is known of the other.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from lakeport.lineage.bind.system_tables import is_system_table
from lakeport.lineage.bind.tables import is_part_of_table
from lakeport.lineage.names import unsharded
from lakeport.lineage.tales import Gaps, Tale, Teller, Untellable, Words, named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakeport.lineage.entries import Standing, TableEntry
    from lakeport.lineage.names import Name
    from lakeport.lineage.session import Session
    from lakeport.lineage.shapes import Loan
    from lakeport.lineage.statement import Analysed
    from lakeport.lineage.workload import Statement

_WORD = re.compile(r"\w+")
# Namespaces that engines bring, as far as their names could be anybody's.
_ENGINES = frozenset({"global_temp", "spark_catalog", "hive_metastore"})
# What of a table is not its name or its columns.
_facts = attrgetter(
    "kind",
    "origin",
    "complete",
    "temporary",
    "inference",
    "source_name",
    "constraints",
    "conflict",
    "description",
    "file_format",
    "partitions",
    "overlay",
    "dropped_columns",
)


class Tables(NamedTuple):
    """Places among the free texts of a shape: parts of names of tables, and what may qualify columns."""

    # With their quotes.
    names: dict[int, bool]
    qualifiers: frozenset[int]


class _Seen(NamedTuple):
    """A name that was looked up, and how it stood."""

    parts: list[int | str]
    standing: Standing
    # Its spelling in each of the entries.
    shown: list[list[int | str]]
    # Whether it is one of those that may be others.
    is_free: bool


class Telling:
    """One answer, what it depends on, and what it did."""

    def __init__(
        self,
        session: Session,
        statement: Statement,
        loan: Loan,
        tables: Tables,
        analysed: Analysed,
        reported: int,
    ) -> None:
        registry, index = session.registry, statement.index
        if registry.names_asked is not None:
            raise Untellable
        standing = {
            name: registry.before.get(name) or registry.standing(name)
            for name in registry.seen
            if name != ("",)
        }
        if not registry.before.keys() <= standing.keys():
            raise Untellable
        self._session_state = registry.seen["",]
        self._dialect = session.dialect.name
        self._fold = session.folding.table
        self._words = _other_words(session, loan, tables, standing)
        self._slots = _slots(session, loan, tables, self._words)
        names = [slot.text for slot in self._slots]
        folded = [self._fold(slot.text, quoted=slot.quoted) for slot in self._slots]
        gaps = Gaps(names, folded)
        self._plain = [name == key for name, key in zip(names, folded, strict=True)]
        self._fixed = _fixed(loan, self._slots)
        self._text = _text(statement, loan, self._slots)
        self._seen = [_seen(name, stood, gaps) for name, stood in standing.items()]
        self._arrived = [
            gaps.parts(name)
            for name, stood in standing.items()
            if stood.awaited == 1 and not registry.standing(name).awaited
        ]
        self._effects = [_effect(method, given, gaps, index) for method, given in registry.log]
        issues = session.issues[reported:]
        self._tale = Tale(analysed, issues, Teller(gaps, loan.tokens, index))
        words = [word for pair in zip(names, folded, strict=True) for word in pair]
        if self._tale.told(index, words, loan.tokens) != (analysed, issues):
            raise Untellable

    def told(self, session: Session, statement: Statement, loan: Loan) -> Analysed | None:
        """The answer for another statement, None if it may be another one."""
        registry = session.registry
        if registry.revisions.get(("",), 0) != self._session_state:
            return None
        words = self._words_of(loan)
        text = statement.text
        if words is None or self._text.format(*words) != text:
            return None
        registry.statement = statement.index
        for seen in self._seen:
            if not _stands_alike(seen, registry.standing(named(seen.parts, words)), words):
                return None
        session.source = statement.source
        registry.begin(statement.index, text)
        for parts in self._arrived:
            registry.arrived(named(parts, words))
        for method, make in self._effects:
            getattr(registry, method)(*make(words, statement.index))
        analysed, issues = self._tale.told(statement.index, words, loan.tokens)
        session.issues += issues
        return analysed

    def _words_of(self, loan: Loan) -> Words | None:
        """The names of another statement; None if one may mean more than a table of that name."""
        texts = loan.texts
        if any(texts[number] != text for number, text in self._fixed):
            return None
        words: Words = []
        taken: set[str] = set()
        for slot, plain in zip(self._slots, self._plain, strict=True):
            text = texts[slot.places[0]]
            if text != slot.text:
                caseless = text.casefold()
                if caseless in self._words or not _is_mere_table(text, self._dialect):
                    return None
            else:
                caseless = slot.caseless
            key = self._fold(text, quoted=slot.quoted)
            if caseless in taken or (key == text) is not plain:
                return None
            if any(texts[place] != text for place in slot.places[1:]):
                return None
            taken.add(caseless)
            words += (text, key)
        return words


# -- names that may be others --------------------------------------------------------------------


class _Slot(NamedTuple):
    """A name of a table, and where it stands among the free texts of its statement."""

    text: str
    caseless: str
    quoted: bool
    places: list[int]


@lru_cache(maxsize=4096)
def _is_mere_table(text: str, dialect: str) -> bool:
    """Whether a part of a table's name means nothing but itself."""
    return not (
        text.startswith("_")
        or text.casefold() in _ENGINES
        or is_part_of_table(text)
        or is_system_table((text,), dialect)
        or is_system_table((text, ""), dialect)
        or (dialect == "bigquery" and unsharded(text) != text)
    )


def _other_words(
    session: Session, loan: Loan, tables: Tables, standing: dict[Name, Standing]
) -> set[str]:
    """Everything that a name could be mistaken for: other words of the statement, columns, namespaces."""
    numbers = [number for number, _ in loan.shape.free()]
    named_by = {numbers[place] for place in (*tables.names, *tables.qualifiers)}
    texts = [token.text for number, token in enumerate(loan.tokens) if number not in named_by]
    registry = session.registry
    texts += filter(None, (registry.default_catalog, registry.default_schema))
    texts += [part for path in registry.search_path for part in path if part]
    texts += filter(None, [registry.first_schema])
    for stood in standing.values():
        for entry in stood.entries():
            if entry is not None:
                texts += _told_by(entry)
    return set(_WORD.findall("\n".join(texts).casefold()))


def _told_by(entry: TableEntry) -> Iterator[str]:
    """The words of a table that are not its name."""
    yield entry.description or ""
    for column in (*entry.columns, *entry.overlay.values()):
        yield column.name
        yield column.key
        yield column.data_type or ""
        yield column.description or ""
        if column.foreign_key is not None:
            yield column.foreign_key.table


def _slots(session: Session, loan: Loan, tables: Tables, words: set[str]) -> list[_Slot]:
    """The names that may be others; all that may not join the words."""
    found: dict[str, _Slot] = {}
    for place, quoted in tables.names.items():
        text = loan.texts[place]
        slot = found.setdefault(text, _Slot(text, text.casefold(), quoted, []))
        if slot.quoted is not quoted:
            raise Untellable
        slot.places.append(place)
    for place in sorted(tables.qualifiers):
        text = loan.texts[place]
        if text in found:
            found[text].places.append(place)
        else:
            words.add(text.casefold())
    caseless = [slot.caseless for slot in found.values()]
    chosen = [
        slot
        for slot in found.values()
        if slot.caseless not in words
        and caseless.count(slot.caseless) == 1
        and _is_mere_table(slot.text, session.dialect.name)
    ]
    words.update(slot.caseless for slot in found.values() if slot not in chosen)
    if not chosen:
        raise Untellable
    return chosen


def _fixed(loan: Loan, slots: list[_Slot]) -> list[tuple[int, str]]:
    """The free texts that must be the same."""
    free = {place for slot in slots for place in slot.places}
    return [(place, text) for place, text in enumerate(loan.texts) if place not in free]


def _text(statement: Statement, loan: Loan, slots: list[_Slot]) -> str:
    """The statement with gaps for the names."""
    numbers = [number for number, _ in loan.shape.free()]
    gaps = {numbers[place]: 2 * n for n, slot in enumerate(slots) for place in slot.places}
    text, begin = statement.source.content, statement.chunk.start
    pieces: list[str] = []
    for number in sorted(gaps):
        token = loan.tokens[number]
        start = text.find(token.text, token.start, token.end + 1)
        if start < 0:
            raise Untellable
        pieces += (_escaped(text[begin:start]), f"{{{gaps[number]}}}")
        begin = start + len(token.text)
    return "".join([*pieces, _escaped(text[begin : statement.chunk.end])])


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


# -- what is known of them -----------------------------------------------------------------------


def _seen(name: Name, stood: Standing, gaps: Gaps) -> _Seen:
    parts = gaps.parts(name)
    is_free = any(part.__class__ is int for part in parts)
    if is_free and (stood.spelt or stood.awaited > 1):
        raise Untellable
    if is_free and stood.temporary not in {None, name}:
        raise Untellable
    spelt = [gaps.spelt(entry.shown) if entry is not None else [] for entry in stood.entries()]
    return _Seen(parts, stood, spelt, is_free)


def _stands_alike(seen: _Seen, now: Standing, words: Words) -> bool:
    """Whether a statement learns of a name what the other one did of its own."""
    then = seen.standing
    if not seen.is_free:
        return (
            now.imported is then.imported
            and now.implied is then.implied
            and now.spelt == then.spelt
            and now.dropped == then.dropped
            and now.temporary == then.temporary
            and now.awaited == then.awaited
        )
    if now.spelt is not None or now.awaited != then.awaited:
        return False
    if (now.dropped is None) is not (then.dropped is None):
        return False
    if (now.temporary is None) is not (then.temporary is None):
        return False
    if now.temporary is not None and now.temporary != named(seen.parts, words):
        return False
    return all(
        _is_like(mine, other, shown, words)
        for mine, other, shown in zip(now.entries(), then.entries(), seen.shown, strict=True)
    )


def _is_like(
    mine: TableEntry | None, other: TableEntry | None, shown: list[int | str], words: Words
) -> bool:
    """Whether two relations are the same but for their names."""
    if mine is None or other is None:
        return mine is other
    return (
        (mine.columns is other.columns or mine.columns == other.columns)
        and named(shown, words) == mine.shown
        and _facts(mine) == _facts(other)
    )


# -- what it did ---------------------------------------------------------------------------------


def _effect(
    method: str, given: tuple[Any, ...], gaps: Gaps, index: int
) -> tuple[str, Callable[[Words, int], tuple[Any, ...]]]:
    """A change of the registry, to be made for other names by another statement."""
    if method == "define":
        return method, _definition(given[0], gaps, index)
    if method == "infer":
        name, columns, shown = given
        parts, spelt = gaps.parts(name), gaps.spelt(shown)
        return method, lambda words, _: (named(parts, words), columns, named(spelt, words))
    if method == "drop" and given[1] == index:
        dropped = gaps.parts(given[0])
        return method, lambda words, number: (named(dropped, words), number)
    raise Untellable


def _definition(
    entry: TableEntry, gaps: Gaps, index: int
) -> Callable[[Words, int], tuple[TableEntry]]:
    if entry.statement_index != index or any(map(gaps.named_in, _told_by(entry))):
        raise Untellable
    if entry.constraints and gaps.named_in(msgspec.json.encode(entry.constraints).decode()):
        raise Untellable
    parts, shown = gaps.parts(entry.name), gaps.spelt(entry.shown)

    return lambda words, number: (
        entry.called(named(parts, words), named(shown, words), statement=number),
    )
