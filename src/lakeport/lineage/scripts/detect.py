"""Whether a text is a script at all: most are not, and must not pay for the question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.scripts.dialects import BATCHES

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

# Between two words.
_GAP = r"(?:\s|/\*.*?\*/|--[^\n]*\n)++"
_BLOCK_END = re.compile(rf"end{_GAP}(?:if|for|while|loop|repeat|case)\b", re.DOTALL)
# Snowflake's: what they run follows their header.
_SCHEDULED = re.compile(rf"\bcreate{_GAP}(?:or{_GAP}replace{_GAP})?(?:task|pipe)\b", re.DOTALL)
_ROUTINES = frozenset({TokenType.FUNCTION, TokenType.PROCEDURE, TokenType.TRIGGER})


def may_be_script(lowered: str, parser: str) -> bool:
    """A cheap look at the text in lower case: without these there is no block in it."""
    if parser in BATCHES or parser == "oracle" or "$" in lowered:
        return True
    return (
        "begin" in lowered
        or "language" in lowered
        or "delimiter" in lowered
        or "trigger" in lowered
        or (parser == "snowflake" and _SCHEDULED.search(lowered) is not None)
        or ("end" in lowered and _BLOCK_END.search(lowered) is not None)
    )


def is_script(tokens: list[Token], text: str, parser: str) -> bool:
    """Whether a text that may be a script is one."""
    if parser in BATCHES or parser == "oracle" or _BLOCK_END.search(text.lower()):
        return True
    if parser == "snowflake" and _SCHEDULED.search(text.lower()):
        return True
    return any(
        begins(token)
        or token.token_type in _ROUTINES
        or (token.token_type is TokenType.COMMAND and token.text.upper() == "DO")
        for token in tokens
    )


def begins(token: Token) -> bool:
    """BEGIN is a command to some tokenizers."""
    kind = token.token_type
    return kind is TokenType.BEGIN or (kind is TokenType.COMMAND and token.text.upper() == "BEGIN")
