"""`db..t`: a table of another database, in the schema that is there without being named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

if TYPE_CHECKING:
    from collections.abc import Mapping

# T-SQL's is the user's own, which is `dbo` unless somebody gave them another.
SKIPPED: Mapping[str, str] = {"tsql": "dbo", "fabric": "dbo", "snowflake": "PUBLIC"}


def name_skipped_schemas(tokens: list[Token], schema: str) -> None:
    """Write the schema between the two dots, in place; it takes no room in the text."""
    for at in range(len(tokens) - 2, 0, -1):
        dot = tokens[at]
        if dot.token_type is TokenType.DOT and tokens[at - 1].token_type is TokenType.DOT:
            named = Token(TokenType.VAR, schema, dot.line, dot.col, dot.start, dot.start - 1)
            tokens.insert(at, named)
