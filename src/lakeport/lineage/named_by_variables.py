"""`IDENTIFIER(name_of_table)`: a name that a session variable holds.

Statements are parsed before any is bound, and only then is known what variables hold. One with such a
name is read again, with the value as a string in place of the variable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.blocks import Chunk
from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.parse import StatementParser
from lakeport.lineage.resplit import tokenised
from lakeport.lineage.variables import is_session_qualifier

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.session import Session
    from lakeport.lineage.workload import Statement


def read_names(session: Session, statement: Statement) -> None:
    """Parse the statement with the names it takes from variables, if it takes any."""
    chunk = statement.chunk
    if chunk.blocks or chunk.error is not None or "identifier" not in statement.text.lower():
        return
    texts = {name: held.text for name, held in session.variables.items() if held.text is not None}
    if not texts:
        return
    text, dialect = statement.source.content, session.dialect
    again = tokenised(Chunk([], chunk.start, chunk.end), text, dialect.parser)
    if _put_values(session, again.tokens, texts):
        statement.chunk = again
        parser = StatementParser(text, dialect, session.options.max_expression_depth)
        statement.parsed = parser.parse(again)


def _put_values(session: Session, tokens: list[Token], texts: dict[str, str]) -> bool:
    found = False
    for at in range(len(tokens) - 3, -1, -1):
        if tokens[at].text.upper() != "IDENTIFIER" or tokens[at + 1].text != "(":
            continue
        place = closing(tokens, at + 1) - 1
        while place > at + 1:
            start = _first_part(tokens, place)
            parts = [token.text for token in tokens[start : place + 1 : 2]]
            value = texts.get(session.folding.column(parts[-1]))
            named = tokens[place].token_type not in {TokenType.STRING, TokenType.RAW_STRING}
            if value is not None and named and is_session_qualifier(parts[:-1]):
                # The kind without escapes: it is not taken to stand here as it is.
                tokens[start : place + 1] = [made_token(TokenType.RAW_STRING, value, tokens[place])]
                found = True
            place = start - 1
    return found


def _first_part(tokens: list[Token], last: int) -> int:
    """Where the dotted name that ends at `last` begins."""
    while tokens[last - 1].token_type is TokenType.DOT:
        last -= 2
    return last
