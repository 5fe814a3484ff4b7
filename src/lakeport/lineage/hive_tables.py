"""What Hive has in a FROM clause: functions over partitioned rows, and UNIQUEJOIN, as the parser knows them.

`noop(ON t PARTITION BY a)` gives the rows of `t`; of any other such function the rows are its argument. How they
are parted and sorted is none of its columns.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TokenType
# These hand on what they get.
PASSING = frozenset({"NOOP", "NOOPSTREAMING", "NOOPWITHMAP", "NOOPWITHMAPSTREAMING"})
_ARRANGED = frozenset({"CLUSTER BY", "DISTRIBUTE BY", "ORDER BY", "PARTITION BY", "SORT BY"})
_ARGUMENT = re.compile(r"ARG\d+")
_NAMES = frozenset({_T.DOT, _T.IDENTIFIER, _T.VAR})
_TABLE = ((_T.TABLE, "TABLE"), (_T.L_PAREN, "("))
_STAR = ((_T.L_PAREN, "("), (_T.SELECT, "SELECT"), (_T.STAR, "*"), (_T.FROM, "FROM"))


def parted_rows(
    tokens: list[Token], words: list[str], at: int, inner: Callable[[list[Token]], list[Token]]
) -> tuple[list[Token], int]:
    """The query for the rows of a function at a place, either its name or its ON; `inner` rewrites them."""
    passing = words[at] in PASSING
    begin = at + 1 if passing else at - 1
    if words[begin : begin + 2] != ["(", "ON"] or (passing and words[at - 1 : at] == ["."]):
        return [tokens[at]], 1
    end = closing(tokens, begin)
    if not end:
        return [tokens[at]], 1
    rows = _rows(tokens[begin + 2 : end])
    near = tokens[at]
    named = all(token.token_type in _NAMES for token in rows)
    if named and passing:
        return rows, end + 1 - at
    lead = [made_token(kind, text, near) for kind, text in (_TABLE if named else _STAR)]
    return [*lead, *inner(rows), made_token(_T.R_PAREN, ")", near)], end + passing - at


def _rows(tokens: list[Token]) -> list[Token]:
    """The table or query in front of how it is arranged."""
    depth = 0
    for at, token in enumerate(tokens):
        word = token.text.upper()
        if not depth and at and (word in _ARRANGED or _ARGUMENT.fullmatch(word)):
            return tokens[:at]
        depth += (token.token_type is _T.L_PAREN) - (token.token_type is _T.R_PAREN)
    return tokens


def unique_join(tokens: list[Token], words: list[str], at: int) -> tuple[list[Token], int]:
    """`UNIQUEJOIN PRESERVE t x (x.a), u y (y.a)` as a full join of equal keys."""
    made: list[Token] = []
    first: list[Token] = []
    place = at + 1
    while place < len(tokens):
        place += words[place] == "PRESERVE"
        begin = _keys(words, tokens, place)
        end = closing(tokens, begin) if begin else 0
        if not end:
            return [tokens[at]], 1
        keys = tokens[begin : end + 1]
        if first:
            near = tokens[place]
            made += [made_token(_T.FULL, "FULL", near), made_token(_T.JOIN, "JOIN", near)]
            made += [*tokens[place:begin], made_token(_T.ON, "ON", near)]
            made += [*first, made_token(_T.EQ, "=", near), *keys]
        else:
            made, first = tokens[place:begin], keys
        place = end + 1
        if words[place : place + 1] != [","]:
            break
        place += 1
    return made, place - at


def _keys(words: list[str], tokens: list[Token], at: int) -> int:
    """Where the keys behind a table or a query and its alias begin; 0 if nowhere."""
    place = closing(tokens, at) + 1 if words[at : at + 1] == ["("] else at
    return next((n for n in range(place, len(words)) if words[n] == "("), 0)
