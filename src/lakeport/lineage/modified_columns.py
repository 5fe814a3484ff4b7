"""Columns that ALTER TABLE modifies or leaves unused in Oracle's words, which the parser does not know.

The tokens are rewritten into words it does know, at the places of the user's own. A column that is
modified is read as one that is added, and then made what it is: its type may be left out.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.made_tokens import made_token

# What else of a table is modified: its columns stay.
_NO_COLUMNS = frozenset(
    {
        "CLUSTERING",
        "COMMENT",
        "CONSTRAINT",
        "DEFAULT",
        "LOB",
        "NESTED",
        "OPAQUE",
        "ORDER",
        "PARTITION",
        "PRIMARY",
        "QUERY",
        "REFRESH",
        "SETTING",
        "SUBPARTITION",
        "TTL",
        "UNIQUE",
        "VARRAY",
    }
)
# Words behind a column that the parser takes for a type.
_NO_TYPES = frozenset({"INVISIBLE", "VISIBLE", "ENCRYPT", "DECRYPT", "SET", "UNSET"})


def modified(tokens: list[Token], at: int) -> list[Token] | None:
    """The tokens with ADD for the MODIFY at that place; None if no column is modified."""
    rest = [token for token in tokens[at + 1 :] if token.text.upper() != "COLUMN"]
    if not rest or rest[0].text.upper() in _NO_COLUMNS:
        return None
    return [*tokens[:at], made_token(TokenType.VAR, "ADD", tokens[at]), *rest]


def modifications(tree: exp.Expr) -> exp.Expr:
    """The columns of such an ADD as what they are."""
    actions: list[exp.Expr] = []
    for action in tree.args.get("actions") or []:
        columns = action.expressions if isinstance(action, exp.Schema) else [action]
        actions += [_modification(column) for column in columns]
    tree.set("actions", actions)
    return tree


def _modification(column: exp.Expr) -> exp.Expr:
    if not isinstance(column, exp.ColumnDef):
        return column
    kind = column.args.get("kind")
    if isinstance(kind, exp.DataType) and str(kind.args.get("kind") or "").upper() in _NO_TYPES:
        column.set("kind", None)
    return exp.ModifyColumn(this=column)


def unused(tokens: list[Token], at: int) -> list[Token]:
    """The tokens with a DROP COLUMN for each name behind the SET UNUSED at that place."""
    made = tokens[:at]
    for token in tokens[at + 2 :]:
        if token.text.upper() in {"COLUMN", "(", ")", ","}:
            continue
        if token.text.upper() in {"CASCADE", "INVALIDATE", "ONLINE"}:
            break
        if len(made) > at:
            made.append(made_token(TokenType.COMMA, ",", token))
        drop = (
            made_token(TokenType.DROP, "DROP", token),
            made_token(TokenType.COLUMN, "COLUMN", token),
        )
        made += (*drop, token)
    return made
