"""What T-SQL says about how a statement runs, which the parser knows in part: left out.

Query options, the index to use, the cursor whose row is meant and what it may update: nothing of it
tells where a value comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.tokenizer_core import Token

_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER, TokenType.DOT, TokenType.COMMA})


def without_hints(tokens: list[Token]) -> list[Token] | None:
    """The statement without them; None if it has none."""
    words = [token.text.upper() for token in tokens]
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        rule = _HINTS.get(words[at])
        end = rule(tokens, words, at) if rule is not None else 0
        if not end:
            kept.append(tokens[at])
        at = end or at + 1
    return kept if len(kept) < len(tokens) else None


def _option(tokens: list[Token], words: list[str], at: int) -> int:
    """`OPTION (RECOMPILE, USE HINT ('…'))` behind a whole query."""
    end = closing(tokens, at + 1) if words[at + 1 : at + 2] == ["("] else 0
    return end + 1 if end and words[end + 1 : end + 2] in ([], [")"], [";"]) else 0


def _index(tokens: list[Token], words: list[str], at: int) -> int:
    """`WITH (INDEX = i, FORCESEEK)` behind a table."""
    end = closing(tokens, at + 1) if at and words[at + 1 : at + 2] == ["("] else 0
    return end + 1 if ("INDEX", "=") in zip(words[at:end], words[at + 1 : end], strict=False) else 0


def _current(_tokens: list[Token], words: list[str], at: int) -> int:
    """`WHERE CURRENT OF c`: the row that a cursor stands on."""
    if words[at + 1 : at + 3] != ["CURRENT", "OF"] or len(words) < at + 4:
        return 0
    return at + 4 + (words[at + 3] == "GLOBAL")


def _for_update(tokens: list[Token], words: list[str], at: int) -> int:
    """`FOR UPDATE OF a, b` and `FOR READ ONLY` of a cursor."""
    behind = words[at + 1 : at + 3]
    if behind[:1] != ["UPDATE"] and behind != ["READ", "ONLY"]:
        return 0
    end = at + 3 if behind[1:] in (["OF"], ["ONLY"]) else at + 2
    while end < len(tokens) and tokens[end].token_type in _NAMES:
        end += 1
    return end


_HINTS: dict[str, Callable[[list[Token], list[str], int], int]] = {
    "FOR": _for_update,
    "OPTION": _option,
    "WHERE": _current,
    "WITH": _index,
}
