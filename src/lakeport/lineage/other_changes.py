"""Data changes in words that the parser does not know, as those that say the same.

UPDATE t FROM s SET a = s.a WHERE …                     Teradata
UPDATE (SELECT a, b FROM t) SET a = b                   Oracle
UPDATE OR IGNORE t SET a = 1                            SQLite
MERGE INTO t USING s ON t.a = s.a REMOVE DUPLICATES     Redshift
CREATE RECURSIVE VIEW v (n) AS …                        PostgreSQL, Teradata
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Callable

_CHANGES = frozenset({TokenType.INSERT, TokenType.UPDATE, TokenType.DELETE})
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER, TokenType.ALIAS})
# What a query is called that an UPDATE changes without a name.
_CHANGED = "changed"
# `UPDATE t SET a = 1`
_SHORTEST = 6
_OPEN, _CLOSE = TokenType.L_PAREN, TokenType.R_PAREN


def plain_change(tokens: list[Token]) -> list[Token] | None:
    """The tokens of the same change as other dialects write it."""
    rewrite = _REWRITES.get(tokens[0].text.upper()) if tokens else None
    return rewrite(tokens) if rewrite is not None else None


def unplaced(tree: exp.Expr) -> exp.Expr:
    """The tree with no place in the text for a name that is not written there."""
    target = tree.args.get("this")
    if isinstance(target, exp.Subquery) and target.alias == _CHANGED:
        target.args["alias"].this.meta.clear()
    return tree


def leave_limit_out(tokens: list[Token]) -> None:
    """T-SQL's `DELETE TOP (10) FROM t`: how many rows change does not matter here."""
    if not tokens or tokens[0].token_type not in _CHANGES:
        return
    if [token.text.upper() for token in tokens[1:3]] == ["TOP", "("] and (
        end := closing(tokens, 2)
    ):
        percent = [token.text.upper() for token in tokens[end + 1 : end + 2]] == ["PERCENT"]
        del tokens[1 : end + 1 + percent]


def _replaced_rows(tokens: list[Token]) -> list[Token] | None:
    """Rows that match are replaced whole, and others are added."""
    if [token.text.upper() for token in tokens[-2:]] != ["REMOVE", "DUPLICATES"]:
        return None
    at = tokens[-2]
    return [*tokens[:-2], *(made_token(kind, text, at) for kind, text in _REPLACING)]


_WHEN = ((TokenType.WHEN, "WHEN"), (TokenType.VAR, "MATCHED"), (TokenType.THEN, "THEN"))
_REPLACING = (
    *_WHEN,
    (TokenType.UPDATE, "UPDATE"),
    (TokenType.STAR, "*"),
    _WHEN[0],
    (TokenType.NOT, "NOT"),
    *_WHEN[1:],
    (TokenType.INSERT, "INSERT"),
    (TokenType.STAR, "*"),
)


def _update(tokens: list[Token]) -> list[Token] | None:
    """What becomes of rows that break a rule is left out, and a query in place of a table has a name."""
    if len(tokens) < _SHORTEST:
        return None
    if tokens[1].text.upper() == "OR":
        return [tokens[0], *tokens[3:]]
    end = closing(tokens, 1) if tokens[1].token_type is _OPEN else 0
    if end and tokens[end + 1 : end + 2] and tokens[end + 1].token_type is TokenType.SET:
        at = tokens[end]
        name = made_token(TokenType.ALIAS, "AS", at), made_token(TokenType.VAR, _CHANGED, at)
        return [*tokens[: end + 1], *name, *tokens[end + 1 :]]
    return _named_sources(tokens)


def _named_sources(tokens: list[Token]) -> list[Token] | None:
    """The last table in front of SET gets its own name, or the parser calls it `set`."""
    first = _first(tokens, TokenType.FROM, 0)
    assigned = _first(tokens, TokenType.SET, first) if first else 0
    table = tokens[assigned - 1] if assigned else tokens[0]
    named = tokens[assigned - 2].token_type in _NAMES if assigned else True
    if named or table.token_type not in _NAMES or _first(tokens, TokenType.SET, 0) < first:
        return None
    alias = [made_token(TokenType.ALIAS, "AS", table), table]
    return [*tokens[:assigned], *alias, *tokens[assigned:]]


def _first(tokens: list[Token], kind: TokenType, begin: int) -> int:
    """The next such token that stands in no brackets; 0 if there is none."""
    depth = 0
    for at in range(begin, len(tokens)):
        found = tokens[at].token_type
        depth += (found is _OPEN) - (found is _CLOSE)
        if found is kind and not depth:
            return at
    return 0


def _recursive_view(tokens: list[Token]) -> list[Token] | None:
    """`CREATE VIEW v AS WITH RECURSIVE v (n) AS (…) SELECT n FROM v`."""
    kinds = [token.text.upper() for token in tokens[:8]]
    if "RECURSIVE" not in kinds or "VIEW" not in kinds:
        return None
    recursive, view = kinds.index("RECURSIVE"), kinds.index("VIEW")
    opened = _bracket(tokens, view)
    closed = closing(tokens, opened) if opened else 0
    if not closed or tokens[closed + 1 : closed + 2] == [] or recursive > view:
        return None
    name, columns, given = (
        tokens[view + 1 : opened],
        tokens[opened + 1 : closed],
        tokens[closed + 1],
    )
    if given.token_type is not TokenType.ALIAS or not name:
        return None
    words = (
        (TokenType.WITH, "WITH"),
        (TokenType.RECURSIVE, "RECURSIVE"),
    )
    return [
        *tokens[:recursive],
        *tokens[recursive + 1 : opened],
        given,
        *(made_token(kind, word, given) for kind, word in words),
        name[-1],
        *tokens[opened : closed + 1],
        given,
        made_token(_OPEN, "(", given),
        *tokens[closed + 2 :],
        made_token(_CLOSE, ")", tokens[-1]),
        made_token(TokenType.SELECT, "SELECT", tokens[-1]),
        *columns,
        made_token(TokenType.FROM, "FROM", tokens[-1]),
        name[-1],
    ]


def _bracket(tokens: list[Token], begin: int) -> int:
    behind = range(begin, min(begin + 8, len(tokens)))
    return next((at for at in behind if tokens[at].token_type is _OPEN), 0)


_REWRITES: dict[str, Callable[[list[Token]], list[Token] | None]] = {
    "MERGE": _replaced_rows,
    "UPDATE": _update,
    "CREATE": _recursive_view,
}
