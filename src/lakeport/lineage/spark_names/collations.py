"""Explicit collations spread: a plain string beside a collated one is printed with the collation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.spark_names.printer import Operand

_T = TokenType
_MODIFIERS = frozenset({"CI", "CS", "AI", "AS", "RTRIM"})
_SCRIPT_LENGTH = 4


def collated(operands: list[Operand]) -> list[str]:
    """The printed operands, strings among them with the collation another one names."""
    names = [name for _, tokens in operands if (name := _collation(tokens)) is not None]
    if not names:
        return [text for text, _ in operands]
    shown = f" collate {_normal(names[0])}"
    return [f"'{text}'{shown}" if _is_string(tokens) else text for text, tokens in operands]


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


def _normal(name: str) -> str:
    """`UTF8_LCASE`, `UNICODE_CI`, `sr_Latn_AI`: locales have a spelling of their own."""
    first, *rest = name.split("_")
    if first.upper() in {"UTF8", "UNICODE"}:
        return name.upper()
    parts = [first.lower()]
    for part in rest:
        is_script = len(part) == _SCRIPT_LENGTH and part.upper() not in _MODIFIERS
        parts.append(part.title() if is_script else part.upper())
    return "_".join(parts)
