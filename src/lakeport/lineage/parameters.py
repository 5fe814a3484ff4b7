"""`EXECUTE IMMEDIATE '…' USING 'orders' AS name, 3`: the literals it gives, in place of the markers.

Markers that are given anything but a literal stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Iterator

_T = TokenType
_LITERALS = frozenset({_T.STRING, _T.RAW_STRING, _T.NUMBER})
_OPENING = frozenset({_T.L_PAREN, _T.L_BRACKET})
_CLOSING = frozenset({_T.R_PAREN, _T.R_BRACKET})
# What a colon behind it takes a part of.
_VALUES = frozenset({_T.VAR, _T.IDENTIFIER, _T.R_PAREN, _T.R_BRACKET})


class Given(NamedTuple):
    """A literal for a marker; None stands for what is no literal."""

    name: str | None
    literal: Token | None


def fill_markers(tokens: list[Token], behind: list[Token]) -> None:
    """Replace `:name` and `?` by the literals of the USING clause, in place."""
    given = list(_given(behind))
    named = {one.name: one.literal for one in given if one.name is not None}
    in_order = iter([one.literal for one in given if one.name is None])
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.token_type is _T.PLACEHOLDER:
            literal = next(in_order, None)
            if literal is not None:
                tokens[at] = made_token(literal.token_type, literal.text, token)
        elif named and _is_marker(tokens, at):
            literal = named.get(tokens[at + 1].text.casefold())
            if literal is not None:
                tokens[at : at + 2] = [made_token(literal.token_type, literal.text, tokens[at + 1])]
        at += 1


def _is_marker(tokens: list[Token], at: int) -> bool:
    """Whether a colon starts a marker, and no path into a variant."""
    colon = tokens[at]
    if colon.token_type is not _T.COLON or at + 1 == len(tokens):
        return False
    before = tokens[at - 1] if at else None
    path = before is not None and before.token_type in _VALUES and before.end + 1 == colon.start
    return not path and tokens[at + 1].start == colon.end + 1


def _given(tokens: list[Token]) -> Iterator[Given]:
    words = [token.text.upper() for token in tokens]
    if "USING" not in words:
        return
    at = words.index("USING") + 1
    rest = tokens[at : words.index("INTO", at) if "INTO" in words[at:] else None]
    if rest and rest[0].token_type is _T.L_PAREN and rest[-1].token_type is _T.R_PAREN:
        rest = rest[1:-1]
    for part in _listed(rest):
        name = None
        if len(part) > 2 and part[-2].text.upper() == "AS":
            name, part = part[-1].text.casefold(), part[:-2]  # noqa: PLW2901 - the rest of it
        alone = len(part) == 1 and part[0].token_type in _LITERALS
        yield Given(name, part[0] if alone else None)


def _listed(tokens: list[Token]) -> Iterator[list[Token]]:
    depth, start = 0, 0
    for at, token in enumerate(tokens):
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if token.token_type is _T.COMMA and not depth:
            yield tokens[start:at]
            start = at + 1
    yield tokens[start:]
