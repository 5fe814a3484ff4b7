"""Spark statements whose words depend on the session, read again once that is known.

Statements are parsed before any is bound. Only then is known what the variable of `IDENTIFIER(tab)`
or `EXECUTE IMMEDIATE query` holds, and whether `"a b"` is a name or a string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.blocks import Chunk
from lakeport.lineage.bodies import tokens_between
from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.names import written_parts
from lakeport.lineage.parameters import fill_markers
from lakeport.lineage.parse import Parsed, StatementParser
from lakeport.lineage.resplit import tokenised
from lakeport.lineage.shim import Shim
from lakeport.lineage.text import with_piece
from lakeport.lineage.variables import is_session_qualifier

if TYPE_CHECKING:
    from lakeport.lineage.session import Session
    from lakeport.lineage.workload import Statement

_IMMEDIATE = re.compile(
    r"EXECUTE\s+IMMEDIATE\s+(?P<name>(?:\w+\.)*[A-Za-z_]\w*)\s*(?=;|$|(?:INTO|USING)\b)",
    re.IGNORECASE,
)
_STRINGS = frozenset({TokenType.STRING, TokenType.RAW_STRING})


def read_by_session(session: Session, statement: Statement) -> None:
    """Parse the statement with the words it has in this session, if they are others."""
    chunk, written = statement.chunk, statement.text
    if chunk.blocks or chunk.error is not None:
        return
    run = _IMMEDIATE.match(written)
    if run is not None:
        _read_held(session, statement, run)
        return
    quoted = session.registry.settings.quoted_names and '"' in written
    texts = _texts(session) if "identifier" in written.lower() else {}
    if not (quoted or texts):
        return
    text, dialect = statement.source.content, session.dialect
    again = tokenised(Chunk([], chunk.start, chunk.end), text, dialect.parser)
    changed = quoted and _quote_names(again.tokens, text)
    if (texts and _put_values(session, again.tokens, texts)) or changed:
        statement.chunk = again
        parser = StatementParser(text, dialect, session.options.max_expression_depth)
        statement.parsed = parser.parse(again)


def _read_held(session: Session, statement: Statement, run: re.Match[str]) -> None:
    """The statement that a variable holds, in place of the one that runs it."""
    parts = [part for part, _ in written_parts(run["name"])]
    held = _texts(session).get(session.folding.column(parts[-1]))
    if held is None or not is_session_qualifier(parts[:-1]):
        return
    chunk, parser = statement.chunk, session.dialect.parser
    shown = chunk.start + run.start("name"), chunk.start + run.end("name")
    source, begin = with_piece(statement.source, held.rstrip("; \n"), shown)
    tokens = tokens_between(source.content, begin, len(source.content), parser, chunk.tokens[0])
    given = tokens_between(source.content, shown[1], chunk.end, parser, chunk.tokens[0])
    if not tokens:
        return
    values = fill_markers(tokens, given)
    reader = StatementParser(source.content, session.dialect, session.options.max_expression_depth)
    parsed = reader.parse(Chunk(tokens, begin, len(source.content)))
    if parsed.tree is None or parsed.shim is not None or isinstance(parsed.tree, exp.Command):
        return
    session.source = statement.source = source
    statement.parsed = Parsed(
        parsed.tree, shim=Shim("immediate", tokens, values=values), computed=True
    )


def _texts(session: Session) -> dict[str, str]:
    """The variables that hold a string."""
    return {name: held.text for name, held in session.variables.items() if held.text is not None}


def _quote_names(tokens: list[Token], text: str) -> bool:
    found = False
    for at, token in enumerate(tokens):
        if token.token_type is TokenType.STRING and text[token.start] == '"':
            tokens[at] = made_token(TokenType.IDENTIFIER, token.text, token)
            found = True
    return found


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
            named = tokens[place].token_type not in _STRINGS
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
