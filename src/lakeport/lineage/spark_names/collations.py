"""Collations spread: a plain string beside a collated one is printed with the collation.

One that is written out beats those of columns; columns that differ leave none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.types.collations import DEFAULT_COLLATION, normal_collation

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.spark_names.printer import Operand
    from lakeport.lineage.spark_names.surroundings import Surroundings

_T = TokenType
_NAMES = frozenset({_T.VAR, _T.IDENTIFIER, _T.DOT})


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
    # Only columns bring one along unasked; asking for the type of a larger part would cost a parse.
    columns = [tokens for _, tokens in operands if tokens and _is_name(tokens)]
    kinds = [kind for tokens in columns if (kind := world.type_of(tokens)) is not None]
    held = {kind.collation for kind in kinds if kind.collation is not None}
    return held.pop() if len(held) == 1 else "null" if held else None


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
