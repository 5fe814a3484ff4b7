"""T-SQL needs no semicolons: where a statement ends is where the next one begins.

Most words that begin a statement are reserved, so one outside parentheses begins a new statement
unless the one being read still waits for it: the SELECT of an INSERT or a view, the verb after a
WITH clause, the branches of a MERGE, the actions of a foreign key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGINNINGS = frozenset(
    {
        "ALTER",
        "BEGIN",
        "BREAK",
        "CLOSE",
        "COMMIT",
        "CONTINUE",
        "CREATE",
        "DEALLOCATE",
        "DECLARE",
        "DELETE",
        "DENY",
        "DROP",
        "ELSE",
        "END",
        "EXEC",
        "EXECUTE",
        "FETCH",
        "GRANT",
        "IF",
        "INSERT",
        "MERGE",
        "OPEN",
        "PRINT",
        "RAISERROR",
        "RETURN",
        "REVOKE",
        "ROLLBACK",
        "SELECT",
        "SET",
        "TRUNCATE",
        "UPDATE",
        "UPDATE STATISTICS",
        "USE",
        "WAITFOR",
        "WHILE",
        "WITH",
    }
)
_QUERY_PREDECESSORS = frozenset(
    {"UNION", "ALL", "EXCEPT", "INTERSECT", "AS", "FOR", "(", "EXPLAIN"}
)
_OBJECTS = frozenset(
    {"TABLE", "VIEW", "PROCEDURE", "PROC", "FUNCTION", "INDEX", "SCHEMA", "TRIGGER"}
)
_VERBS = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"})
# What they list are permissions, not statements.
_PERMISSIONS = frozenset({"GRANT", "DENY", "REVOKE"})


def condition_end(words: Sequence[str], start: int) -> int:
    """Where the condition of an IF or WHILE at `start` ends and its statement begins."""
    at = start + 1
    while at < len(words):
        at = _next_outside(words, at)
        if at >= len(words) or words[at] == ";":
            break
        # `IF UPDATE(column)` asks in a trigger.
        if words[at] in BEGINNINGS and not (words[at] == "UPDATE" and _word(words, at + 1) == "("):
            return at
        at += 1
    return min(at, len(words))


class _Place(NamedTuple):
    """A word inside a statement, and how far the statement has come."""

    words: Sequence[str]
    start: int
    at: int
    # The verb it is about, and whether that has what it waits for: its query, its SET.
    verb: str | None
    filled: bool
    # A WITH clause was read, and the verb it belongs to was not.
    opened: bool

    def word(self, distance: int) -> str:
        return _word(self.words, self.at + distance)

    @property
    def first(self) -> str:
        return self.words[self.start]


def statement_end(words: Sequence[str], start: int) -> int:
    """The position behind the last token of the statement at `start`."""
    if start >= len(words):
        return start
    verb = words[start] if words[start] in _VERBS else None
    filled = verb == "SELECT"
    opened = words[start] == "WITH"
    at = start + 1
    while at < len(words):
        at = _next_outside(words, at)
        if at >= len(words) or words[at] == ";":
            break
        word = words[at]
        if word in BEGINNINGS:
            if _begins(_Place(words, start, at, verb, filled, opened)):
                return at
            opened = (opened and word not in _VERBS) or (word == "WITH" and words[at - 1] == "AS")
            if word in _VERBS and verb is None:
                verb, filled = word, word == "SELECT" or words[at - 1] == "BULK"
            elif word in {"SELECT", "EXEC", "EXECUTE"} or (word == "SET" and verb == "UPDATE"):
                filled = True
        elif word in {"VALUES", "DEFAULT"} and verb == "INSERT":
            filled = True
        at += 1
    return min(at, len(words))


def _begins(place: _Place) -> bool:
    """Whether the word begins another statement."""
    word = place.word(0)
    if place.first in _PERMISSIONS and place.word(-1) in {*_PERMISSIONS, ","}:
        return False
    if word in {"EXEC", "EXECUTE"}:
        return place.word(-1) != "WITH" and not (place.verb == "INSERT" and not place.filled)
    if word in _VERBS:
        return _verb_begins(place)
    continues = _CONTINUES.get(word)
    return continues is None or not continues(place)


def _verb_begins(place: _Place) -> bool:
    word, before, following = place.word(0), place.word(-1), place.word(1)
    if place.opened:
        return False
    if word == "SELECT":
        waiting = place.verb == "INSERT" and not place.filled
        return before not in _QUERY_PREDECESSORS and not waiting
    if before in {"THEN", "FOR", "AFTER", "OF", "BULK", ","} or following == ",":
        # A MERGE's branch, a cursor's or a trigger's clause, rows from a file.
        return False
    if before == "ON" and place.first in {"CREATE", "ALTER"}:
        # What a foreign key does then.
        return False
    return following != ("JOIN" if word == "MERGE" else "(" if word == "UPDATE" else "")


def _set_continues(place: _Place) -> bool:
    return (
        place.word(-1) == "UPDATE"
        or (place.word(-1) == "DELETE" and place.word(-2) == "ON")
        or (place.first == "ALTER" and (place.word(1) == "(" or place.at - place.start <= 3))
        or (place.verb == "UPDATE" and not place.filled)
    )


def _with_continues(place: _Place) -> bool:
    """A hint or an option, not `WITH name AS (…)` or `WITH name (columns) AS (…)`."""
    if place.word(-1) in {"AS", "("} or place.word(1) in {"(", "", ";"}:
        return True
    behind = place.at + 2
    if _word(place.words, behind) == "(":
        behind = _closing(place.words, behind) + 1
    return not (_word(place.words, behind) == "AS" and _word(place.words, behind + 1) == "(")


def _drop_continues(place: _Place) -> bool:
    """`ALTER TABLE t DROP COLUMN c`, and whatever else an ALTER says."""
    return place.first == "ALTER" and place.word(1) not in _OBJECTS


def _alter_continues(place: _Place) -> bool:
    """`CREATE OR ALTER VIEW v`."""
    return _drop_continues(place) or (place.word(-1) == "OR" and place.word(-2) == "CREATE")


def _if_continues(place: _Place) -> bool:
    return place.word(-1) in _OBJECTS and place.word(1) in {"EXISTS", "NOT"}


def _fetch_continues(place: _Place) -> bool:
    return place.word(-1) in {"ROW", "ROWS"}


_CONTINUES = {
    "SET": _set_continues,
    "WITH": _with_continues,
    "DROP": _drop_continues,
    "ALTER": _alter_continues,
    "CREATE": _drop_continues,
    "IF": _if_continues,
    "FETCH": _fetch_continues,
}


def _next_outside(words: Sequence[str], at: int) -> int:
    """The first position from `at` on that is neither in parentheses nor in a CASE expression."""
    while at < len(words):
        if words[at] == "(":
            at = _closing(words, at) + 1
        elif words[at] == "CASE":
            at = _case_end(words, at) + 1
        else:
            return at
    return at


def _closing(words: Sequence[str], at: int) -> int:
    depth = 0
    for position in range(at, len(words)):
        depth += (words[position] == "(") - (words[position] == ")")
        if depth == 0:
            return position
    return len(words)


def _case_end(words: Sequence[str], at: int) -> int:
    depth = 0
    for position in range(at, len(words)):
        depth += (words[position] == "CASE") - (words[position] == "END")
        if depth == 0:
            return position
    return len(words)


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""
