"""The rows that a function of PL/pgSQL returns: `RETURN QUERY SELECT …`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.scripts.source import QUERIES, ScriptSource

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token


def returned_rows(
    tokens: list[Token], text: str, parser: str
) -> tuple[list[list[Token]], frozenset[str]]:
    """The queries whose rows a body returns, and its variables; none if rows come another way, too."""
    source = ScriptSource(tokens, text, parser)
    words = source.words
    queries: list[list[Token]] = []
    names: set[str] = set()
    declares = False
    for at, word in enumerate(words):
        declares = (declares or word == "DECLARE") and word != "BEGIN"
        if (declares and word in {"DECLARE", ";"}) or word == "FOR":
            names.add(source.name(at + 1) if at + 1 < len(source) else "")
        if word != "RETURN":
            continue
        following = source.word(at + 1)
        if following == "QUERY" and source.word(at + 2) in QUERIES:
            queries.append(source.tokens[at + 2 : source.end_of(at)])
        elif following != ";":
            return [], frozenset()
    return queries, frozenset(names)
