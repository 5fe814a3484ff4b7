"""Names with a variable inside, `db_${env}.orders_${day}`: one name, although it is many tokens.

A variable that is a whole part of a name, `${lake}.orders`, Spark's parser knows by itself.
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

_BEFORE_NAMES = frozenset({"FROM", "JOIN", "INTO", "TABLE", "UPDATE", "VIEW", "."})


def glue_variables(tokens: list[Token], text: str, *, knows_variables: bool) -> None:
    """Make one token of each name, in place."""
    at = 0
    while at < len(tokens):
        end = _end(tokens, at)
        if end - at > 4 or (end - at == 4 and not knows_variables and _is_name(tokens, at, end)):
            first, last = tokens[at], tokens[end - 1]
            name = text[first.start : last.end + 1]
            glued = Token(TokenType.VAR, name, last.line, last.col, start=first.start, end=last.end)
            tokens[at:end] = [glued]
        at += 1


def _is_name(tokens: list[Token], start: int, end: int) -> bool:
    """Whether a variable stands where a part of a table's name does."""
    before = tokens[start - 1].text.upper() if start else ""
    after = tokens[end].text if end < len(tokens) else ""
    return after == "." or before in _BEFORE_NAMES


def _end(tokens: list[Token], start: int) -> int:
    """Where a name ends that starts here and holds a variable; `start` if none does."""
    at, held = start, False
    while at < len(tokens) and (at == start or tokens[at].start == tokens[at - 1].end + 1):
        if tokens[at].text.endswith("$") and [t.text for t in tokens[at + 1 : at + 4 : 2]] == [
            "{",
            "}",
        ]:
            held, at = True, at + 4
        elif tokens[at].token_type is TokenType.VAR or (held and tokens[at].text.isalnum()):
            at += 1
        else:
            break
    return at if held else start
