"""BigQuery's `ML.EVALUATE(MODEL m, TABLE t)`: a model is no table, and the table is an argument."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token


def without_models(tokens: list[Token]) -> list[Token]:
    """The tokens with a query for each table that is an argument, and no models."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        token, before = tokens[at], kept[-1].text if kept else ""
        word, end = token.text.upper(), at + 2
        while end + 1 < len(tokens) and tokens[end].token_type is TokenType.DOT:
            end += 2
        following = tokens[end].text if end < len(tokens) else ""
        if word == "MODEL" and before == "(" and following in {",", ")"}:
            at = end + (following == ",")
        elif word == "TABLE" and before in {"(", ","} and following in {",", ")"}:
            star = ((TokenType.L_PAREN, "("), (TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"))
            kept += [made_token(kind, text, token) for kind, text in star]
            kept += [made_token(TokenType.FROM, "FROM", token), *tokens[at + 1 : end]]
            kept.append(made_token(TokenType.R_PAREN, ")", token))
            at = end
        else:
            kept.append(token)
            at += 1
    return kept
