"""What is wrong with how a function was written, told when it is decorated: where, what, and how to mend it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lakeport.core.errors import ConfigurationError
from lakeport.core.names import quoted


class DeclarationError(ConfigurationError):
    """`file` and `line` are of the function; `what` is the message without them."""

    code = "declaration"

    def __init__(
        self, what: str, *, hint: str, file: str | None = None, line: int | None = None
    ) -> None:
        self.what = what
        self.file = file
        self.line = line
        place = f"{_shown(file)}:{line}: " if file and line else ""
        super().__init__(f"{place}{what}", hint=hint)


def mistake(function: Callable[..., Any], what: str, hint: str) -> DeclarationError:
    """`what` goes on after the function's name: "has no type for …"."""
    file, line = place_of(function)
    name = getattr(function, "__name__", "?")
    return DeclarationError(f"function {quoted(name)} {what}", hint=hint, file=file, line=line)


def place_of(function: Callable[..., Any]) -> tuple[str | None, int | None]:
    """The file and the line of its `def` or `class`, decorators not counted where that can be told."""
    target = inspect.unwrap(function)
    code = getattr(target, "__code__", None)
    if code is not None:
        return code.co_filename, _line_of_def(target, code.co_firstlineno)
    try:
        return inspect.getsourcefile(target), inspect.getsourcelines(target)[1]
    except (OSError, TypeError):
        return None, None


def _line_of_def(function: Callable[..., Any], first: int) -> int:
    """Python counts a function from its first decorator."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return first
    starts = (
        index for index, line in enumerate(lines) if line.lstrip().startswith(("def ", "async "))
    )
    return first + next(starts, 0)


def _shown(file: str | None) -> str:
    path = Path(file or "?")
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)
