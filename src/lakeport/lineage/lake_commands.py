"""Delta's own statements, which the parser does not know: RESTORE, CONVERT, REORG, GENERATE, FSCK.

RESTORE and CONVERT change what a table is, so the table is named like that of an ALTER. The others
rewrite files, and no query sees a difference.
"""

from __future__ import annotations

from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

_BEHIND_RESTORED = frozenset({"TO", "VERSION", "TIMESTAMP"})
_BEHIND_CONVERTED = frozenset({"NO", "PARTITIONED", "PARTITIONED BY"})
# What is done to the files or to the name of a table, and leaves its rows what they are.
_KEPT = (
    ["REORG", "TABLE"],
    ["FSCK", "REPAIR"],
    ["UNDROP", "TABLE"],
    ["SYNC", "SCHEMA"],
    ["SYNC", "TABLE"],
    ["LOCK", "TABLE"],
    ["UNLOCK", "TABLE"],
)
_BEFORE_NAME = frozenset({"IF", "EXISTS", "ONLY"})
_FIELDS = ("this", "db", "catalog")


def lake_command(tokens: list[Token]) -> exp.Expr | None:
    """The tree of such a statement, None if it is another one."""
    words = [token.text.upper() for token in tokens]
    if words[:2] in _KEPT or (words[0] == "GENERATE" and "FOR" in words[2:3]):
        return exp.column(words[0])
    if words[0] == "RESTORE" and ("AS", "OF") in pairwise(words):
        return _changed(tokens, words, 1 + (words[1] == "TABLE"), _BEHIND_RESTORED)
    if words[:2] == ["CONVERT", "TO"] and words[2:3] in (["DELTA"], ["ICEBERG"]):
        return _changed(tokens, words, 3, _BEHIND_CONVERTED)
    return None


def named_table(tokens: list[Token]) -> exp.Table:
    """The table that a dotted name means, behind IF EXISTS and before words such as ON CLUSTER."""
    at = 0
    while at < len(tokens) - 1 and tokens[at].text.upper() in _BEFORE_NAME:
        at += 1
    named = [tokens[at]]
    while at + 2 < len(tokens) and tokens[at + 1].token_type is TokenType.DOT:
        at += 2
        named.append(tokens[at])
    parts = [
        exp.Identifier(
            this=token.text, quoted=token.token_type is TokenType.IDENTIFIER
        ).update_positions(token)
        for token in named
    ]
    return exp.Table(**dict(zip(_FIELDS, reversed(parts), strict=False)))


def _changed(
    tokens: list[Token], words: list[str], start: int, behind: frozenset[str]
) -> exp.Expr | None:
    """An ALTER that tells no column of the table whose name ends before one of these words."""
    end = next((n for n in range(start, len(words)) if words[n] in behind), len(words))
    if end == start:
        return None
    return exp.Alter(this=named_table(tokens[start:end]), kind="TABLE", actions=[])
