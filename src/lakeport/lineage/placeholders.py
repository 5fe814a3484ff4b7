"""`%s`, `%(name)s`, `:1`, `?2`, `:'name'` and `&name`: where drivers and shells fill in values."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token

_OPERANDS = frozenset(
    {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.NUMBER,
        TokenType.STRING,
        TokenType.R_PAREN,
        TokenType.R_BRACKET,
        TokenType.R_BRACE,
    }
)
# A slice begins with a bracket: `a[:2]`.
_BEFORE_OPERATORS = _OPERANDS | {TokenType.L_BRACKET}
# What may stand behind the sign that begins a parameter.
_BEGINS = {
    TokenType.AMP: frozenset({TokenType.NUMBER, TokenType.VAR}),
    TokenType.COLON: frozenset({TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.STRING}),
    TokenType.DAMP: frozenset({TokenType.NUMBER, TokenType.VAR}),
    TokenType.PLACEHOLDER: frozenset({TokenType.NUMBER}),
}
_SHELL = frozenset({TokenType.AMP, TokenType.DAMP})
_BEFORE_TABLES = frozenset(
    {TokenType.DOT, TokenType.FROM, TokenType.INTO, TokenType.JOIN, TokenType.UPDATE}
)


def filled_in(tokens: list[Token]) -> list[Token]:
    """The tokens with a parameter for each of them; behind a value `%` and `:` are operators."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.token_type in _BEGINS and _is_glued(tokens, at):
            named = token.token_type in _SHELL and kept and kept[-1].token_type in _BEFORE_TABLES
            kept.append(
                _table(token, tokens[at + 1])
                if named
                else made_token(TokenType.PLACEHOLDER, "?", token)
            )
            at += 2
            continue
        end = at + (4 if tokens[at + 1 : at + 2] and tokens[at + 1].text == "(" else 1)
        filled = token.token_type is TokenType.MOD and end < len(tokens) and tokens[end].text == "s"
        if filled and (not kept or kept[-1].token_type not in _OPERANDS):
            kept.append(made_token(TokenType.PLACEHOLDER, "?", token))
            at = end + 1
        else:
            kept.append(token)
            at += 1
    return kept


def _table(sign: Token, name: Token) -> Token:
    """A table that a shell names is one nobody knows, called as it is written."""
    text = f"{sign.text}{name.text}"
    return Token(TokenType.VAR, text, name.line, name.col, sign.start, name.end)


def _is_glued(tokens: list[Token], at: int) -> bool:
    """Whether the sign there begins a parameter: nothing is between it and what it names."""
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    return (
        behind is not None
        and (
            behind.token_type in _BEGINS[tokens[at].token_type]
            or (tokens[at].token_type in _SHELL and behind.text.isidentifier())
        )
        and behind.start == tokens[at].end + 1
        and bool(at)
        and tokens[at - 1].token_type not in _BEFORE_OPERATORS
    )
