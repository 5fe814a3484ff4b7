"""The process's stdout and stderr: a function may close, replace or redirect them, but for its own call alone."""

from __future__ import annotations

import os
import sys
from typing import Any

_NUMBERS = {"stdout": 1, "stderr": 2}


class Output:
    """Made before any module is loaded."""

    def __init__(self) -> None:
        self._spare = {name: os.dup(number) for name, number in _NUMBERS.items()}
        self._streams: dict[str, Any] = {}

    def keep(self) -> None:
        """What modules made of the streams when they were imported stays; what they closed is theirs."""
        streams = {name: getattr(sys, name) for name in _NUMBERS}
        self._streams = {name: each for name, each in streams.items() if _is_flushed(each)}

    def restore(self) -> bool:
        """Flush, and give the next function what this one had. False if it closed one: that stays so."""
        for name, number in _NUMBERS.items():
            if not _is_same(number, self._spare[name]):
                os.dup2(self._spare[name], number)
        for name, stream in self._streams.items():
            setattr(sys, name, stream)
        return sum(_is_flushed(each) for each in self._streams.values()) == len(self._streams)


def _is_flushed(stream: Any) -> bool:
    try:
        stream.flush()
    except (OSError, ValueError, AttributeError):
        return False
    return True


def _is_same(number: int, spare: int) -> bool:
    try:
        return os.path.sameopenfile(number, spare)
    except OSError:
        return False  # closed
