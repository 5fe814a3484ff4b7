"""ALTER statements that the parser hands back unread, put in words that it knows.

A materialised view is altered as a view is, ClickHouse's mutations are the statements they do, and what
is only said about columns, who may see them and when a view is filled, changes none.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.lake_commands import named_table
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_RELATIONS = frozenset({"TABLE", "VIEW"})
# What stands before TABLE or VIEW and changes nothing here.
_KINDS = frozenset({"DYNAMIC", "EXTERNAL", "FOREIGN", "MATERIALIZED", "SNAPSHOT"})
# What tells of masks, filters, labels and schedules.
_UNSEEN = frozenset(
    {
        ("ADD", "ROW"),
        ("ADD", "SCHEDULE"),
        ("ADD", "STORAGE"),
        ("ALTER", "SCHEDULE"),
        ("DROP", "MASK"),
        ("DROP", "SCHEDULE"),
        ("RENAME", "CONSTRAINT"),
        ("ROW", "FILTER"),
        ("SET", "AGGREGATION"),
        ("SET", "CONTACT"),
        ("SET", "JOIN"),
        ("SET", "MASK"),
        ("SET", "MASKING"),
        ("SET", "PROJECTION"),
        ("SET", "TAG"),
        ("SET", "TAGS"),
        ("UNSET", "AGGREGATION"),
        ("UNSET", "COMMENT"),
        ("UNSET", "CONTACT"),
        ("UNSET", "JOIN"),
        ("UNSET", "MASKING"),
        ("UNSET", "PROJECTION"),
        ("UNSET", "TAG"),
        ("UNSET", "TAGS"),
    }
)


def altered_relation(tokens: list[Token]) -> list[Token] | None:
    """An ALTER or DROP of a table or view in plainer words; None if there are none."""
    words = [token.text.upper() for token in tokens]
    plain = _without_kind(tokens, words)
    if words[:1] != ["ALTER"] or plain is not None:
        return plain
    if words[1:2] == ["VIEW"] and "AS" in words:
        return _bare_query(tokens, words.index("AS") + 1)
    return _mutation(tokens, words) if words[1:2] == ["TABLE"] else None


def _without_kind(tokens: list[Token], words: list[str]) -> list[Token] | None:
    if words[:1] not in (["ALTER"], ["DROP"]) or len(words) < 4:
        return None
    return [tokens[0], *tokens[2:]] if words[1] in _KINDS and words[2] in _RELATIONS else None


def _bare_query(tokens: list[Token], at: int) -> list[Token] | None:
    """`ALTER VIEW v AS (SELECT …)`, without the parentheses."""
    opened = at < len(tokens) - 1 and tokens[at].token_type is TokenType.L_PAREN
    if not opened or closing(tokens, at) != len(tokens) - 1:
        return None
    return [*tokens[:at], *tokens[at + 1 : -1]]


def _mutation(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """`ALTER TABLE t UPDATE a = b WHERE c`: ClickHouse's UPDATE."""
    if "UPDATE" not in words[3:]:
        return None
    at = words.index("UPDATE", 3)
    end = words.index("SETTINGS", at) if "SETTINGS" in words[at:] else len(words)
    name = tokens[2 : words.index("ON") if "ON" in words[3:at] else at]
    said = made_token(TokenType.SET, "SET", tokens[at])
    return [tokens[at], *name, said, *tokens[at + 1 : end]]


def altered_names(tokens: list[Token]) -> exp.Alter | None:
    """Several columns renamed at once, or something that no column shows; None for all else."""
    tokens = _without_kind(tokens, [token.text.upper() for token in tokens[:4]]) or tokens
    words = [token.text.upper() for token in tokens]
    if words[:1] != ["ALTER"] or words[1:2] == [] or words[1] not in _RELATIONS:
        return None
    pairs = list(pairwise(words))
    at = next((n for n in range(3, len(pairs)) if words[n - 1] != "." and words[n] in _ACTIONS), 0)
    if not at:
        return None
    table, actions = named_table(tokens[2:at]), []
    if pairs[at] == ("RENAME", "COLUMN"):
        actions = _renames(tokens, words, at)
        if not actions:
            return None
    elif not _UNSEEN & set(pairs[at:]):
        return None
    return exp.Alter(this=table, kind=words[1], actions=actions)


_ACTIONS = frozenset({"ADD", "ALTER", "DROP", "MODIFY", "RENAME", "SET", "UNSET"})


# How a table is kept: its space, its partitions, its index of words. Where rows come from, none tells.
_KEEPING = frozenset(
    {
        "ALLOCATE",
        "ANALYZE",
        "CACHE",
        "COALESCE",
        "COMPILE",
        "COMPRESS",
        "DEALLOCATE",
        "DISCARD",
        "IMPORT",
        "INITRANS",
        "LOGGING",
        "NOCACHE",
        "NOCOMPRESS",
        "NOLOGGING",
        "NOPARALLEL",
        "OPTIMIZE",
        "PARALLEL",
        "PARTITION BY",
        "PCTFREE",
        "PCTUSED",
        "RECLUSTER",
        "REORGANIZE",
        "REPAIR",
        "SPLIT",
        "STORAGE",
    }
)
_KEEPING_BY_TWO = frozenset(
    {
        ("ADD", "DEFAULT"),
        ("ADD", "SUPPLEMENTAL"),
        ("CONVERT", "TO"),
        ("DROP", "SUPPLEMENTAL"),
        ("READ", "ONLY"),
        ("READ", "WRITE"),
        ("REMOVE", "PARTITIONING"),
    }
)
_PARTITIONS = frozenset({"PARTITION", "PARTITIONS", "SUBPARTITION", "SUBPARTITIONS"})
_OF_PARTITIONS = frozenset({"ADD", "DROP", "MERGE", "MODIFY", "MOVE", "RENAME", "TRUNCATE"})


def kept_otherwise(tokens: list[Token]) -> exp.Alter | None:
    """`ALTER TABLE t SPLIT PARTITION …`, `… NOLOGGING`: a change of the table that no column shows."""
    words = [token.text.upper() for token in tokens]
    if words[:1] != ["ALTER"] or words[1:2] == [] or words[1] not in _RELATIONS:
        return None
    at = 3
    while words[at : at + 1] == ["."]:
        at += 2
    pair = (*words[at : at + 2], "")[:2]
    # ClickHouse moves partitions to other tables, too.
    partitions = pair[0] in _OF_PARTITIONS and pair[1] in _PARTITIONS and "TABLE" not in words[at:]
    if not partitions and pair[0] not in _KEEPING and pair not in _KEEPING_BY_TWO:
        return None
    return exp.Alter(this=named_table(tokens[2:at]), kind=words[1], actions=[])


def _renames(tokens: list[Token], words: list[str], at: int) -> list[exp.RenameColumn]:
    """`RENAME COLUMN a TO b, RENAME COLUMN IF EXISTS c TO d`, as far as it goes."""
    made: list[exp.RenameColumn] = []
    while words[at : at + 2] == ["RENAME", "COLUMN"]:
        at += 2 + 2 * (words[at + 2 : at + 4] == ["IF", "EXISTS"])
        if words[at + 1 : at + 2] != ["TO"] or at + 2 >= len(tokens):
            return []
        made.append(exp.RenameColumn(this=_column(tokens[at]), to=_column(tokens[at + 2])))
        at += 3 + (words[at + 3 : at + 4] == [","])
    return made if at >= len(tokens) else []


def _column(token: Token) -> exp.Column:
    quoted = token.token_type is TokenType.IDENTIFIER
    return exp.Column(this=exp.Identifier(this=token.text, quoted=quoted).update_positions(token))
