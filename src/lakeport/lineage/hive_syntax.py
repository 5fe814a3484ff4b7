"""Hive's clauses that say how rows are kept or checked, which the parser cannot read.

Tried only after parsing has failed. None of them carries a column, so they are left out; a window
that clusters is one that partitions. What stands for a table in Hive alone is in `hive_tables`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.hive_tables import PASSING, parted_rows, unique_join
from lakeport.lineage.lake_commands import named_table
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TokenType
# What a table is to Hive; to us it is a table.
_KINDS = frozenset({"MANAGED", "TRANSACTIONAL"})
_ARRANGED = frozenset({"CLUSTERED", "DISTRIBUTED", "PARTITIONED", "SORTED"})
_CHECKED = frozenset({"DISABLE", "ENABLE"})
# How far a constraint is trusted.
_TRUST = frozenset({"ENFORCED", "NORELY", "NOVALIDATE", "RELY", "VALIDATE"})
_DEFINING = frozenset({"ALTER", "CREATE"})
_HEAD = 6


def hive_syntax(tokens: list[Token]) -> list[Token] | None:
    """The tokens without what is known here; None if there was nothing of it."""
    words = [token.text.upper() for token in tokens]
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        rewrite = _REWRITES.get(words[at])
        if rewrite is None:
            made.append(tokens[at])
            at += 1
            continue
        kept, taken = rewrite(tokens, words, at)
        made += kept
        at += taken
    return made if made != tokens else None


def partition_change(tokens: list[Token]) -> exp.Expr | None:
    """`ALTER TABLE t PARTITION (…) RENAME TO PARTITION (…)`: the table is named, its columns stay.

    `PARTITION COLUMN (a int)` gives a new type to the column, which is an ALTER COLUMN.
    """
    words = [token.text.upper() for token in tokens]
    if words[:2] != ["ALTER", "TABLE"] or "PARTITION" not in words[3:_HEAD]:
        return None
    at = words.index("PARTITION", 3)
    actions: list[exp.Expr] = []
    if words[at + 1 : at + 3] == ["COLUMN", "("] and len(words) > at + 4:
        name = exp.to_identifier(tokens[at + 3].text)
        kind = exp.DataType.build(words[at + 4], dialect="hive", udt=True)
        actions = [exp.AlterColumn(this=exp.Column(this=name), dtype=kind)]
    elif "RENAME" not in words[at:]:
        return None
    return exp.Alter(this=named_table(tokens[2:at]), kind="TABLE", actions=actions)


def moved_files(tokens: list[Token]) -> tuple[list[Token], str | None] | None:
    """`IMPORT [EXTERNAL] TABLE t FROM 'p'` as LOAD; `EXPORT TABLE t TO 'p'` as a query and its path."""
    words = [token.text.upper() for token in tokens]
    strings = [n for n, token in enumerate(tokens) if token.token_type is _T.STRING]
    if "TABLE" not in words[1:3] or words[0] not in {"EXPORT", "IMPORT"}:
        return None
    start = words.index("TABLE", 1) + 1
    word = "TO" if words[0] == "EXPORT" else "FROM"
    end = next((n for n in range(start, len(words)) if words[n] in {word, "PARTITION"}), start)
    path = next((n for n in strings if words[n - 1] == word), 0)
    if end == start or not path:
        return None
    first, named = tokens[0], tokens[start:end]
    if word == "TO":
        every = (_T.SELECT, "SELECT"), (_T.STAR, "*"), (_T.FROM, "FROM")
        return [*(made_token(*token, first) for token in every), *named], tokens[path].text
    lead = (_T.LOAD, "LOAD"), (_T.VAR, "DATA"), (_T.VAR, "INPATH")
    into = (_T.INTO, "INTO"), (_T.TABLE, "TABLE")
    return [
        *(made_token(*token, first) for token in lead),
        tokens[path],
        *(made_token(*token, first) for token in into),
        *named,
    ], None


_Rewrite = tuple[list[Token], int]


def _kind(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    """`CREATE TRANSACTIONAL TABLE`."""
    made = words[0] == "CREATE" and at < _HEAD and words[at + 1 : at + 2] == ["TABLE"]
    return ([], 1) if made else ([tokens[at]], 1)


def _arranged(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    """`CREATE VIEW v PARTITIONED ON (a)`: the columns are those of the query."""
    end = closing(tokens, at + 2) if words[at + 1 : at + 3] == ["ON", "("] else 0
    if words[0] == "CREATE" and "VIEW" in words[:at] and end:
        return [], end + 1 - at
    return [tokens[at]], 1


def _skewed(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    """`SKEWED BY (a) ON (1, 2) [STORED AS DIRECTORIES]`."""
    by = closing(tokens, at + 2) if words[at + 1 : at + 3] == ["BY", "("] else 0
    on = closing(tokens, by + 2) if by and words[by + 1 : by + 3] == ["ON", "("] else 0
    if not on:
        return [tokens[at]], 1
    stored = words[on + 1 : on + 4] == ["STORED", "AS", "DIRECTORIES"]
    return [], on + 1 + 3 * stored - at


def _checked(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    """`PRIMARY KEY (a) DISABLE NOVALIDATE RELY`, `DISABLE REWRITE`; a column may be called so, too."""
    if words[0] not in _DEFINING or words[at - 1] in {"(", ",", "."}:
        return [tokens[at]], 1
    end = at + 1
    while end < len(words) and words[end] in _TRUST:
        end += 1
    rewritten = end == at + 1 and "VIEW" in words[:at] and words[end : end + 1] == ["REWRITE"]
    return [], end + rewritten - at


def _trusted(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    if words[0] not in _DEFINING or words[at - 1] in {"(", ",", ".", "NOT"}:
        return [tokens[at]], 1
    return [], 1


def _clustering(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    """`OVER (CLUSTER BY a)` partitions and sorts by `a`."""
    if words[at - 2 : at] != ["OVER", "("]:
        return [tokens[at]], 1
    return [made_token(_T.PARTITION_BY, "PARTITION BY", tokens[at])], 1


def _unless_there(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    """`INSERT OVERWRITE TABLE t PARTITION (a = 1) IF NOT EXISTS SELECT …`."""
    inserts = "OVERWRITE" in words[:at] and words[at + 1 : at + 3] == ["NOT", "EXISTS"]
    return ([], 3) if inserts and "CREATE" not in words[:at] else ([tokens[at]], 1)


def _emptied_columns(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    """`TRUNCATE TABLE t COLUMNS (a)` empties fewer columns."""
    end = closing(tokens, at + 1) if words[0] == "TRUNCATE" else 0
    return ([], end + 1 - at) if end else ([tokens[at]], 1)


def _union_type(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    """`uniontype<int, string>` holds one of several types, as a struct would."""
    if words[at + 1 : at + 2] != ["<"]:
        return [tokens[at]], 1
    return [made_token(_T.STRUCT, tokens[at].text, tokens[at])], 1


def _parted_rows(tokens: list[Token], words: list[str], at: int) -> _Rewrite:
    return parted_rows(tokens, words, at, lambda rows: hive_syntax(rows) or rows)


_REWRITES: dict[str, Callable[[list[Token], list[str], int], _Rewrite]] = {
    "CLUSTER BY": _clustering,
    "COLUMNS": _emptied_columns,
    "IF": _unless_there,
    "ON": _parted_rows,
    "SKEWED": _skewed,
    "UNIONTYPE": _union_type,
    "UNIQUEJOIN": unique_join,
    **dict.fromkeys(PASSING, _parted_rows),
    **dict.fromkeys(_KINDS, _kind),
    **dict.fromkeys(_ARRANGED, _arranged),
    **dict.fromkeys(_CHECKED, _checked),
    **dict.fromkeys(_TRUST, _trusted),
}
