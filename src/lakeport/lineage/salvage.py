"""What can be said about a statement that does not parse: names after FROM, JOIN, INTO, TABLE…

The reads and writes found this way are a guess, and every edge says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.bind.scope import Relation
from lakeport.lineage.brackets import closings
from lakeport.lineage.entries import TableEntry
from lakeport.lineage.names import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.blocks import Chunk

_READ_WORDS = frozenset({"FROM", "JOIN", "USING"})
# Behind these stand several, with commas between them.
_LISTS = frozenset({"FROM", "USING"})
_WRITE_WORDS = frozenset({"INTO", "TABLE", "UPDATE", "VIEW", "OVERWRITE"})
_CREATE_WORDS = frozenset(
    {
        "OR",
        "REPLACE",
        "ALTER",
        "GLOBAL",
        "LOCAL",
        "TEMP",
        "TEMPORARY",
        "UNLOGGED",
        "EXTERNAL",
        "FOREIGN",
        "MATERIALIZED",
        "TRANSIENT",
        "VOLATILE",
        "MULTISET",
        "RECURSIVE",
        "SECURE",
        "STREAMING",
        "DYNAMIC",
        "ICEBERG",
    }
)
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
# What a statement is by its first word, where that says it.
_KINDS = {word: word for word in ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE")}
_NOT_NAMES = frozenset(
    {
        "SELECT",
        "WHERE",
        "SET",
        "VALUES",
        "AS",
        "ON",
        "IF",
        "NOT",
        "EXISTS",
        "TABLE",
        "LATERAL",
        "UNNEST",
        "OR",
        "REPLACE",
        "BY",
        "WITH",
        "INTO",
        "ONLY",
        "FROM",
    }
)


def salvage(binder: Binder, chunk: Chunk) -> str:
    """Reads and writes of an unreadable statement, as approximate table-level edges."""
    tokens = chunk.tokens
    ctes = {
        tokens[i].text.lower()
        for i in range(len(tokens) - 2)
        if tokens[i + 1].token_type is TokenType.ALIAS
        and tokens[i + 2].token_type is TokenType.L_PAREN
    }
    reads: list[Relation] = []
    writes: list[Relation] = []
    creates, closed = created_kind(tokens), closings(tokens)
    for position, token in enumerate(tokens):
        word = token.text.upper()
        # What follows USING in a definition is a format, a method or a file.
        reading = word in _READ_WORDS and not (word == "USING" and creates is not None)
        if not reading and word not in _WRITE_WORDS:
            continue
        for name, span in _listed(tokens, position + 1, None if word not in _LISTS else closed):
            if not name or (len(name) == 1 and name[0].lower() in ctes):
                continue
            relation = _relation(binder, name, span)
            if relation is None:
                continue
            if creates == word and not writes:
                _define(binder, relation, name, tokens)
            (reads if reading else writes).append(relation)
            (binder.reads if reading else binder.writes).setdefault(dotted(relation.name))
    for target in writes:
        target.written = True
        for source in reads:
            target.table_inputs.append((source, "SALVAGED"))
    return "UNKNOWN"


def salvage_deep(binder: Binder, chunk: Chunk) -> str:
    """The same of one that is SQL, only too deep to be read: what it is and answers is known."""
    salvage(binder, chunk)
    word = chunk.tokens[0].text.upper() if chunk.tokens else ""
    kind = _KINDS.get(word, "UNKNOWN")
    if kind in {"SELECT", "WITH"} and not binder.writes:
        read = [relation for relation in binder.relations if relation.local_kind is None]
        answer = Relation("output", "output", ("output",))
        answer.table_inputs = [(relation, "SALVAGED") for relation in read]
        binder.relations.append(answer)
    return kind


def created_kind(tokens: list[Token]) -> str | None:
    """TABLE or VIEW, if the statement creates one."""
    if not tokens or tokens[0].text.upper() != "CREATE":
        return None
    for token in tokens[1:6]:
        word = token.text.upper()
        if word in {"TABLE", "VIEW"}:
            return word
        if word not in _CREATE_WORDS:
            return None
    return None


def _define(binder: Binder, relation: Relation, name: list[str], tokens: list[Token]) -> None:
    """A table of unknown columns, so that later statements find at least the table."""
    parts = tuple(binder.folding.table(part) for part in name)
    temporary = any(token.text.upper() in {"TEMP", "TEMPORARY"} for token in tokens[1:4])
    relation.name = (
        parts if temporary and len(parts) == 1 else binder.registry.namespaces.canonical(parts)
    )
    relation.kind = "view" if created_kind(tokens) == "VIEW" else "table"
    relation.resolution = "implied"
    binder.registry.define(
        TableEntry(
            relation.name,
            tuple(name) if len(name) == len(relation.name) else relation.name,
            [],
            "implied",
            complete=False,
            kind="view" if relation.kind == "view" else "table",
            temporary=temporary,
            inference="ddl",
            statement_index=binder.index,
            source_name=binder.session.source.name,
        )
    )


def _listed(
    tokens: list[Token], position: int, closed: dict[int, int] | None
) -> Iterator[tuple[list[str], tuple[int, int]]]:
    """The name that stands there, and those behind commas, each with or without an alias.

    `closed` is where parentheses are closed; without it the name stands alone.
    """
    while True:
        name, span = _name(tokens, position)
        yield name, span
        if closed is None:
            return
        at = position
        while at < len(tokens) and tokens[at].start < span[1]:
            at += 1
        if not name:
            # Names inside of a query have words of their own before them.
            if at not in closed:
                return
            at = closed[at] + 1
        at += at < len(tokens) and tokens[at].token_type is TokenType.ALIAS
        at += at < len(tokens) and tokens[at].token_type in _NAMES
        if at >= len(tokens) or tokens[at].token_type is not TokenType.COMMA:
            return
        position = at + 1


def _name(tokens: list[Token], position: int) -> tuple[list[str], tuple[int, int]]:
    if tokens[position - 1].text.upper() in {"FROM", "JOIN"}:
        # A join in parentheses begins with a table, a query does not.
        while position < len(tokens) and tokens[position].token_type is TokenType.L_PAREN:
            position += 1
    while position < len(tokens) and tokens[position].text.upper() in {
        "IF",
        "NOT",
        "EXISTS",
        "TABLE",
        "ONLY",
    }:
        position += 1
    parts: list[str] = []
    start = end = 0
    while position < len(tokens):
        token = tokens[position]
        usable = token.token_type in {TokenType.VAR, TokenType.IDENTIFIER} or (
            token.text.isidentifier() and token.text.upper() not in _NOT_NAMES
        )
        if not usable:
            break
        if not parts:
            start = token.start
        parts.append(token.text)
        end = token.end + 1
        if position + 1 < len(tokens) and tokens[position + 1].token_type is TokenType.DOT:
            position += 2
            continue
        break
    following = tokens[position + 1].token_type if position + 1 < len(tokens) else None
    return (
        ([], (0, 0))
        if following is TokenType.L_PAREN
        and tokens[position].token_type is TokenType.VAR
        and _is_call(tokens, position - 2 * (len(parts) - 1))
        else (parts, (start, end))
    )


def _is_call(tokens: list[Token], position: int) -> bool:
    """`INTO t (a, b)` is a table with a list, `FROM f(x)` is a call."""
    return tokens[position - 1].text.upper() in _READ_WORDS


def _relation(binder: Binder, parts: list[str], span: tuple[int, int]) -> Relation | None:
    name = tuple(binder.folding.table(part) for part in parts)
    lookup = binder.registry.lookup(name)
    relation = binder.relation(
        lookup.entry.kind if lookup.entry else "table", parts[-1], lookup.name
    )
    if lookup.entry is not None:
        relation.know(lookup.entry)
    relation.complete = False
    relation.resolution = lookup.source
    relation.span = span
    return relation
