"""`IDENTIFIER('db.' || 'orders')` of Spark and Snowflake: a name in a string, replaced by the name itself.

Done on tokens before parsing, so that tables, columns and functions named this way are read, bound
and printed like any other. A clause that is not constant is a name of its own where only a table can
stand, told as one that is known at run time; elsewhere it stays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.comments import on_one_line
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Iterator

_T = TokenType
_PART = re.compile(r'(?:`((?:[^`]|``)+)`|"((?:[^"]|"")+)"|([^`".\s]+))(\.|$)')
_PLAIN = re.compile(r"[A-Za-z_]\w*")
# The quotes of each group of a part; those of Snowflake keep the name as it is written.
_QUOTES = {1: "`", 2: '"', 3: ""}
_EXACT = 2


_STRINGS = frozenset({_T.STRING, _T.RAW_STRING})
# What may stand among strings that make one.
_JOINED = _STRINGS | {_T.DPIPE, _T.COMMA, _T.L_PAREN, _T.R_PAREN}
# The words in front of a table, and those behind which a function may stand as well.
_BEFORE_TABLES = frozenset({"TABLE", "VIEW", "INTO", "UPDATE", "EXISTS", "OVERWRITE"})
_BEFORE_VALUES = frozenset(
    {"SELECT", "DISTINCT", "WHERE", "ON", "AND", "OR", "NOT", "HAVING", "BY"}
)
_BEFORE_SOURCES = frozenset({"FROM", "JOIN", "USING"})


def fold_identifiers(tokens: list[Token], text: str) -> bool:
    """Replace every IDENTIFIER clause that names a table or is constant, in place; whether there was one."""
    found = False
    at = len(tokens) - 3
    while at >= 0:
        if tokens[at].token_type is _T.VAR and tokens[at].text.upper() == "IDENTIFIER":
            end = _closing(tokens, at)
            names = list(_names(tokens[at + 2 : end])) if end else []
            if names:
                if _is_value(tokens, at, end):
                    # A column, whatever its name looks like, and a field of it.
                    opened = made_token(_T.L_PAREN, "(", tokens[at])
                    names = [opened, *names, made_token(_T.R_PAREN, ")", tokens[end])]
                tokens[at : end + 1] = names
                found = True
            elif (end := closing(tokens, at + 1)) and _names_table(tokens, at, end):
                start, last = tokens[at].start, tokens[end].end
                name = f"IDENTIFIER{on_one_line(text, tokens[at + 1 : end + 1])}"
                tokens[at : end + 1] = [_token(_T.IDENTIFIER, name, tokens[at], start, last)]
                found = True
        at -= 1
    return found


def is_dynamic(label: str) -> bool:
    """Whether a name is a clause that was folded although nobody knows what it will be."""
    return label.startswith("IDENTIFIER(")


def _is_value(tokens: list[Token], at: int, end: int) -> bool:
    """Whether a clause before a dot and a name stands where no table can."""
    before = tokens[at - 1].text.upper().rpartition(" ")[2] if at else ""
    behind = [token.token_type for token in tokens[end + 1 : end + 3]]
    return before in _BEFORE_VALUES and behind == [_T.DOT, _T.VAR]


def _names_table(tokens: list[Token], at: int, end: int) -> bool:
    before = tokens[at - 1].text.upper() if at else ""
    if before in _BEFORE_TABLES:
        return True
    called = end + 1 < len(tokens) and tokens[end + 1].token_type is _T.L_PAREN
    return before in _BEFORE_SOURCES and not called


def _closing(tokens: list[Token], at: int) -> int:
    """Where the clause at `at` ends; 0 if it holds anything but strings, side by side, with `||`
    between them or in a call of `concat`.
    """
    end = closing(tokens, at + 1) if tokens[at + 1].token_type is _T.L_PAREN else 0
    strings = False
    for place in range(at + 2, end):
        token = tokens[place]
        strings = strings or token.token_type in _STRINGS
        if token.token_type not in _JOINED and token.text.upper() != "CONCAT":
            return 0
    return end if strings else 0


def _names(pieces: list[Token]) -> Iterator[Token]:
    """The parts of the name and the dots between them; nothing if it is no name."""
    literals = [piece for piece in pieces if piece.token_type in _STRINGS]
    text = "".join(piece.text for piece in literals)
    parts = list(_PART.finditer(text))
    if "".join(part.group() for part in parts) != text or text.endswith("."):
        return
    written = literals[0].token_type is _T.STRING
    whole = len(literals) == 1 and written and literals[0].end - literals[0].start == len(text) + 1
    for number, part in enumerate(parts):
        group = next(number for number in _QUOTES if part[number])
        quote = _QUOTES[group]
        name = part[group].replace(quote * 2, quote) if quote else part[group]
        # A name that stands in one string keeps its exact place; a computed one has the clause's.
        start = literals[0].start + 1 + part.start(group) if whole else pieces[0].start
        end = start + len(part.group(group)) - 1 if whole else pieces[-1].end
        if number:
            yield _token(_T.DOT, ".", pieces[0], start, start)
        plain = group != _EXACT and _PLAIN.fullmatch(name)
        yield _token(_T.VAR if plain else _T.IDENTIFIER, name, pieces[0], start, end)


def _token(kind: TokenType, text: str, at: Token, start: int, end: int) -> Token:
    return Token(kind, text, line=at.line, col=at.col, start=start, end=end)
