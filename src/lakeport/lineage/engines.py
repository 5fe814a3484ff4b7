"""The tokenizers and parsers of this thread, kept: building one costs as much as a small statement.

They are emptied after every use, so that a thread never holds the tokens of the last text it read.
"""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING

from lakeport.lineage.dialects import engine_of

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.parser import Parser
    from sqlglot.tokenizer_core import Token
    from sqlglot.tokens import Tokenizer


class _Ready(local):
    """By the parser's name of the dialect."""

    def __init__(self) -> None:
        self.tokenizers: dict[str, Tokenizer] = {}
        self.parsers: dict[str, Parser] = {}


_ready = _Ready()


def tokens_of(text: str, parser: str) -> list[Token]:
    """The tokens of a text; raises what the tokenizer raises."""
    ready = _ready.tokenizers.get(parser)
    if ready is None:
        ready = _ready.tokenizers[parser] = engine_of(parser).tokenizer()
    try:
        return ready.tokenize(text)
    finally:
        ready._core.reset()  # noqa: SLF001 - the shell around it has no way to forget


def tree_of(tokens: list[Token], text: str, parser: str) -> exp.Expr | None:
    """The tree of one statement's tokens; raises what the parser raises."""
    ready = _ready.parsers.get(parser)
    if ready is None:
        ready = _ready.parsers[parser] = engine_of(parser).parser()
    try:
        trees = ready.parse(tokens, text)
    finally:
        ready.reset()
    return trees[0] if trees else None
