"""What a macro that is not known may have printed: its first argument, where a value can stand.

Behind a value that has ended it can only have been something else, mostly more of a list or a clause,
and its argument would be read as an alias: nothing stands there then. Without an argument to go by, all of a
select list is taken for every column, and a part of it for a value that nothing is known of.
"""

from __future__ import annotations

import re
from typing import Any

from lakeport.lineage.templating.sandbox import CLOSE, OPEN

# Noncharacters, like those that mark lines.
_BEGIN, _END = "\ufdd2", "\ufdd3"
_GUESS = re.compile(f"{_BEGIN}([^{_BEGIN}{_END}]*){_END}")
_LINE = re.compile(f"{OPEN}[DE]\\d+{CLOSE}")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST = re.compile(r"(\w+|\S)\s*\Z")
# So much of the text before a guess tells what can stand there.
_REACH = 1_000
_SELECTS = frozenset({"SELECT", "DISTINCT"})
# Behind these words a value, a type or a relation begins.
_BEGINNINGS = _SELECTS | frozenset(
    {
        *("ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "CROSS", "ELSE", "EXCEPT", "EXISTS", "FROM"),
        *("HAVING", "ILIKE", "IN", "INTERSECT", "INTO", "IS", "JOIN", "LIKE", "LIMIT", "MINUS"),
        *("NOT", "OFFSET", "ON", "OR", "ORDER", "OVER", "QUALIFY", "RLIKE", "SET", "TABLE", "THEN"),
        *("TO", "UNION", "UPDATE", "USING", "VALUES", "WHEN", "WHERE", "WITH"),
    }
)
# What stands for a value of which nothing is known.
_STAND_INS = {
    **dict.fromkeys(_SELECTS, "*"),
    **dict.fromkeys((",", "=", "<", ">", "+", "-", "/", "|", "%"), "null"),
    **dict.fromkeys(("AND", "OR", "NOT", "ON", "WHERE", "HAVING", "WHEN", "THEN", "ELSE"), "null"),
}
_CLOSING = frozenset(")]}")
_QUOTES = frozenset("'\"`")


class Guess(str):
    """What a macro is thought to print."""

    __slots__ = ()


def printed(text: Any, value: Any) -> Any:
    """What stands for a value in the text, with marks around it if it is a guess."""
    return f"{_BEGIN}{text}{_END}" if isinstance(value, Guess) else text


def settled(text: str) -> str:
    """The text with each guess where it can stand."""
    if _BEGIN not in text:
        return text
    pieces: list[str] = []
    behind = before = ""
    begin = 0
    for found in _GUESS.finditer(text):
        behind = text[begin : found.start()]
        before = (before + behind)[-_REACH:]
        guess = _fitting(found[1], _COMMENT.sub(" ", _LINE.sub("", before)))
        pieces += [behind, guess]
        before += guess
        begin = found.end()
    pieces.append(text[begin:])
    return "".join(pieces).replace(_BEGIN, "").replace(_END, "")


def _fitting(guess: str, before: str) -> str:
    """What of a guess can stand behind a text without comments."""
    found = _LAST.search(before)
    last = found[1].upper() if found is not None else ""
    if not guess.strip():
        return _STAND_INS.get(last, "")
    return guess if _begins(last, before) else ""


def _begins(last: str, before: str) -> bool:
    """Whether a value can begin behind a text, of which the last word or mark is known."""
    if last in _QUOTES or before.count("'") % 2:
        # Behind the first quote of a pair.
        return before.count(last if last in _QUOTES else "'") % 2 == 1
    return last in _BEGINNINGS or not (last[:1].isalnum() or last[:1] == "_" or last in _CLOSING)
