"""Spark syntax that the parser reads, but as something else: put right on tokens, in place.

Tokens keep their places in the text, so that spans and texts stay what the user wrote.
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

_T = TokenType
_UNITS = frozenset(
    {"YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"}
)
_SIGNS = frozenset({_T.DASH, _T.PLUS})
_INTERVAL = _T.INTERVAL
_SEED = "REPEATABLE("
_AMOUNTS = frozenset({_T.NUMBER, _T.STRING})
_SORTS = frozenset({_T.ORDER_BY, _T.SORT_BY})
_BEFORE_WINDOWS = frozenset({_T.OVER, _T.ALIAS})


def join_units(tokens: list[Token]) -> None:
    """`INTERVAL 1 DAY -2 HOURS` is one interval; the parser takes its end for a difference."""
    intervals = [at for at, token in enumerate(tokens) if token.token_type is _INTERVAL]
    for at in reversed(intervals):
        _join_from(tokens, at + 1)


def name_sorted_windows(tokens: list[Token]) -> None:
    """`OVER (ORDER BY ALL)` sorts by a column of that name; only queries are sorted by all they show."""
    for at in range(len(tokens) - 2, 0, -1):
        word = tokens[at]
        if word.token_type is not _T.ALL or tokens[at - 1].token_type not in _SORTS:
            continue
        begin = _opened(tokens, at)
        if begin and tokens[begin - 1].token_type in _BEFORE_WINDOWS:
            # In parentheses, because the parser looks at the bare name.
            named = made_token(_T.IDENTIFIER, word.text, word)
            brackets = ((_T.L_PAREN, "("), (_T.R_PAREN, ")"))
            first, last = (made_token(kind, text, word) for kind, text in brackets)
            tokens[at : at + 1] = [first, named, last]


def _opened(tokens: list[Token], at: int) -> int:
    """Where the parentheses around a token begin; 0 if there are none."""
    depth = 1
    while at and depth:
        at -= 1
        kind = tokens[at].token_type
        depth += (kind is _T.R_PAREN) - (kind is _T.L_PAREN)
    return at


def drop_samples(tokens: list[Token]) -> None:
    """`(SELECT …) TABLESAMPLE (5 ROWS) AS q`: which rows are read is no lineage, and behind a query
    the parser knows no alias after it.
    """
    for at in range(len(tokens) - 2, 0, -1):
        if tokens[at].token_type is not _T.TABLE_SAMPLE or tokens[at - 1].text != ")":
            continue
        end = _closed(tokens, at + 1)
        if end and "".join(token.text.upper() for token in tokens[end + 1 : end + 3]) == _SEED:
            end = _closed(tokens, end + 2)
        if end:
            del tokens[at : end + 1]


def _closed(tokens: list[Token], at: int) -> int:
    return closing(tokens, at) if tokens[at].token_type is _T.L_PAREN else 0


def _join_from(tokens: list[Token], at: int) -> None:
    """Give every later amount of an interval its sign inside, so that only plus stands between."""
    first = True
    while at < len(tokens):
        signed = tokens[at].token_type in _SIGNS
        amount = at + signed
        if not _is_amount(tokens, amount):
            return
        if tokens[at].token_type is _T.DASH and not first:
            minus, value = tokens[at], tokens[amount]
            tokens[at] = made_token(_T.PLUS, "+", minus)
            tokens[amount] = made_token(_T.STRING, _negated(value.text), value)
        at, first = amount + 2, False


def _is_amount(tokens: list[Token], at: int) -> bool:
    if at + 1 >= len(tokens) or tokens[at].token_type not in _AMOUNTS:
        return False
    return tokens[at + 1].text.upper().removesuffix("S") in _UNITS


def _negated(text: str) -> str:
    plain = text.strip()
    return plain[1:].lstrip() if plain.startswith("-") else f"-{plain.lstrip('+')}"
