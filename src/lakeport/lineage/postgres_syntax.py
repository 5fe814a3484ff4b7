"""PostgreSQL's words and signs that the parser does not know, in those that it does.

a <#> b, a <<-> b, a &&& b          operators of extensions, and whatever others are created
ORDER BY a USING <
E'two' 'lines'
COPY t FROM 'x' CSV FORCE NOT NULL a
CREATE FOREIGN TABLE t PARTITION OF u FOR VALUES IN (1) SERVER s
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.parted_words import QUOTED

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_SIGNS = frozenset("+-*/<>=~!@#%^&|`?")
# Only with one of these may the name of an operator end in a plus or a minus.
_TELLING = frozenset("~!@#%^&|`?")
# T-SQL's, and MySQL's of variables.
_ASSIGNING = frozenset({"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ":="})
_OPERANDS = frozenset(
    {TokenType.VAR, TokenType.NUMBER, TokenType.R_PAREN, TokenType.R_BRACKET, *QUOTED}
)
# Words that a value follows, so that signs behind them belong to it.
_BEFORE_VALUES = frozenset(
    {
        "ALL",
        "AND",
        "ANY",
        "AS",
        "BETWEEN",
        "BY",
        "CASE",
        "DISTINCT",
        "ELSE",
        "HAVING",
        "IN",
        "LIMIT",
        "NOT",
        "OFFSET",
        "ON",
        "OR",
        "RETURNING",
        "SELECT",
        "SET",
        "THEN",
        "VALUES",
        "WHEN",
        "WHERE",
    }
)
_STRINGS = QUOTED - {TokenType.IDENTIFIER}


def plain_postgres(tokens: list[Token], _words: list[str]) -> list[Token] | None:
    """The statement in plainer words; None if there are none."""
    made: list[Token] = []
    at, sorting = 0, False
    while at < len(tokens):
        token = tokens[at]
        sorting = sorting or token.token_type is TokenType.ORDER_BY
        run = _operator(tokens, at) if made and _ends_value(made[-1]) else 0
        if run > 1:
            made += _named(token, tokens[at + run - 1])
            at += run
        elif sorting and token.token_type is TokenType.USING and (end := _order(tokens, at)):
            at = end
        elif made and token.token_type in _STRINGS and made[-1].token_type in _STRINGS:
            # What stands on the next line belongs to the text before.
            at += 1
        else:
            made.append(token)
            at += 1
    return made if len(made) != len(tokens) else None


def _ends_value(token: Token) -> bool:
    """Whether an operator between two values may follow."""
    word = token.text
    return token.token_type in _OPERANDS or (
        word.isidentifier() and word.upper() not in _BEFORE_VALUES
    )


def _operator(tokens: list[Token], at: int) -> int:
    """Of how many tokens the operator there is made; the signs of the next value are none of it."""
    text, ends = "", [at]
    for place in range(at, len(tokens)):
        token = tokens[place]
        parted = place > at and token.start != tokens[place - 1].end + 1
        if parted or not _SIGNS.issuperset(token.text) or token.token_type in QUOTED:
            break
        text += token.text
        if text[-1] not in "+-" or not _TELLING.isdisjoint(text):
            ends.append(place + 1)
    return ends[-1] - at if text not in _ASSIGNING else 0


def _named(first: Token, last: Token) -> list[Token]:
    """`OPERATOR(s)`: between two values, of a type that nobody knows."""
    return [
        made_token(TokenType.OPERATOR, "OPERATOR", first),
        made_token(TokenType.L_PAREN, "(", first),
        made_token(TokenType.VAR, "s", first),
        made_token(TokenType.R_PAREN, ")", last),
    ]


def _order(tokens: list[Token], at: int) -> int:
    """Where the operator ends that rows are sorted by; 0 if there is none."""
    end = at + 1
    while end < len(tokens) and _SIGNS.issuperset(tokens[end].text):
        end += 1
    if end == at + 1 and end < len(tokens) and tokens[end].token_type is TokenType.OPERATOR:
        while end < len(tokens) and tokens[end].token_type is not TokenType.R_PAREN:
            end += 1
        end += 1
    return end if end > at + 1 else 0


def plain_copy(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """`COPY t (a) FROM 'x'`, without how the file is written."""
    if words[0] != "COPY" or words[1:2] == ["INTO"]:
        return None
    depth, at = 0, 1
    while at < len(words) and (depth or words[at] not in {"FROM", "TO"}):
        depth += (words[at] == "(") - (words[at] == ")")
        at += 1
    end = at + 2 + (words[at + 1 : at + 2] == ["PROGRAM"])
    return tokens[:end] if end < len(tokens) else None


def plain_foreign_partition(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """The partition alone: its columns are those of its parent, wherever its rows are."""
    if words[:3] != ["CREATE", "FOREIGN", "TABLE"] or "SERVER" not in words:
        return None
    of = next((n for n in range(3, len(words)) if words[n - 1 : n + 1] == ["PARTITION", "OF"]), 0)
    begin = of + 2
    while words[begin : begin + 1] == ["."]:
        begin += 2
    behind = closing(tokens, begin) + 1 if words[begin : begin + 1] == ["("] else begin
    end = words.index("SERVER")
    return [tokens[0], *tokens[2:begin], *tokens[behind:end]] if of else None
