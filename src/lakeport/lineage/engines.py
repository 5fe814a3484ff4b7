"""The tokenizers, parsers and generators of this thread, kept: building one costs as much as a small statement.

They are emptied after every use, so that a thread never holds the tokens of the last text it read.
"""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING

from sqlglot.helper import name_sequence

from lakeport.lineage.dialects import engine_of
from lakeport.lineage.parted_words import join_words

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.generator import Generator
    from sqlglot.parser import Parser
    from sqlglot.tokenizer_core import Token
    from sqlglot.tokens import Tokenizer


class _Ready(local):
    """By the parser's name of the dialect."""

    def __init__(self) -> None:
        self.tokenizers: dict[str, Tokenizer] = {}
        self.parsers: dict[str, Parser] = {}
        self.generators: dict[str, Generator] = {}


_ready = _Ready()


def tokens_of(text: str, parser: str) -> list[Token]:
    """The tokens of a text; raises what the tokenizer raises."""
    ready = _ready.tokenizers.get(parser)
    if ready is None:
        ready = _ready.tokenizers[parser] = engine_of(parser).tokenizer()
    try:
        tokens = ready.tokenize(text)
        return join_words(tokens, text, parser)
    finally:
        ready._core.reset()  # noqa: SLF001 - the shell around it has no way to forget


def tree_of(tokens: list[Token], text: str, parser: str, *, alone: bool = False) -> exp.Expr | None:
    """The tree of one statement's tokens; raises what the parser raises.

    The parser looks at every token for the semicolons between statements, which takes a twentieth of
    its time. Tokens that are known to be alone, without any, go in behind that.
    """
    ready = _ready.parsers.get(parser)
    if ready is None:
        ready = _ready.parsers[parser] = engine_of(parser).parser()
    try:
        if alone:
            ready.sql, ready._chunks = text, [tokens[:]]  # noqa: SLF001 - what `parse` does, too
            statement = ready.__class__._parse_statement  # noqa: SLF001 - the same
            trees = ready._parse_batch_statements(statement, sep_first_statement=False)  # noqa: SLF001 - the same
        else:
            trees = ready.parse(tokens, text)
    finally:
        ready.reset()
    return trees[0] if trees else None


def text_of(tree: exp.Expr, parser: str) -> str:
    """A tree as SQL; raises what the generator raises, and then forgets the generator."""
    ready = _ready.generators.pop(parser, None)
    if ready is None:
        ready = engine_of(parser).generator(comments=False)
    text = ready.generate(tree, copy=False)
    # Names it made up are counted from the start in the next text.
    ready._next_name = name_sequence("_t")  # noqa: SLF001 - a new generator would do no more
    _ready.generators[parser] = ready
    return text
