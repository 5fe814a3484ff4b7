"""Work in several steps that leaves nothing behind when a later step fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from lakeport.core.errors import LakeportError


@contextmanager
def undoing(undo: Callable[[], None]) -> Iterator[None]:
    """`undo` is called when the block fails, also by Ctrl-C.

    Whatever stops the undoing, the reason for it is what the user must hear.
    """
    try:
        yield
    except BaseException:
        with suppress(LakeportError):
            undo()
        raise
