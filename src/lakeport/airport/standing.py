"""Who may be here: asked of every call, and again while a stream runs, which may be hours.

A token that was revoked or has expired ends the streams it opened, as it refuses every new call.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace

from lakeport.access import Identity
from lakeport.catalog.arrays.vectors import Vectors
from lakeport.core.errors import UnauthenticatedError, UnavailableError
from lakeport.flight.call import Call
from lakeport.flight.service import Chunk, Outgoing
from lakeport.flight.status import CLIENT_HEADER

# A token given to ATTACH alone goes with the catalog's own calls, and with no scan (chapter 1.3): the
# first SELECT after a good ATTACH is refused, and its user looks for the reason everywhere else.
_FOR_DUCKDB = (
    "CREATE SECRET (TYPE airport, AUTH_TOKEN …, SCOPE …) with the LOCATION as its scope, then ATTACH; "
    "DuckDB sends a token that is in ATTACH alone with no scan"
)

# Whoever types a command or calls `lakeport.connect` sends no headers.
_FOR_COMMANDS = (
    "give it with --token or in LAKEPORT_TOKEN, in Python to `lakeport.connect(URL, …)`; "
    "`lakeport token create NAME` makes one, where the server is"
)


def recognise(authenticate: Callable[[str | None], Identity], call: Call) -> Identity:
    """A refusal says what its reader can do where they are, the same whatever is wrong."""
    try:
        return authenticate(call.header("authorization")).at_doors_of_rows()
    except UnauthenticatedError as refusal:
        hint = refusal.hint
        if call.is_airport:
            hint = _FOR_DUCKDB
        elif call.header(CLIENT_HEADER) is not None:
            hint = _FOR_COMMANDS
        raise UnauthenticatedError(refusal.message, hint=hint) from None


def while_welcome(outgoing: Outgoing, ask: Callable[[], object]) -> Outgoing:
    """The same rows, until `ask` refuses. It is asked before each chunk, so it must be quick."""
    return replace(outgoing, chunks=_chunks(outgoing, ask))


def _chunks(outgoing: Outgoing, ask: Callable[[], object]) -> Iterator[Chunk | Vectors]:
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
