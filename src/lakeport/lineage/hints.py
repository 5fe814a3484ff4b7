"""What a statement says about how it runs, where the parser does not know it: left out.

T-SQL's query options, the index to use, the cursor whose row is meant; MySQL's priorities, who numbers
the rows in Postgres, the variables that a query fills: nothing of it tells where a value comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.tokenizer_core import Token

_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER, TokenType.DOT, TokenType.COMMA})


def without_hints(tokens: list[Token]) -> list[Token] | None:
    """The statement without them; None if it has none."""
    words = [token.text.upper() for token in tokens]
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        rule = _HINTS.get(words[at])
        end = rule(tokens, words, at) if rule is not None else 0
        if not end:
            kept.append(tokens[at])
        at = end or at + 1
    return kept if len(kept) < len(tokens) else None


def _option(tokens: list[Token], words: list[str], at: int) -> int:
    """`OPTION (RECOMPILE, USE HINT ('…'))` behind a whole query."""
    end = closing(tokens, at + 1) if words[at + 1 : at + 2] == ["("] else 0
    return end + 1 if end and words[end + 1 : end + 2] in ([], [")"], [";"]) else 0


def _with(tokens: list[Token], words: list[str], at: int) -> int:
    """`WITH (INDEX = i, FORCESEEK)` behind a table, Db2's `WITH UR` behind a query."""
    if words[at + 1 : at + 2] and words[at + 1] in _ISOLATIONS and at + 2 == len(words):
        return at + 2
    end = closing(tokens, at + 1) if at and words[at + 1 : at + 2] == ["("] else 0
    return end + 1 if ("INDEX", "=") in zip(words[at:end], words[at + 1 : end], strict=False) else 0


def _current(_tokens: list[Token], words: list[str], at: int) -> int:
    """`WHERE CURRENT OF c`: the row that a cursor stands on."""
    if words[at + 1 : at + 3] != ["CURRENT", "OF"] or len(words) < at + 4:
        return 0
    return at + 4 + (words[at + 3] == "GLOBAL")


def _for_update(tokens: list[Token], words: list[str], at: int) -> int:
    """`FOR UPDATE OF a, b` and `FOR READ ONLY` of a cursor."""
    behind = words[at + 1 : at + 3]
    if behind[:1] != ["UPDATE"] and behind != ["READ", "ONLY"]:
        return 0
    end = at + 3 if behind[1:] in (["OF"], ["ONLY"]) else at + 2
    while end < len(tokens) and tokens[end].token_type in _NAMES:
        end += 1
    return end


def _overriding(_tokens: list[Token], words: list[str], at: int) -> int:
    """Postgres' `INSERT INTO t (a) OVERRIDING SYSTEM VALUE SELECT …`."""
    said = words[at + 1 : at + 3]
    return at + 3 if said in (["SYSTEM", "VALUE"], ["USER", "VALUE"]) else 0


def _priority(_tokens: list[Token], words: list[str], at: int) -> int:
    """MySQL's `DELETE LOW_PRIORITY QUICK IGNORE FROM t`."""
    return at + 1 if at and words[at - 1] in _CHANGES | _PRIORITIES else 0


def _by_position(_tokens: list[Token], words: list[str], at: int) -> int:
    """DuckDB's `INSERT INTO t BY POSITION SELECT …`, as it is without the words."""
    return at + 2 if words[0] == "INSERT" and words[at + 1 : at + 2] == ["POSITION"] else 0


def _partition(tokens: list[Token], words: list[str], at: int) -> int:
    """StarRocks' `DELETE FROM t PARTITION p WHERE …`."""
    named = words[0] == "DELETE" and [t.token_type for t in tokens[at + 1 : at + 2]] != [_OPENED]
    return min(at + 2, len(tokens)) if named else 0


def _all_columns(_tokens: list[Token], words: list[str], at: int) -> int:
    """MySQL's `DELETE t.*, u.* FROM …`."""
    named = words[0] == "DELETE" and words[at + 1 : at + 2] == ["*"] and "SELECT" not in words[:at]
    return at + 2 if named else 0


def _into(tokens: list[Token], words: list[str], at: int) -> int:
    """`SELECT a, b INTO x, y FROM t`: variables, as no query fills two tables."""
    end = at + 1
    while end < len(tokens) and tokens[end].token_type in _VARIABLES:
        end += 1
    return end if "," in words[at + 1 : end] and words[0] in {"SELECT", "WITH"} else 0


_ISOLATIONS = frozenset({"CS", "RR", "RS", "UR"})
_OPENED = TokenType.L_PAREN
_VARIABLES = frozenset({TokenType.VAR, TokenType.PARAMETER, TokenType.COMMA, TokenType.COLON})
_CHANGES = frozenset({"DELETE", "INSERT", "REPLACE", "UPDATE"})
_PRIORITIES = frozenset({"DELAYED", "HIGH_PRIORITY", "IGNORE", "LOW_PRIORITY", "QUICK"})
_HINTS: dict[str, Callable[[list[Token], list[str], int], int]] = {
    ".": _all_columns,
    "BY": _by_position,
    "FOR": _for_update,
    "INTO": _into,
    "OPTION": _option,
    "OVERRIDING": _overriding,
    "PARTITION": _partition,
    "WHERE": _current,
    "WITH": _with,
    **dict.fromkeys(_PRIORITIES, _priority),
}
