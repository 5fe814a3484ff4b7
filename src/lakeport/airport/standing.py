"""Whether somebody who was let in may still be here: asked while a stream runs, which may be hours.

A token that was revoked or has expired ends the streams it opened, as it refuses every new call.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace

from lakeport.core.errors import UnavailableError
from lakeport.flight.service import Chunk, Outgoing


def while_welcome(outgoing: Outgoing, ask: Callable[[], object]) -> Outgoing:
    """The same rows, until `ask` refuses. It is asked before each chunk, so it must be quick."""
    return replace(outgoing, chunks=_chunks(outgoing, ask))


def _chunks(outgoing: Outgoing, ask: Callable[[], object]) -> Iterator[Chunk]:
    chunks = iter(outgoing.chunks)
    try:
        for chunk in chunks:
            # Who cannot be asked has not refused: a store that is gone for a moment ends no stream.
            with suppress(UnavailableError):
                ask()
            yield chunk
    finally:
        if isinstance(chunks, Generator):
            chunks.close()
