"""Functions the workload creates: their full names, and the columns of those that return tables.

Read from tokens, because the parser keeps most of `CREATE FUNCTION` as opaque text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.comments import on_one_line
from lakeport.lineage.engines import tree_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.names import Name
    from lakeport.lineage.registry import Registry

_T = TokenType
_KINDS = ("FUNCTION", "MACRO")
# What stands before the value of a parameter that a call may leave out.
_DEFAULTS = frozenset({"DEFAULT", ":=", "=", "=>"})
_OPEN = frozenset({_T.L_PAREN, _T.LT, _T.L_BRACKET})
_CLOSE = frozenset({_T.R_PAREN, _T.GT, _T.R_BRACKET})
_ROWS = frozenset({("RETURNS", "TABLE"), ("TABLE", "FUNCTION"), ("AS", "TABLE")})
_DEFINES = frozenset({_T.CREATE, _T.DROP})
_CONSTRAINTS = frozenset({_T.PRIMARY_KEY, _T.UNIQUE, _T.CONSTRAINT})
_AFTER_TYPE = frozenset(
    {
        "RETURN",
        "LANGUAGE",
        "COMMENT",
        "NOT",
        "DETERMINISTIC",
        "CONTAINS",
        "READS",
        "SQL",
        "AS",
        "BEGIN",
    }
)


@dataclass(frozen=True, slots=True)
class Input:
    """One input of what a body gives: a parameter by its number, or a stored relation's column.

    Without a column it is the relation as a whole.
    """

    origin: int | Name
    column: str | None
    role: int
    copied: bool
    masking: bool = False
    operation: str | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A column of what a body gives, or its value."""

    inputs: tuple[Input, ...]
    copied: bool


@dataclass(frozen=True, slots=True)
class Body:
    """What the body of a function gives, as far as it could be read."""

    columns: tuple[tuple[str, str], ...] = ()
    made: tuple[Made, ...] | None = None
    # What it filters, joins or groups by.
    decides: tuple[Input, ...] = ()
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Routine:
    """A created function. `columns` are (name, type) pairs of a table, `returns` is a value's type."""

    name: str
    columns: tuple[tuple[str, str], ...] | None = None
    returns: str | None = None
    # What its columns or its value are made of; None if that is not known.
    body: Body | None = None
    # The fewest and the most arguments, as far as a list of parameters says it.
    takes: tuple[int, int] | None = None

    def fits(self, count: int) -> bool:
        """Whether a call with so many arguments can mean this function and no other of its name."""
        return self.takes is None or self.takes[0] <= count <= self.takes[1]

    def is_called(self, name: str) -> bool:
        """Whether a call by this name, qualified or not, means this function."""
        return f".{self.name}".casefold().endswith(f".{name}".casefold())


def note_routine(
    tokens: Sequence[Token], text: str, registry: Registry, body: Body | None = None
) -> None:
    """Learn from a CREATE or DROP FUNCTION; every other statement is none of our business.

    What its header does not say follows from `body`: the columns of the query in it, or its value.
    """
    if not tokens or tokens[0].token_type not in _DEFINES:
        return
    words = [token.text.upper() for token in tokens[:7]]
    kind = next((word for word in _KINDS if word in words), None)
    if kind is None:
        return
    at = words.index(kind) + 1
    while at < len(tokens) and tokens[at].text.upper() in {"IF", "NOT", "EXISTS"}:
        at += 1
    parts, at = _dotted(tokens, at)
    if not parts:
        return
    if words[0] == "DROP":
        registry.define_routine(parts[-1], None)
        return
    temporary = "TEMPORARY" in words or "TEMP" in words
    name = parts[-1] if temporary else ".".join(registry.namespaces.full_name(parts))
    columns, returns = _table_columns(tokens, at, text), _value_type(tokens, at, text)
    if columns is None and (filled := _filled_variable(tokens, at, text)) is not None:
        variable, columns = filled
        registry.define_variable(variable, columns)
    words = [token.text.upper() for token in tokens]
    known = Routine(name, columns, returns, takes=_takes(tokens, at))
    routine = _completed(known, body or Body(), words)
    registry.define_routine(parts[-1], routine)


def _completed(routine: Routine, body: Body, words: list[str]) -> Routine:
    """A function with what its body tells beyond its header."""
    columns, returns, shown = routine.columns, routine.returns, body.columns
    rows = columns is not None or _gives_rows(words)
    if columns is None and len(shown) == 1 and "SETOF" in words:
        # A set of values is called like the function.
        shown = ((routine.name.rpartition(".")[2], shown[0][1]),)
    if rows and shown and not any(kind for _, kind in columns or ()):
        columns, returns = shown, None
    elif not rows and returns is None and len(shown) == 1:
        returns = shown[0][1] or None
    width = len(columns or ()) if rows else 1
    told = body.made is not None and len(body.made) == width
    return replace(routine, columns=columns, returns=returns, body=body if told else None)


