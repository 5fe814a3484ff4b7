"""MySQL's words for what the parser knows in other words.

SELECT a FROM t GROUP BY a DESC
CAST(a AS UNSIGNED INTEGER)
SELECT a FROM t WHERE b = 1 INTO @x
ALTER TABLE t RENAME AS u
ALTER TABLE t MODIFY COLUMN IF EXISTS a BIGINT
JSON_TABLE(doc, '$' COLUMNS (a INT EXISTS PATH '$.a', b INT PATH '$.b' DEFAULT '0' ON EMPTY NULL ON ERROR))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_SIGNS = frozenset({"SIGNED", "UNSIGNED"})
_WHOLE = frozenset({"INT", "INTEGER"})
_SORTED = frozenset({TokenType.ASC, TokenType.DESC})
# What ends a list of groups.
_BEHIND_GROUPS = frozenset(
    {
        TokenType.HAVING,
        TokenType.LIMIT,
        TokenType.ORDER_BY,
        TokenType.SELECT,
        TokenType.UNION,
        TokenType.WINDOW,
    }
)
# Variables with commas between them.
_LISTED = frozenset({TokenType.COMMA, TokenType.PARAMETER, TokenType.VAR})
# What is done to a column before it is named.
_OF_COLUMNS = frozenset({"CHANGE", "COLUMN", "MODIFY"})
# What is said of a column behind its type.
_BESIDE_TYPES = frozenset(
    {"AS", "GENERATED", "INVISIBLE", "PERSISTENT", "SRID", "VIRTUAL", "VISIBLE", "ZEROFILL"}
)
_CACHED = ["SELECT", "SQL_CACHE"]
_MISSES = frozenset({"EMPTY", "ERROR"})


def plain_mysql(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """The statement in plainer words; None if there are none."""
    left_out = _sorted_groups(tokens) | _whole_numbers(words) | _answers_to_misses(tokens, words)
    left_out |= _variables_filled(tokens, words)
    left_out |= {at for at in range(1, len(words)) if words[at - 1 : at + 1] == _CACHED}
    kept = [token for at, token in enumerate(tokens) if at not in left_out]
    return kept if left_out else None


def plain_alter(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """An ALTER without what a column is said to be besides its type, and whether it is there."""
    if words[:2] != ["ALTER", "TABLE"]:
        return None
    left_out: set[int] = set()
    depth = 0
    for at in range(3, len(words)):
        depth += (words[at] == "(") - (words[at] == ")")
        if words[at - 1 : at + 1] == ["RENAME", "AS"]:
            left_out.add(at)
        elif words[at : at + 2] == ["IF", "EXISTS"] and words[at - 1] in _OF_COLUMNS:
            left_out |= {at, at + 1}
        elif not depth and words[at] in _BESIDE_TYPES:
            end = _item_end(words, at)
            left_out |= {*range(at, end)}
    kept = [token for at, token in enumerate(tokens) if at not in left_out]
    return kept if left_out else None


def _item_end(words: list[str], at: int) -> int:
    depth = 0
    while at < len(words) and (depth or words[at] != ","):
        depth += (words[at] == "(") - (words[at] == ")")
        at += 1
    return at


def _sorted_groups(tokens: list[Token]) -> set[int]:
    """The words that say how groups are sorted."""
    left_out: set[int] = set()
    grouping = [False]
    for at, token in enumerate(tokens):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            grouping.append(False)
        elif kind is TokenType.R_PAREN and len(grouping) > 1:
            grouping.pop()
        elif kind is TokenType.GROUP_BY:
            grouping[-1] = True
        elif kind in _BEHIND_GROUPS:
            grouping[-1] = False
        elif kind in _SORTED and grouping[-1]:
            left_out.add(at)
    return left_out


def _whole_numbers(words: list[str]) -> set[int]:
    """Signed and unsigned numbers are whole ones in a cast, whether it is said or not."""
    return {
        at
        for at in range(2, len(words))
        if words[at] in _WHOLE and words[at - 1] in _SIGNS and words[at - 2] == "AS"
    }


def _answers_to_misses(tokens: list[Token], words: list[str]) -> set[int]:
    """What JSON_TABLE gives where a path leads nowhere, and that it only looks whether it does."""
    left_out: set[int] = set()
    for at in range(len(words) - 1):
        end = closing(tokens, at + 1) if words[at : at + 2] == ["JSON_TABLE", "("] else 0
        for inside in range(at + 2, end):
            if words[inside : inside + 2] == ["EXISTS", "PATH"]:
                left_out.add(inside)
            elif words[inside] == "ON" and words[inside + 1] in _MISSES:
                begin = inside - 1 - (words[inside - 2] == "DEFAULT")
                left_out |= {*range(begin, inside + 2)}
    return left_out


def _variables_filled(tokens: list[Token], words: list[str]) -> set[int]:
    """What a query at whose end it stands fills."""
    at = next((n for n in range(len(words) - 1, 0, -1) if words[n] == "INTO"), 0)
    behind = {token.token_type for token in tokens[at + 1 :]}
    filled = words[0] in {"SELECT", "WITH"} and at and TokenType.PARAMETER in behind
    return {*range(at, len(words))} if filled and behind <= _LISTED else set()
