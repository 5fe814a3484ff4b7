"""T-SQL's `OPENROWSET(BULK 'path', FORMAT = 'PARQUET') WITH (a int)`: a function of the path alone.

How the file is read is left out, and so is the list of its columns, which are found where they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token


def files_as_rows(tokens: list[Token]) -> list[Token] | None:
    """The statement with each such call shortened; None if there is none."""
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        words = [token.text.upper() for token in tokens[at : at + 3]]
        end = closing(tokens, at + 1) if words == ["OPENROWSET", "(", "BULK"] else 0
        if end and tokens[at + 3].token_type in {TokenType.STRING, TokenType.NATIONAL_STRING}:
            made += [*tokens[at : at + 2], tokens[at + 3], tokens[end]]
            behind = [token.text.upper() for token in tokens[end + 1 : end + 3]]
            at = (closing(tokens, end + 2) or end) + 1 if behind == ["WITH", "("] else end + 1
            continue
        made.append(tokens[at])
        at += 1
    return made if len(made) < len(tokens) else None
