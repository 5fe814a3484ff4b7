"""Patterns that clients choose names with: `*` any text, `?` one character, `[ab]` one of these."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import fold

_MAX_LENGTH = 1024


def chosen_by(pattern: str) -> Callable[[str], bool]:
    """Without regard to case. An empty pattern chooses everything."""
    if len(pattern) > _MAX_LENGTH:
        raise InvalidRequestError(f"a pattern has at most {_MAX_LENGTH} characters")
    folded = fold(pattern)
    return lambda name: not folded or fnmatchcase(fold(name), folded)
