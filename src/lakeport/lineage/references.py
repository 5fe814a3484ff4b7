"""Where the tables and parameters of one query stand in its text, to the character.

Parsed once: the trees go on to `models.analyze_models`. Here nothing is known about any table, so names
are as they are written, only that a CTE's name is no table where the CTE is visible. A table's name may
stand in expressions as well (`shop.orders.id`): whoever puts another name into FROM must know of those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.analyze import Undisturbed
from lakeport.lineage.dialects import dialect_named
from lakeport.lineage.parse import Parsed, Problem, StatementParser
from lakeport.lineage.split import split
from lakeport.lineage.table_uses import Qualifier, TableUse, Use, Walk

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.blocks import Chunk
    from lakeport.lineage.dialects import Dialect

__all__ = ["Qualifier", "QueryText", "TableUse", "Trouble", "Use", "read_query"]

# Behind these a colon reads a field of a value, and is no parameter's.
_ENDS_VALUE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.IDENTIFIER})


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why the text is not one query: `code` is `syntax`, `empty`, `statements` or `statement`."""

    code: str
    message: str
    start: int
    end: int


@dataclass(slots=True)
class QueryText:
    """One text, read. Without a tree there is trouble."""

    text: str
    chunk: Chunk | None = None
    parsed: Parsed | None = None
    trouble: Trouble | None = None
    tables: list[TableUse] = field(default_factory=list)
    parameters: list[Use] = field(default_factory=list)
    # Names of tables that are computed: IDENTIFIER(:x).
    computed: list[Use] = field(default_factory=list)


def read_query(text: str, dialect: str = "spark") -> QueryText:
    """What a text reads if it is one query."""
    known = dialect_named(dialect)
    assert known is not None  # noqa: S101 - callers name one of ours
    with Undisturbed():
        return _read(text, known)


def _read(text: str, dialect: Dialect) -> QueryText:
    read = QueryText(text)
    chunks = split(text, dialect.parser)
    if not chunks:
        read.trouble = Trouble("empty", "there is no query", 0, 0)
        return read
    chunk = chunks[0]
    clauses = _identifier_clauses(chunk.tokens) if "identifier" in text.lower() else []
    words = [token.text for token in chunk.tokens[:1]]
    colons = list(_colons(chunk.tokens)) if ":" in text else []
    table_words = {
        after.start: token.start
        for token, after in zip(chunk.tokens, chunk.tokens[1:], strict=False)
        if token.token_type is TokenType.TABLE
    }
    parsed = StatementParser(text, dialect).parse(chunk)
    if parsed.problem is not None:
        read.trouble = _syntax(parsed.problem)
        return read
    if len(chunks) > 1:
        second = chunks[1]
        read.trouble = Trouble(
            "statements", "there is a second statement", second.start, second.end
        )
        return read
    if not isinstance(parsed.tree, exp.Query) or _is_about_another(parsed):
        word = words[0].upper() if words else "this"
        read.trouble = Trouble("statement", f"{word} is no query", chunk.start, chunk.end)
        return read
    read.chunk, read.parsed = chunk, parsed
    walk = Walk(text, clauses, table_words)
    walk.run(parsed.tree)
    read.tables = walk.tables()
    read.computed = walk.computed
    if colons:
        names = {str(node.this) for node in parsed.tree.find_all(exp.Placeholder) if node.this}
        read.parameters = [use for use in colons if use.name in names]
    return read


_UNEXPECTED = "Invalid expression / Unexpected token near "
_EXPECTED = re.compile(
    r"Expected (?P<what>.*?) but (?:got `(?P<text>.*?)`|the text ends)(?: near |\Z)", re.DOTALL
)


def _syntax(problem: Problem) -> Trouble:
    message = problem.message
    expected = _EXPECTED.match(message)
    if expected is not None:
        got = f", not `{expected['text']}`" if expected["text"] else ", and the query ends here"
        message = f"a {expected['what']} is expected{got}"
    elif message.startswith(_UNEXPECTED):
        message = f"{message.removeprefix(_UNEXPECTED)} is not expected here"
    return Trouble("syntax", message[:1].lower() + message[1:], problem.start, problem.end)


def _is_about_another(parsed: Parsed) -> bool:
    """EXPLAIN, UNLOAD and EXECUTE IMMEDIATE hold a query and are none."""
    return parsed.shim is not None and (
        parsed.shim.kind in {"explain", "immediate"} or parsed.shim.path is not None
    )


def _identifier_clauses(tokens: list[Token]) -> list[tuple[int, int]]:
    """From where to where each IDENTIFIER(…) reaches."""
    found: list[tuple[int, int]] = []
    for position, token in enumerate(tokens[:-2]):
        if token.text.upper() != "IDENTIFIER" or tokens[position + 1].token_type is not (
            TokenType.L_PAREN
        ):
            continue
        depth = 0
        for inner in tokens[position + 1 :]:
            depth += (inner.token_type is TokenType.L_PAREN) - (
                inner.token_type is TokenType.R_PAREN
            )
            if not depth:
                found.append((token.start, inner.end + 1))
                break
    return found


def _colons(tokens: list[Token]) -> Iterator[Use]:
    """What looks like `:name`; the tree knows which of them are."""
    for position, token in enumerate(tokens[:-1]):
        after = tokens[position + 1]
        if token.token_type is not TokenType.COLON or after.start != token.end + 1:
            continue
        before = tokens[position - 1] if position else None
        if before is not None and (
            before.token_type in _ENDS_VALUE
            or (before.token_type is TokenType.VAR and before.end + 1 == token.start)
        ):
            continue
        yield Use(after.text, token.start, after.end + 1)
