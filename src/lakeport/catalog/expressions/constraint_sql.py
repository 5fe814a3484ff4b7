"""Table constraints as SQL text: `UNIQUE (a, b)`, `CONSTRAINT positive CHECK (price > 0)`.

Only the frame is read here, token by token. The condition of a CHECK is handed on as it was written:
whoever defines the constraint has it parsed by the engine that will run it.
"""

from __future__ import annotations

from typing import Any, Literal

from lakeport.catalog.definition import Check, Constraint, PrimaryKey, Unique
from lakeport.core.errors import InvalidRequestError, LimitError, UnsupportedError

_MAX_TEXT = 64 * 1024
_HINT = "write UNIQUE (a, b), PRIMARY KEY (a) or CHECK (condition), with or without CONSTRAINT name"


def constraint_from_sql(text: str) -> Constraint:
    """The constraint, unchecked; its name is empty when the text gives none."""
    if len(text) > _MAX_TEXT:
        raise LimitError(f"the constraint is longer than {_MAX_TEXT // 1024} kB")
    tokens = _tokens(text)
    name = ""
    if _keyword(tokens) == "CONSTRAINT" and len(tokens) > 1:
        name = _name(tokens[1], text)
        tokens = tokens[2:]
    kind = _keyword(tokens)
    if kind == "FOREIGN KEY":
        raise UnsupportedError("FOREIGN KEY is not supported", hint=_HINT)
    inside = _inside(tokens[1:], text)
    if kind == "PRIMARY KEY":
        columns = _names(inside, text)
        return PrimaryKey(columns, name) if name else PrimaryKey(columns)
    if kind == "UNIQUE":
        return Unique(_names(inside, text), name)
    if kind == "CHECK":
        return Check(text[inside[0].start : inside[-1].end + 1], name)
    raise _unreadable(text)


def constraint_to_sql(constraint: Constraint) -> str:
    """What `constraint_from_sql` reads as the same constraint."""
    if isinstance(constraint, Check):
        body = (
            f"CHECK ({constraint.expression}\n)"  # a comment at its end must not hide the bracket
        )
    else:
        kind = "PRIMARY KEY" if isinstance(constraint, PrimaryKey) else "UNIQUE"
        body = f"{kind} ({', '.join(map(_in_quotes, constraint.columns))})"
    if not constraint.name or constraint == PrimaryKey(getattr(constraint, "columns", ())):
        return body
    return f"CONSTRAINT {_in_quotes(constraint.name)} {body}"


def _in_quotes(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _tokens(text: str) -> list[Any]:
    # A server starts without: it takes longer to load than all of the network door.
    from sqlglot.dialects.duckdb import DuckDB  # noqa: PLC0415
    from sqlglot.errors import TokenError  # noqa: PLC0415

    try:
        return list(DuckDB().tokenize(text))
    except TokenError as error:
        raise _unreadable(text) from error


def _is(token: Any, kind: Literal["IDENTIFIER", "STRING", "L_PAREN", "R_PAREN", "COMMA"]) -> bool:
    """`kind` is a name of sqlglot's TokenType."""
    is_so: bool = token.token_type.name == kind
    return is_so


def _keyword(tokens: list[Any]) -> str:
    """The first word in capitals; sqlglot makes one token of `PRIMARY KEY`."""
    if not tokens or _is(tokens[0], "IDENTIFIER"):
        return ""
    return " ".join(tokens[0].text.upper().split())


def _inside(tokens: list[Any], text: str) -> list[Any]:
    """What stands between the brackets that must be all of `tokens`."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += _is(token, "L_PAREN") - _is(token, "R_PAREN")
        if depth <= 0 and place < len(tokens) - 1:
            raise _unreadable(text)
    if depth != 0 or len(tokens) < 3:
        raise _unreadable(text)
    return tokens[1:-1]


def _names(tokens: list[Any], text: str) -> tuple[str, ...]:
    commas = tokens[1::2]
    if len(tokens) % 2 == 0 or not all(_is(token, "COMMA") for token in commas):
        raise _unreadable(text)
    return tuple(_name(token, text) for token in tokens[::2])


def _name(token: Any, text: str) -> str:
    quoted = _is(token, "IDENTIFIER")
    word = not _is(token, "STRING") and token.text.isidentifier()
    if not quoted and not word:
        raise _unreadable(text)
    found: str = token.text
    return found


def _unreadable(text: str) -> InvalidRequestError:
    shown = text if len(text) <= 60 else text[:59] + "…"
    return InvalidRequestError(f"not a table constraint: {shown}", hint=_HINT)
