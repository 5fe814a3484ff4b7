"""A statement rewritten for a second try: tokens the parser can read, or a ready tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import Token

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Shim:
    """Tokens the parser can read, or a ready tree, and what the rewriting took away."""

    kind: str
    tokens: list[Token] = field(default_factory=list)
    tree: exp.Expr | None = None
    # A path written to, for INSERT OVERWRITE DIRECTORY.
    path: str | None = None
    # What the tree of the tokens has to become.
    finish: Callable[[exp.Expr], exp.Expr] | None = None
    # The values that it gives to the markers of the tokens, where they are no literals.
    values: list[list[Token]] = field(default_factory=list)