def _takes(tokens: Sequence[Token], at: int) -> tuple[int, int] | None:
    """How many arguments the list of parameters at a place asks for."""
    end = (
        closing(list(tokens), at)
        if tokens[at : at + 1] and tokens[at].token_type is _T.L_PAREN
        else 0
    )
    if not end:
        return None
    fewest = most = depth = 0
    begin = at + 1
    for place in range(begin, end + 1):
        kind = tokens[place].token_type
        if (kind is _T.COMMA and not depth) or place == end:
            words = {token.text.upper() for token in tokens[begin:place]}
            if "VARIADIC" in words:
                return None
            if words and tokens[begin].text.upper() != "OUT":
                most += 1
                fewest += _DEFAULTS.isdisjoint(words)
            begin = place + 1
        depth += (kind in _OPEN) - (kind in _CLOSE)
    return fewest, most


def _gives_rows(words: list[str]) -> bool:
    """Whether a function gives a table: `RETURNS TABLE`, `SETOF t`, `TABLE FUNCTION`, `AS TABLE`."""
    return "SETOF" in words or not _ROWS.isdisjoint(pairwise(words))


def _dotted(tokens: Sequence[Token], at: int) -> tuple[list[str], int]:
    parts: list[str] = []
    while at < len(tokens):
        parts.append(tokens[at].text)
        at += 1
        if at >= len(tokens) or tokens[at].token_type is not _T.DOT:
            break
        at += 1
    return parts, at


def _table_columns(
    tokens: Sequence[Token], at: int, text: str
) -> tuple[tuple[str, str], ...] | None:
    """The columns of `RETURNS TABLE (a INT, b STRING)`, or of the query it returns."""
    while at + 2 < len(tokens):
        words = [token.text.upper() for token in tokens[at : at + 3]]
        if words == ["RETURNS", "TABLE", "("]:
            return tuple(_declared(tokens, at + 3, text))
        if words[:2] == ["RETURNS", "TABLE"]:
            return _returned(list(tokens[at + 2 :]), text)
        at += 1
    return None


def _filled_variable(
    tokens: Sequence[Token], at: int, text: str
) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """T-SQL's `RETURNS @rows TABLE (a INT)`: the variable that the body fills, and its columns."""
    for place in range(at, len(tokens) - 4):
        words = [token.text.upper() for token in tokens[place : place + 5]]
        if words[:2] == ["RETURNS", "@"] and words[3:] == ["TABLE", "("]:
            columns = _declared(tokens, place + 5, text)
            return f"@{tokens[place + 2].text}", tuple(columns)
    return None


def _value_type(tokens: Sequence[Token], at: int, text: str) -> str | None:
    """The type behind RETURNS, up to the next clause."""
    start = next((n for n, t in enumerate(tokens[at:], at + 1) if t.text.upper() == "RETURNS"), 0)
    end = start
    while 0 < end < len(tokens) and tokens[end].text.upper() not in _AFTER_TYPE:
        end += 1
    if end == start or tokens[start].text.upper() == "TABLE":
        return None
    return on_one_line(text, tokens[start:end])


def _returned(tokens: list[Token], text: str) -> tuple[tuple[str, str], ...] | None:
    """The names in the query behind RETURN; None if one of them is not written there."""
    start = next((n for n, token in enumerate(tokens, 1) if token.text.upper() == "RETURN"), 0)
    if not start:
        return None
    try:
        query = tree_of(tokens[start:], text, "spark")
    except (SqlglotError, RecursionError, ValueError):
        return None
    names = query.named_selects if isinstance(query, exp.Query) else []
    return (
        tuple((name, "") for name in names)
        if names and "" not in names and "*" not in names
        else None
    )


def _declared(tokens: Sequence[Token], at: int, text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    start, depth = at, 0
    while at < len(tokens):
        kind = tokens[at].token_type
        if depth == 0 and kind in {_T.COMMA, _T.R_PAREN}:
            if at - start > 1 and tokens[start].token_type not in _CONSTRAINTS:
                found.append(_column(tokens[start:at], text))
            if kind is _T.R_PAREN:
                break
            start = at + 1
        depth += kind in {_T.L_PAREN, _T.LT}
        depth -= kind in {_T.R_PAREN, _T.GT}
        at += 1
    return found


def _column(tokens: Sequence[Token], text: str) -> tuple[str, str]:
    """Name and type; a comment or a constraint behind the type is not part of it."""
    end = len(tokens)
    for position, token in enumerate(tokens):
        if token.text.upper() in {"COMMENT", "NOT", "DEFAULT"} and position > 1:
            end = position
            break
    return tokens[0].text, on_one_line(text, tokens[1:end])
