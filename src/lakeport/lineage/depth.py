"""How deep a statement nests, and what stands for the parts below the deepest level that is looked at.

A parser works itself down into every bracket, and there is an end to how far. What is deeper is read
without it: of an expression only the columns matter, wherever in it they stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENERS = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSERS = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_TYPES = frozenset({TokenType.ARRAY, TokenType.STRUCT, TokenType.MAP, TokenType.NESTED})
_TYPE_WEIGHT = 4
# Between these names are no columns, or not those of the query around them.
_OTHER_SCOPES = frozenset(
    {TokenType.SELECT, TokenType.FROM, TokenType.WITH, TokenType.VALUES, TokenType.ARROW}
)
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})


def may_be_deep(lowered: str, tokens: int, deepest: int) -> bool:
    """Counting characters is cheap; only a text with that many openers is worth a closer look.

    Whether there is any is cheaper still.
    """
    types = _TYPE_WEIGHT * lowered.count("<") if "<" in lowered else 0
    if tokens + types <= deepest:
        return False
    openers = sum([lowered.count(opener) for opener in "([{" if opener in lowered])
    return openers + types + lowered.count("case") > deepest


def nesting(tokens: list[Token]) -> int:
    """How deep a statement nests; a nested type weighs more, because it is parsed again and again."""
    depth = deepest = types = 0
    for position, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENERS:
            depth += 1
        elif kind in _CLOSERS:
            depth -= 1 if depth else 0
        elif (
            kind in _TYPES and tokens[min(position + 1, len(tokens) - 1)].token_type is TokenType.LT
        ):
            types += 1
        elif types and token.text.startswith(">"):
            types = max(0, types - len(token.text))
        deepest = max(deepest, depth + _TYPE_WEIGHT * types)
    return deepest


def flattened(tokens: list[Token], deepest: int) -> list[Token] | None:
    """The statement with a list of columns in place of what is deeper; None if there are queries in it."""
    deepest = max(deepest, 1)
    kept: list[Token] = []
    depth = at = 0
    while at < len(tokens):
        token = tokens[at]
        kind = token.token_type
        depth += (kind in _OPENERS) - (kind in _CLOSERS and depth > 0)
        if kind in _OPENERS and depth == deepest:
            end = _closing(tokens, at)
            inside = tokens[at + 1 : end]
            if any(inner.token_type in _OTHER_SCOPES for inner in inside):
                return None
            kept += _listed(token, inside, tokens[min(end, len(tokens) - 1)])
            depth -= 1
            at = end + 1
            continue
        kept.append(token)
        at += 1
    # The list has brackets of its own.
    return kept if nesting(kept) <= deepest + 1 else None


def _closing(tokens: list[Token], at: int) -> int:
    depth = 0
    for end in range(at, len(tokens)):
        kind = tokens[end].token_type
        depth += (kind in _OPENERS) - (kind in _CLOSERS)
        if not depth:
            return end
    return len(tokens)


def _listed(opener: Token, inside: list[Token], closer: Token) -> list[Token]:
    """A call of nobody's function with the columns, and the type it is cast to, if it is."""
    paths = list({tuple(t.text for t in path): path for path in _paths(inside)}.values())
    value = [
        token for path in paths for token in (made_token(TokenType.COMMA, ",", path[0]), *path)
    ]
    cast = len(inside) - 2 * _ends_in_cast(inside)
    begin = made_token(TokenType.L_PAREN, "(", opener)
    end = made_token(TokenType.R_PAREN, ")", closer)
    square = opener.token_type is TokenType.L_BRACKET
    first, last = (opener, closer) if square else (begin, end)
    called = made_token(TokenType.VAR, "deeper", opener)
    return [first, called, begin, *value[1:], end, *inside[cast:], last]


def _ends_in_cast(inside: list[Token]) -> bool:
    """Whether `AS type` stands at the end of the brackets."""
    kinds = [token.token_type for token in inside[-2:]]
    return len(kinds) == 2 and kinds[0] is TokenType.ALIAS and kinds[1] not in _CLOSERS


def _paths(tokens: list[Token]) -> Iterator[list[Token]]:
    """Names with dots between them that are neither called nor given."""
    at = 0
    while at < len(tokens):
        begin = at
        while at < len(tokens) and tokens[at].token_type in _NAMES:
            at += 1
            if at < len(tokens) and tokens[at].token_type is TokenType.DOT:
                at += 1
            else:
                break
        behind = tokens[at].token_type if at < len(tokens) else None
        given = begin > 0 and tokens[begin - 1].token_type is TokenType.ALIAS
        if at > begin and behind is not TokenType.L_PAREN and not given:
            yield tokens[begin:at]
        at = max(at, begin + 1)
