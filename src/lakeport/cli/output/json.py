"""Answers as JSON: the result object itself, every field, in its own order.

An answer is indented for the eye; an event or an error is one line, because programs read those line
by line.
"""

from __future__ import annotations

import sys
from pathlib import PurePath

import msgspec


def write(value: object, *, indent: int = 2) -> None:
    """One value on stdout. `indent=0` keeps it on one line."""
    encoded = msgspec.json.encode(value, enc_hook=_plain)
    shown = msgspec.json.format(encoded, indent=indent) if indent else encoded
    # JSON is UTF-8, whatever the terminal speaks.
    sys.stdout.flush()
    sys.stdout.buffer.write(shown + b"\n")
    sys.stdout.flush()


def _plain(value: object) -> object:
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"a result holds a {type(value).__name__}, which JSON cannot show")
