"""`SELECT … INTO OUTFILE 'path'` of MySQL and ClickHouse: the query, and the file its rows go to.

MySQL has the clause in front of FROM or at the end, with words about separators behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_FILES = frozenset({"OUTFILE", "DUMPFILE"})


def written_file(tokens: list[Token]) -> tuple[list[Token], str] | None:
    """The tokens without the clause, and the path in it."""
    for at in range(1, len(tokens) - 2):
        named = tokens[at + 1].text.upper() in _FILES and tokens[at].token_type is TokenType.INTO
        if named and tokens[at + 2].token_type is TokenType.STRING:
            behind = range(at + 3, len(tokens))
            end = next((n for n in behind if tokens[n].token_type is TokenType.FROM), len(tokens))
            return [*tokens[:at], *tokens[end:]], tokens[at + 2].text
    return None
