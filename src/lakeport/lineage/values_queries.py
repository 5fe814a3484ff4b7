"""`FROM (VALUES (1, 2) UNION ALL SELECT a, b FROM t)`: VALUES as the first part of a longer query.

Behind FROM the parser takes a parenthesis and VALUES for rows and nothing else, so rows that go on as a
query get parentheses of their own.
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

_T = TokenType
# What makes rows the beginning of a query.
_CONTINUED = frozenset(
    {_T.UNION, _T.EXCEPT, _T.INTERSECT, _T.ORDER_BY, _T.LIMIT, _T.OFFSET, _T.FETCH}
)


def bracketed_values(tokens: list[Token]) -> list[Token] | None:
    """The tokens with such rows in parentheses; None if there are none."""
    opened: set[int] = set()
    closed: set[int] = set()
    for at in range(1, len(tokens)):
        if tokens[at].token_type is _T.VALUES and tokens[at - 1].token_type is _T.L_PAREN:
            end = _end_of_rows(tokens, at)
            if end:
                opened.add(at)
                closed.add(end)
    if not opened:
        return None
    made: list[Token] = []
    for place, token in enumerate(tokens):
        if place in opened:
            made.append(made_token(_T.L_PAREN, "(", token))
        if place in closed:
            made.append(made_token(_T.R_PAREN, ")", tokens[place - 1]))
        made.append(token)
    return made


def _end_of_rows(tokens: list[Token], at: int) -> int:
    """Where the query goes on behind the rows; 0 if they are all of it."""
    place = at + 1
    while place < len(tokens):
        kind = tokens[place].token_type
        if kind in _CONTINUED:
            return place
        if kind is _T.R_PAREN:
            return 0
        place = (closing(tokens, place) or len(tokens)) if kind is _T.L_PAREN else place
        place += 1
    return 0
