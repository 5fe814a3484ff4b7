"""`EXECUTE IMMEDIATE '…' USING 'orders' AS name, 3`: the constants it gives, in place of the markers.

Markers that are given something with a name in it stay as they are: where the statement runs, the
name could mean something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Iterator

_T = TokenType
_LITERALS = frozenset({_T.STRING, _T.RAW_STRING, _T.NUMBER})
_NAMES = frozenset({_T.VAR, _T.IDENTIFIER, _T.SELECT, _T.PLACEHOLDER, _T.PARAMETER, _T.COLON})
_OPENING = frozenset({_T.L_PAREN, _T.L_BRACKET})
_CLOSING = frozenset({_T.R_PAREN, _T.R_BRACKET})
# What a colon behind it takes a part of.
_VALUES = frozenset({_T.VAR, _T.IDENTIFIER, _T.R_PAREN, _T.R_BRACKET})


class Given(NamedTuple):
    """A value for a marker, and what stands for it if it names nothing."""

    name: str | None
    constant: list[Token]
    value: list[Token]


def fill_markers(tokens: list[Token], behind: list[Token]) -> list[list[Token]]:
    """Replace `:name` and `?` by the constants of the USING clause, in place; the values that are none."""
    given = list(_given(behind))
    named = {one.name: one.constant for one in given if one.name is not None}
    in_order = iter([one.constant for one in given if one.name is None])
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.token_type is _T.PLACEHOLDER:
            if constant := next(in_order, None):
                tokens[at : at + 1] = _placed(constant, token)
        elif (
            named
            and _is_marker(tokens, at)
            and (constant := named.get(tokens[at + 1].text.casefold()))
        ):
            tokens[at : at + 2] = _placed(constant, tokens[at + 1])
        at += 1
    return [one.value for one in given if not one.constant]


def _placed(constant: list[Token], at: Token) -> list[Token]:
    """A constant at the place of its marker."""
    return [made_token(token.token_type, token.text, at) for token in constant]


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
    for part in listed(rest):
        name = None
        if len(part) > 2 and part[-2].text.upper() == "AS":
            name, part = part[-1].text.casefold(), part[:-2]  # noqa: PLW2901 - the rest of it
        yield Given(name, _constant(part), part)


def _constant(value: list[Token]) -> list[Token]:
    """A value as it may stand in an expression; nothing if there is a name in it."""
    if len(value) == 1 and value[0].token_type in _LITERALS:
        return value
    # The units of an interval are words.
    span = bool(value) and value[0].token_type is _T.INTERVAL
    for token, behind in zip(value, [*value[1:], None], strict=True):
        called = behind is not None and behind.token_type is _T.L_PAREN
        if token.token_type in _NAMES and not (called or (span and token.token_type is _T.VAR)):
            return []
    around = ((_T.L_PAREN, "("), (_T.R_PAREN, ")")) if value else ()
    brackets = [made_token(kind, text, value[0]) for kind, text in around]
    return [*brackets[:1], *value, *brackets[1:]]


def listed(tokens: list[Token]) -> Iterator[list[Token]]:
    """What commas part, outside of brackets."""
    depth, start = 0, 0
    for at, token in enumerate(tokens):
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if token.token_type is _T.COMMA and not depth:
            yield tokens[start:at]
            start = at + 1
    yield tokens[start:]
