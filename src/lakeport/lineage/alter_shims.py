"""ALTER statements that the parser cannot read: of Iceberg, Oracle and views, and columns at a place or in a struct.

As all shims, each recognises its statement by its first words or lets the next one look.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.column_changes import (
    at_place,
    nested_column,
    placed_column,
    within,
)
from lakeport.lineage.lake_commands import named_table
from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.modified_columns import modifications, modified, unused
from lakeport.lineage.shim import Shim


def _alter_columns(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """List forms of ADD and DROP COLUMN, which the parser knows only with COLUMNS."""
    if words[:2] != ["ALTER", "TABLE"]:
        return None
    for position in range(3, min(len(tokens) - 1, 12)):
        before, word = words[position - 1], words[position]
        if word not in {"COLUMN", "COLUMNS"} or before not in {"ADD", "DROP"}:
            continue
        # Whether there is such a column does not matter here.
        tested = words[position + 1 : position + 3] == ["IF", "EXISTS"]
        rest = tokens[position + 1 + 2 * tested :]
        if not rest:
            continue
        plural = made_token(TokenType.VAR, "COLUMNS", tokens[position])
        if rest[0].token_type is TokenType.L_PAREN:
            return Shim("alter_columns", [*tokens[:position], plural, *rest])
        opened = made_token(TokenType.L_PAREN, "(", rest[0])
        closed = made_token(TokenType.R_PAREN, ")", rest[-1])
        return Shim("alter_columns", [*tokens[:position], plural, opened, *rest, closed])
    return None


def _alter_view(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """T-SQL's `ALTER VIEW v WITH SCHEMABINDING AS …`: the options mean nothing here."""
    if words[:2] != ["ALTER", "VIEW"] or "WITH" not in words:
        return None
    start = words.index("WITH")
    end = next((n for n, t in enumerate(tokens) if t.token_type is TokenType.ALIAS), None)
    if end is None or end < start:
        return None
    return Shim("alter_view", [*tokens[:start], *tokens[end:]])


def _set_schema(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """`ALTER TABLE s.t SET SCHEMA u` is a rename to `u.t`."""
    if words[:2] != ["ALTER", "TABLE"] or words[-3:-1] != ["SET", "SCHEMA"] or len(tokens) > 12:
        return None
    table = tokens[-4]
    renamed = [
        made_token(TokenType.RENAME, "RENAME", tokens[-3]),
        made_token(TokenType.VAR, "TO", tokens[-2]),
        tokens[-1],
        made_token(TokenType.DOT, ".", table),
        table,
    ]
    return Shim("set_schema", [*tokens[:-3], *renamed])


_ICEBERG_ALTERS = (
    ("ADD", "PARTITION", "FIELD"),
    ("DROP", "PARTITION", "FIELD"),
    ("REPLACE", "PARTITION", "FIELD"),
    ("WRITE", "ORDERED"),
    ("WRITE", "LOCALLY"),
    ("WRITE", "DISTRIBUTED"),
    ("WRITE", "UNORDERED"),
    ("CREATE", "BRANCH"),
    ("CREATE", "TAG"),
    ("CREATE", "OR", "REPLACE"),
    ("REPLACE", "BRANCH"),
    ("REPLACE", "TAG"),
    ("DROP", "BRANCH"),
    ("DROP", "TAG"),
    ("SET", "IDENTIFIER"),
    ("DROP", "IDENTIFIER"),
    ("UNSET", "TBLPROPERTIES"),
    ("RECOVER", "PARTITIONS"),
    ("WITH", "SCHEMA"),
)


# The last words of an ALTER COLUMN that no query sees.
_UNSEEN = frozenset({"COMMENT", "FIRST", "IDENTITY"})


def _iceberg_alter(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """Layout, branches and tags: the table is named, its columns stay. An empty ALTER says so."""
    if words[:2] not in (["ALTER", "TABLE"], ["ALTER", "VIEW"]):
        return None
    for position in range(3, min(len(words), 10)):
        layout = any(
            tuple(words[position : position + len(form)]) == form for form in _ICEBERG_ALTERS
        )
        column = words[position : position + 2] == ["ALTER", "COLUMN"]
        if layout or (column and words[-1] in _UNSEEN) or _comments(words[position:]):
            altered = exp.Alter(this=named_table(tokens[2:position]), kind=words[1], actions=[])
            return Shim("iceberg_alter", tree=altered)
    return None


def _comments(words: list[str]) -> bool:
    """`CHANGE [COLUMN] a COMMENT '…'`."""
    return words[:1] == ["CHANGE"] and "COMMENT" in words[2:4] and len(words) <= 5


def _modify(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """Oracle's `MODIFY (a NUMBER(9), b NOT NULL)` reads like an ADD of the same columns."""
    if words[:2] != ["ALTER", "TABLE"] or "MODIFY" not in words[3:]:
        return None
    at = words.index("MODIFY", 3)
    added = modified(tokens, at)
    if added is None:
        altered = exp.Alter(this=named_table(tokens[2:at]), kind="TABLE", actions=[])
        return Shim("modify", tree=altered)
    return Shim("modify", added, finish=modifications)


def _set_unused(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """Oracle's `SET UNUSED (a, b)` drops columns, but for the space they take."""
    if words[:2] != ["ALTER", "TABLE"] or "UNUSED" not in words[4:]:
        return None
    at = words.index("UNUSED", 4) - 1
    return Shim("set_unused", unused(tokens, at)) if words[at] == "SET" else None


def _nested_column(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    found = nested_column(tokens)
    return Shim("nested_column", found[0], finish=within(found[1])) if found is not None else None


def _placed_column(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    found = placed_column(tokens)
    return Shim("placed_column", found[0], finish=at_place(found[1])) if found is not None else None


# Of a column, of a table and of a view; what is only another spelling comes in between.
COLUMN_SHIMS = (_alter_columns, _nested_column, _placed_column)
TABLE_SHIMS = (_set_schema, _iceberg_alter, _modify, _set_unused)
VIEW_SHIMS = (_alter_view,)
