"""What the printer must ask the binder: tokens alone do not tell a table from a struct."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.types import SqlType


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The select item's world.

    `outer` gives, for each subquery in turn, the outer columns it mentions, which is all that Spark
    shows of one. `routine` gives the full name of a function that the workload created.
    """

    is_relation: Callable[[str], bool]
    is_column: Callable[[str], bool]
    outer_reference: Callable[[list[str]], str | None]
    outer: Iterator[list[str]]
    window: Callable[[str], list[Token]]
    star: Callable[[str], list[str]]
    type_of: Callable[[list[Token]], SqlType | None]
    routine: Callable[[str], str | None]
