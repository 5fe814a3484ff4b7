"""Constants whose value decides what a call costs: patterns, paths, and text to look for."""

from __future__ import annotations

import math
import re

from lakeport.catalog.expressions.functions import Argument
from lakeport.catalog.expressions.tree import Node
from lakeport.core.errors import InvalidRequestError, LimitError
from lakeport.core.names import quoted

MAX_PATTERN = 1_000
"""Characters of a pattern: a call costs at most so many steps per character of its text."""


def check_argument(function: str, node: Node, demand: Argument) -> None:
    if node["class"] != "CONSTANT":
        raise InvalidRequestError(
            f"the {demand} of {quoted(function)} must be a constant",
            hint="write it as a literal: what a call costs must be known beforehand",
        )
    value = node["value"].get("value")
    if not isinstance(value, str):
        return
    match demand:
        case Argument.LIKE if "_" in value or "escape" in function:
            _check_backtracking(value, "%")
        case Argument.GLOB:
            _check_backtracking(value, "*")
        case Argument.REGEX:
            _check_regex(value)
        case Argument.NEEDLE | Argument.ZONE:
            _check_length(value)
        case Argument.PATH:
            _check_path(value)


def _check_path(path: str) -> None:
    # `$..a` and `$.*` answer lists: parts of a document once for each level above them.
    if "*" in path or ".." in path:
        raise InvalidRequestError(
            f"the path {_shown(path)} has a wildcard", hint="name one member at a time"
        )


def _check_backtracking(pattern: str, wildcard: str) -> None:
    """DuckDB matches GLOB, escapes and `%` beside `_` by backtracking: a text of n characters costs
    n to the power of the wildcards before the last character, and nothing can interrupt it (four of
    them over 1,000 characters took 152 seconds). Plain pieces between `%` take linear time.
    """
    _check_length(pattern)
    searches = re.findall(f"[{wildcard}]+(?=[^{wildcard}])", pattern)
    if len(searches) > 1:
        raise LimitError(
            f"the pattern {_shown(pattern)} would take too long to match",
            hint="use regexp_matches, or a single wildcard beside those at the end",
        )


def _check_regex(pattern: str) -> None:
    """The matcher is linear in the text times the pattern with its repetitions written out."""
    _check_length(pattern)
    counts = re.findall(r"\{(?:\d+,)?(\d+),?\}", pattern)
    if math.prod(max(1, int(count)) for count in counts) > MAX_PATTERN:
        raise LimitError(
            f"the regular expression {_shown(pattern)} repeats too much",
            hint=f"at most {MAX_PATTERN:,} repetitions in braces, multiplied",
        )


def _check_length(text: str) -> None:
    if len(text) > MAX_PATTERN:
        raise LimitError(
            f"{_shown(text)} is too long for a pattern", hint=f"at most {MAX_PATTERN:,} characters"
        )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
