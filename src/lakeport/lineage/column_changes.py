"""A column of an ALTER that is changed, placed or inside of a struct, as the parser knows it.

The tokens that stay are the user's, so spans stay exact; what the tokens cannot say is given back to the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.respelt import respelt

if TYPE_CHECKING:
    from collections.abc import Callable

_FEW = 12
# What may be altered of a column.
_COLUMN_ACTIONS = frozenset({"AFTER", "COMMENT", "DROP", "FIRST", "SET", "TYPE"})
_BEHIND_TYPE = frozenset({"AFTER", "COMMENT", "FIRST", "NOT"})


def altered_column(tokens: list[Token]) -> list[Token] | None:
    """Spark's `CHANGE a AFTER b` is `ALTER COLUMN a AFTER b`, and Delta's `CHANGE s.a a int` a new type.

    With a new name it is Hive's CHANGE, and for a field of a struct a RENAME.
    """
    if not tokens or tokens[0].token_type is not TokenType.ALTER:
        return None
    words = [token.text.upper() for token in tokens]
    if words[1:2] != ["TABLE"] or "CHANGE" not in words[3:_FEW]:
        return None
    at = words.index("CHANGE", 3)
    start = at + 1 + (words[at + 1 : at + 2] == ["COLUMN"])
    end = start + 1
    while words[end : end + 1] == ["."]:
        end += 2
    if end >= len(words):
        return None
    behind = tokens[end:]
    if words[end] == words[end - 1]:
        # The name stays what it is, and behind it stands the type.
        kept = next((n for n in range(end, len(words)) if words[n] in _BEHIND_TYPE), len(words))
        place = [] if end - start > 1 else _place(tokens)
        typed = made_token(TokenType.VAR, "TYPE", tokens[end])
        behind = [typed, *tokens[end + 1 : kept], *place]
    elif words[end] not in _COLUMN_ACTIONS:
        return _renamed_field(tokens, at, start, end) if end - start > 1 else None
    altered = made_token(TokenType.ALTER, "ALTER", tokens[at])
    column = made_token(TokenType.COLUMN, "COLUMN", tokens[start - 1])
    return [*tokens[:at], altered, column, *tokens[start:end], *behind]


def _renamed_field(tokens: list[Token], at: int, start: int, end: int) -> list[Token]:
    """`CHANGE s.a b int` as `RENAME COLUMN s.a TO b`."""
    return [
        *tokens[:at],
        made_token(TokenType.RENAME, "RENAME", tokens[at]),
        made_token(TokenType.COLUMN, "COLUMN", tokens[start - 1]),
        *tokens[start:end],
        made_token(TokenType.VAR, "TO", tokens[end]),
        tokens[end],
    ]


def _place(tokens: list[Token]) -> list[Token]:
    """The end of a statement that says where a column goes."""
    words = [token.text.upper() for token in tokens[-2:]]
    return tokens[-1:] if words[-1] == "FIRST" else tokens[-2:] if words[0] == "AFTER" else []


def nested_column(tokens: list[Token]) -> tuple[list[Token], str] | None:
    """`ALTER COLUMN a.b TYPE int` for the column `b`, and the names before it."""
    words = [token.text.upper() for token in tokens[:_FEW]]
    if words[:2] != ["ALTER", "TABLE"] or "COLUMN" not in words[3:]:
        return None
    start = words.index("COLUMN", 3) + 1
    end = start
    while end + 2 < len(tokens) and tokens[end + 1].token_type is TokenType.DOT:
        end += 2
    if end == start or words[start - 2] not in {"ALTER", "CHANGE"}:
        return None
    names = ".".join(token.text for token in tokens[start:end:2])
    return [*tokens[:start], *tokens[end:]], names


def within(names: str) -> Callable[[exp.Expr], exp.Expr]:
    """What gives the column of an ALTER its struct back."""

    def finish(tree: exp.Expr) -> exp.Expr:
        for action in tree.args.get("actions") or []:
            if isinstance(action, exp.AlterColumn):
                column = action.this.this if isinstance(action.this, exp.Column) else action.this
                parts = [exp.to_identifier(name) for name in names.split(".")]
                action.set("this", exp.Dot.build([*parts, column.copy()]))
        return tree

    return finish


def placed_column(tokens: list[Token]) -> tuple[list[Token], exp.ColumnPosition] | None:
    """`CHANGE a b int AFTER c` and `ALTER COLUMN a FIRST` without the place, and the place."""
    words = [token.text.upper() for token in tokens]
    if words[:2] != ["ALTER", "TABLE"] or {"CHANGE", "ALTER"}.isdisjoint(words[3:_FEW]):
        return None
    if words[-1] == "FIRST":
        kept, place = tokens[:-1], exp.ColumnPosition(position="FIRST")
    elif words[-2] == "AFTER":
        named = tokens[-1]
        after = exp.to_identifier(named.text, quoted=named.token_type is TokenType.IDENTIFIER)
        kept, place = tokens[:-2], exp.ColumnPosition(this=after, position="AFTER")
    else:
        return None
    if words[len(kept) - 2] == "COLUMN":
        # The parser wants to know what is altered: a default, which no query sees.
        last = kept[-1]
        kept = [*kept, made_token(TokenType.DROP, "DROP", last)]
        kept.append(made_token(TokenType.DEFAULT, "DEFAULT", last))
    return respelt(kept) or kept, place


def at_place(place: exp.ColumnPosition) -> Callable[[exp.Expr], exp.Expr]:
    """What gives the column of an ALTER its place back."""

    def finish(tree: exp.Expr) -> exp.Expr:
        for action in tree.args.get("actions") or []:
            if isinstance(action, exp.AlterColumn):
                action.set("position", place)
        return tree

    return finish
