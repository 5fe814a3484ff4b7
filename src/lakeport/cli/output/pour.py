"""An answer that comes in chunks, written as it comes: to stdout, or to a file that is whole or not there.

A reader of stdout that left (`| head`) ends it quietly; the chunks' source is closed at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

from lakeport.cli.output.pipe import tolerate_a_closed_pipe
from lakeport.core.errors import InvalidRequestError, UnavailableError


def pour(chunks: Generator[bytes, None, None], target: Path | None = None) -> None:
    with contextlib.closing(chunks):
        if target is None:
            _to_stdout(chunks)
        else:
            _to_file(chunks, target)


def refuse_a_terminal(target: Path | None) -> None:
    """Bytes that no person can read would only upset the terminal."""
    if target is None and sys.stdout.isatty():
        raise InvalidRequestError(
            "Arrow data is not for a terminal", hint="pipe it into a program, or name --output FILE"
        )


def _to_stdout(chunks: Generator[bytes, None, None]) -> None:
    sys.stdout.flush()
    for chunk in chunks:
        left = True
        with tolerate_a_closed_pipe():
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
            left = False
        if left:
            return


def _to_file(chunks: Generator[bytes, None, None], target: Path) -> None:
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("wb") as stream:
            for chunk in chunks:
                stream.write(chunk)
        unfinished.replace(target)
    except OSError as error:
        raise UnavailableError(
            f"{target} cannot be written: {(error.strerror or 'unknown reason').lower()}"
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
