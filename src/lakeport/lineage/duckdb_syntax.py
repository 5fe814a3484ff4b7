"""What only DuckDB writes and the parser does not know: `UPDATE BY NAME` in a MERGE, and macros' defaults.

A row by position is what an action of a MERGE takes anyhow; by name is kept as a name that no column can have.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

_BY_NAME = "by name"
_WAYS = frozenset({"NAME", "POSITION"})
_MACROS = frozenset({"MACRO", "FUNCTION"})
_OPENING, _CLOSING = frozenset({"(", "[", "{"}), frozenset({")", "]", "}"})
_ACTIONS = frozenset({"INSERT", "UPDATE"})


def merged_rows(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """The MERGE with its actions on whole rows as the parser knows them."""
    if "BY" not in words or "MERGE" not in words:
        return None
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        made.append(tokens[at])
        way = "".join(words[at + 2 : at + 3])
        if words[at] not in _ACTIONS or words[at + 1 : at + 2] != ["BY"] or way not in _WAYS:
            at += 1
            continue
        made += _action(tokens[at], words[at], by_name=way == "NAME")
        at += 3 + (words[at + 3 : at + 4] == ["*"])
    return made if made != tokens else None


def told_order(node: object) -> str | None:
    """`NAME` or `POSITION`, if an action or its list of columns was told to go by one of them.

    Of an INSERT alone the parser makes a list of one column with an alias.
    """
    if isinstance(node, exp.Tuple) and len(node.expressions) == 1:
        node = node.expressions[0]
    if isinstance(node, exp.EQ):
        node = node.this
    if isinstance(node, exp.Alias):
        way = node.alias.upper()
        return way if node.this.name.upper() == "BY" and way in _WAYS else None
    return "NAME" if isinstance(node, exp.Column) and node.name == _BY_NAME else None


def _action(token: Token, word: str, *, by_name: bool) -> list[Token]:
    name = made_token(TokenType.IDENTIFIER, _BY_NAME, token)
    if word == "UPDATE":
        if not by_name:
            return []
        equals = made_token(TokenType.EQ, "=", token)
        return [made_token(TokenType.SET, "SET", token), name, equals, name]
    if by_name:
        return [
            made_token(TokenType.L_PAREN, "(", token),
            name,
            made_token(TokenType.R_PAREN, ")", token),
        ]
    return [made_token(TokenType.STAR, "*", token)]


def without_defaults(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """`CREATE MACRO f(x, y := 2) AS …` without the value: a call that leaves it out reads nothing for it."""
    if words[:1] != ["CREATE"] or _MACROS.isdisjoint(words[1:5]) or "(" not in words:
        return None
    begin = words.index("(")
    end = closing(tokens, begin)
    made: list[Token] = []
    depth, dropped = 0, False
    for at, token in enumerate(tokens[begin + 1 : end], begin + 1):
        depth += (words[at] in _OPENING) - (words[at] in _CLOSING)
        if not depth:
            dropped = words[at] == ":=" or (dropped and words[at] != ",")
        if not dropped:
            made.append(token)
    if len(made) == end - begin - 1:
        return None
    return [*tokens[: begin + 1], *made, *tokens[end:]]
