"""Snowflake's `CREATE STREAM s ON TABLE t …`: the rows of a table that change, and how they do."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token

_STREAMED = frozenset({"TABLE", "VIEW", "EXTERNAL", "DYNAMIC", "EVENT", "ICEBERG", "IF", "EXISTS"})
# The columns of a stream, each as a value of its type.
_ABOUT_CHANGES = (
    ("METADATA$ACTION", TokenType.STRING, "INSERT"),
    ("METADATA$ISUPDATE", TokenType.TRUE, "TRUE"),
    ("METADATA$ROW_ID", TokenType.STRING, "id"),
)


def stream_as_view(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """The view that has a stream's columns, None if the statement makes no stream."""
    if words[0] != "CREATE" or "STREAM" not in words[1:4] or "ON" not in words:
        return None
    made_at, at = words.index("STREAM"), words.index("ON") + 1
    while at < len(words) and words[at] in _STREAMED:
        at += 1
    end = at + 1
    while end + 1 < len(tokens) and tokens[end].token_type is TokenType.DOT:
        end += 2
    if end > len(tokens):
        return None
    here = tokens[at - 1]
    query = [made_token(TokenType.SELECT, "SELECT", here), made_token(TokenType.STAR, "*", here)]
    for name, kind, value in _ABOUT_CHANGES:
        query += [
            made_token(TokenType.COMMA, ",", here),
            made_token(kind, value, here),
            made_token(TokenType.ALIAS, "AS", here),
            made_token(TokenType.VAR, name, here),
        ]
    view = made_token(TokenType.VIEW, "VIEW", tokens[made_at])
    before = [*tokens[:made_at], view, *tokens[made_at + 1 : words.index("ON")]]
    made = [*before, made_token(TokenType.ALIAS, "AS", here), *query]
    return [*made, made_token(TokenType.FROM, "FROM", here), *tokens[at:end]]


def nowhere_written(view: exp.Expr) -> exp.Expr:
    """The names of these columns have no place in the text."""
    for made in view.find_all(exp.Alias):
        made.args["alias"].meta.clear()
    return view
