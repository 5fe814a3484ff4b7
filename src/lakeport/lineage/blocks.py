"""The blocks a statement of a script stands in, and the names they give it.

A loop's variable is a row of the loop's query, `NEW` and `inserted` are rows of the trigger's table;
parameters and declared variables are values. All are known only inside their block, so every statement
carries the blocks around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its label, the variables it declares, and what it loops over, if it does."""

    label: str | None = None
    names: frozenset[str] = frozenset()
    # The loop's row, addressed by this name, and the query it comes from.
    variable: str | None = None
    query: Query | None = None
    # The table a trigger belongs to: the parts of its name, and whether each was quoted.
    table: tuple[tuple[str, bool], ...] = ()
    # The function whose rows a query inside gives.
    function: Function | None = None


class Function(NamedTuple):
    """T-SQL's function of rows: the last part of its name, and its parameters without the `@`."""

    name: str
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """The query of a loop or a cursor."""

    tokens: tuple[Token, ...]

    @property
    def start(self) -> int:
        return self.tokens[0].start


class Breach(NamedTuple):
    """What keeps a text from being tokenised, and which code points of it are to blame."""

    message: str
    start: int
    end: int


class Chunk(msgspec.Struct, frozen=True):
    """The tokens of one statement and its code points; with an error those that could be read."""

    tokens: list[Token]
    start: int
    end: int
    error: Breach | None = None
    # The blocks of a script around it, the outermost first.
    blocks: tuple[Block, ...] = ()
    # It was cut at every semicolon, so that none of its tokens is one.
    alone: bool = False
    # Then, if it is one of several, the kinds of its tokens as numbers of two bytes.
    kinds: bytes = b""
