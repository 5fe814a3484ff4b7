"""The inside of a string, read as SQL at its own place."""

from __future__ import annotations

import re

_ESCAPED = re.compile(r"""\\(['"\\])|(['"])\2""")


def unescaped(quoted: str, quote: str = "'") -> str:
    """The inside of a string; a blank stands for the mark that escaped, so that nothing moves.

    It stands outside of the strings in there, which would else be longer by it.
    """
    inside = False

    def replaced(match: re.Match[str]) -> str:
        nonlocal inside
        mark = match[1] or match[2]
        if mark != quote:
            # Two marks of the other kind are an empty string.
            return f" {mark}" if match[1] else match[0]
        inside = not inside
        return f" {mark}" if inside else f"{mark} "

    return _ESCAPED.sub(replaced, quoted)
