"""What to do when whoever read our stdout has gone (`| head`): nothing, quietly.

The reader saw enough, so the command's own exit code stands. Only writing an answer is treated so; a
broken connection inside a use case is trouble and stays an error.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def tolerate_a_closed_pipe() -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered must not fail again when the interpreter closes stdout.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
