"""Values that a trigger gives to the row that changes: `SET NEW.a = …`, `NEW.a := …`, `SELECT … INTO NEW.a`.

All of them become `SET`, one for each value, which is what they are bound as.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.bodies import words_of
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Iterator


_ASSIGNED = frozenset({"=", ":="})


def row_assignments(tokens: list[Token]) -> list[list[Token]]:
    """The statements that a statement of a trigger is to be read as; none if it sets no row."""
    words = words_of(tokens)
    if words[0] in {"SELECT", "WITH"}:
        return _queried(tokens, words)
    parts = _parts(words, 1) if words[0] == "SET" else [(0, len(words))]
    if not any(_is_row(words, begin) and words[begin + 3] in _ASSIGNED for begin, _ in parts):
        return []
    return [
        _assignment(tokens[begin : begin + 3], tokens[begin + 4 : end])
        if _is_row(words, begin)
        else [made_token(TokenType.SET, "SET", tokens[begin]), *tokens[begin:end]]
        for begin, end in parts
        if begin < end
    ]


def _queried(tokens: list[Token], words: list[str]) -> list[list[Token]]:
    into = next((at for at in _outermost(words) if words[at] == "INTO"), len(words))
    targets = into + 1 + (words[into + 1 : into + 2] == ["STRICT"])
    if not _is_row(words, targets):
        return []
    behind = targets + 3
    while words[behind : behind + 1] == [","] and _is_row(words, behind + 1):
        behind += 4
    made = _assignment(tokens[targets:behind], [*tokens[:into], *tokens[behind:]])
    return [[made_token(TokenType.SET, "SET", tokens[0]), *made[1:]]]


def _assignment(row: list[Token], value: list[Token]) -> list[Token]:
    """The value is in parentheses, because the parser takes a bare name behind SET for a word."""
    first, last = row[0], (value or row)[-1]
    if len(row) > 3:
        row = _in_parentheses(row)
    made = [made_token(TokenType.SET, "SET", first), *row, made_token(TokenType.EQ, "=", last)]
    return [*made, *(_in_parentheses(value) if value else ())]


def _in_parentheses(tokens: list[Token]) -> list[Token]:
    opened = made_token(TokenType.L_PAREN, "(", tokens[0])
    return [opened, *tokens, made_token(TokenType.R_PAREN, ")", tokens[-1])]


def _is_row(words: list[str], at: int) -> bool:
    return words[at : at + 2] == ["NEW", "."] and at + 3 < len(words)


def _outermost(words: list[str]) -> Iterator[int]:
    """The places outside parentheses."""
    depth = 0
    for at, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if depth == 0:
            yield at


def _parts(words: list[str], begin: int) -> list[tuple[int, int]]:
    """What commas outside parentheses part."""
    found: list[tuple[int, int]] = []
    for at in _outermost(words):
        if words[at] == ",":
            found.append((begin, at))
            begin = at + 1
    return [*found, (begin, len(words))]
