"""Collations spread: a plain string beside a collated one is printed with the collation.

One that is written out beats those of columns; columns that differ leave none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.types.collations import DEFAULT_COLLATION, normal_collation

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.spark_names.printer import Operand
    from lakeport.lineage.spark_names.surroundings import Surroundings

_T = TokenType
_NAMES = frozenset({_T.VAR, _T.IDENTIFIER, _T.DOT})
# Functions whose result is compared as their arguments are.
_KEEPING = frozenset(
    [
        "any_value",
        "btrim",
        "coalesce",
        "concat",
        "first",
        "first_value",
        "greatest",
        "initcap",
        "last",
        "last_value",
        "lcase",
        "least",
        "left",
        "lower",
        "lpad",
        "ltrim",
        "max",
        "min",
        "nvl",
        "overlay",
        "repeat",
        "replace",
        "reverse",
        "right",
        "rpad",
        "rtrim",
        "substr",
        "substring",
        "translate",
        "trim",
        "ucase",
        "upper",
    ]
)


def collated(operands: list[Operand], world: Surroundings) -> list[str]:
    """The printed operands, strings among them with the collation of the others."""
    strings = [_is_string(tokens) for _, tokens in operands]
    name = _common(operands, world) if any(strings) else None
    if name is None or name == DEFAULT_COLLATION:
        return [text for text, _ in operands]
    return [
        f"'{text}' collate {name}" if string else text
        for (text, _), string in zip(operands, strings, strict=True)
    ]


def _common(operands: list[Operand], world: Surroundings) -> str | None:
    written = [name for _, tokens in operands if (name := _collation(tokens)) is not None]
    if written:
        return normal_collation(written[0])
    held = set().union(*(_held(tokens, world) for _, tokens in operands))
    return held.pop() if len(held) == 1 else "null" if held else None


def _held(tokens: list[Token], world: Surroundings) -> set[str]:
    """The collations of the columns an operand is, or is made of by functions that keep them.

    Asking for the type of anything else would cost a parse.
    """
    if tokens and _is_name(tokens):
        kind = world.type_of(tokens)
        return {kind.collation} if kind is not None and kind.collation is not None else set()
    called = len(tokens) > 3 and tokens[0].text.lower() in _KEEPING
    if called and closing(tokens, 1) == len(tokens) - 1:
        parts = _divided(tokens[2:-1], _T.COMMA)
    else:
        parts = _divided(tokens, _T.DPIPE)
        if len(parts) == 1:
            return set()
    return set().union(*(_held(part, world) for part in parts))


def _divided(tokens: list[Token], divider: TokenType) -> list[list[Token]]:
    """The tokens between dividers that stand in no parentheses."""
    parts: list[list[Token]] = []
    depth, start = 0, 0
    for at, token in enumerate(tokens):
        kind = token.token_type
        depth += (kind is _T.L_PAREN) - (kind is _T.R_PAREN)
        if depth == 0 and kind is divider:
            parts.append(tokens[start:at])
            start = at + 1
    return [*parts, tokens[start:]]


def _collation(tokens: list[Token]) -> str | None:
    """The collation at the end of an operand, `x COLLATE name`, without its catalog."""
    end = len(tokens) - 1
    begin = end
    while begin >= 2 and tokens[begin - 1].token_type is _T.DOT:
        begin -= 2
    written = begin >= 1 and tokens[begin - 1].token_type is _T.COLLATE
    return tokens[end].text if written else None


def _is_string(tokens: list[Token]) -> bool:
    return len(tokens) == 1 and tokens[0].token_type is _T.STRING


def _is_name(tokens: list[Token]) -> bool:
    return all(token.token_type in _NAMES for token in tokens)
