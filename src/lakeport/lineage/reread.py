"""Statements inside of statements: swallowed by the tokenizer, or written in a string.

They are tokenised again at their own place in the text, so that spans stay exact.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.bodies import tokens_at, tokens_between
from lakeport.lineage.brackets import closing
from lakeport.lineage.executed import executed_statements
from lakeport.lineage.parameters import fill_markers
from lakeport.lineage.renames import renaming
from lakeport.lineage.shim import Shim
from lakeport.lineage.strings import unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlglot.tokenizer_core import Token

_EXPLAIN_WORDS = frozenset(
    {
        "EXTENDED",
        "CODEGEN",
        "COST",
        "FORMATTED",
        "ANALYZE",
        "VERBOSE",
        "PLAN",
        "FOR",
        "LOGICAL",
        "USING",
        "JSON",
        "TEXT",
        "TABULAR",
        # SQLite's QUERY PLAN, ClickHouse's kinds.
        "QUERY",
        "AST",
        "SYNTAX",
        "PIPELINE",
        "ESTIMATE",
    }
)
_UNLOAD = re.compile(
    r"\s*\(\s*'(?P<query>(?:[^']|'')*)'\s*\)\s*TO\s*'(?P<path>[^']*)'", re.IGNORECASE
)
# A string alone: what is put together from several is not known here.
_IMMEDIATE = re.compile(
    r"""\s*IMMEDIATE\s+(?P<quote>['"])(?P<sql>(?:\\.|(?P=quote){2}|(?!(?P=quote)).)*)(?P=quote)"""
    r"""\s*(?:;|$|(?:INTO|USING)\b)""",
    re.IGNORECASE | re.DOTALL,
)
_TSQL = frozenset({"tsql", "fabric"})


def inner_statements(tokens: list[Token], text: str, parser: str) -> Iterator[Shim]:
    """The statement that an EXPLAIN, an UNLOAD, a task or an EXECUTE IMMEDIATE is about."""
    word = tokens[0].text.upper() if tokens else ""
    read = _READERS.get(word)
    shims = list(read(tokens, text, parser)) if read is not None else []
    if not shims and parser in _TSQL:
        shims += executed_statements(tokens, text, parser)
    yield from shims


def _behind(tokens: list[Token], text: str, parser: str) -> list[Token]:
    """What stands behind the first word."""
    return tokens_between(text, tokens[0].end + 1, tokens[-1].end + 1, parser, tokens[0])


def _explained(tokens: list[Token], text: str, parser: str) -> Iterator[Shim]:
    inner = _behind(tokens, text, parser)
    if inner and inner[0].text == "(" and _is_options(inner):
        del inner[: next(n for n, token in enumerate(inner) if token.text == ")") + 1]
    while inner and inner[0].text.upper() in _EXPLAIN_WORDS:
        del inner[0]
    if inner:
        yield Shim("explain", inner)


def _renamed(tokens: list[Token], text: str, parser: str) -> Iterator[Shim]:
    tree = renaming(tokens, text, parser)
    if tree is not None:
        yield Shim("rename", tree=tree)


def _immediate(tokens: list[Token], text: str, parser: str) -> Iterator[Shim]:
    match = _IMMEDIATE.match(text, tokens[0].end + 1)
    if match is None:
        return
    sql = unescaped(match["sql"], match["quote"])
    inner = tokens_at(text, match.start("sql"), sql, parser, tokens[0])
    end = tokens[-1].end + 1
    behind = tokens_between(text, match.end("sql") + 1, end, parser, tokens[0])
    yield Shim("immediate", inner, values=fill_markers(inner, behind))


def _submitted(tokens: list[Token], text: str, parser: str) -> Iterator[Shim]:
    """StarRocks' `SUBMIT TASK t AS INSERT …`."""
    yield from _wrapped(_behind(tokens, text, parser), {TokenType.ALIAS}, skipped=1)


def _using(tokens: list[Token], text: str, parser: str) -> Iterator[Shim]:
    """Athena's `USING EXTERNAL FUNCTION f(…) … SELECT …`."""
    yield from _wrapped(_behind(tokens, text, parser), {TokenType.SELECT, TokenType.WITH})


def _wrapped(tokens: list[Token], kinds: set[TokenType], skipped: int = 0) -> Iterator[Shim]:
    begin = next((n for n, token in enumerate(tokens) if token.token_type in kinds), 0)
    if begin:
        yield Shim("wrapped", tokens[begin + skipped :])


def _unloaded(tokens: list[Token], text: str, parser: str) -> Iterator[Shim]:
    """Redshift's `UNLOAD ('SELECT …') TO 'path'`; Athena's, where the query is no string."""
    match = _UNLOAD.match(text, tokens[0].end + 1)
    if match is not None:
        inner = tokens_at(text, match.start("query"), unescaped(match["query"]), parser, tokens[0])
        yield Shim("unload", inner, path=match["path"])
        return
    inner = _behind(tokens, text, parser)
    end = closing(inner, 0)
    behind = inner[end + 1 : end + 3]
    if end and len(behind) == 2 and behind[0].text.upper() == "TO":
        yield Shim("unload", inner[1:end], path=behind[1].text)


_READERS: dict[str, Callable[[list[Token], str, str], Iterator[Shim]]] = {
    "EXPLAIN": _explained,
    "PROFILE": _explained,
    "UNLOAD": _unloaded,
    "SUBMIT": _submitted,
    "USING": _using,
    "RENAME": _renamed,
    "EXCHANGE": _renamed,
    "EXECUTE": _immediate,
    "EXEC": _immediate,
}


def _is_options(tokens: list[Token]) -> bool:
    """Postgres: `EXPLAIN (ANALYZE, BUFFERS) …`, and no query in parentheses."""
    queries = {TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.VALUES}
    closed = any(token.token_type is TokenType.R_PAREN for token in tokens)
    return closed and len(tokens) > 1 and tokens[1].token_type not in queries
