"""A statement on its way to a server by DoExchange: rows go there, and what they changed comes back.

The server answers with a schema as soon as it has opened the statement, and not before: what is read
after that cannot be of a table that the statement is not about.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakeport.core.errors import CorruptDataError
from lakeport.flight.answers import LIMITS, Answers
from lakeport.flight.call import Call, Method
from lakeport.flight.dial import Target
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.upload import Upload


class Exchange(Upload):
    """Made by `FlightClient.exchange`, for statements that give no rows back."""

    def __init__(
        self, stub: Any, target: Target, descriptor: FlightDescriptor, schema: pa.Schema
    ) -> None:
        super().__init__(stub, target, descriptor, schema)
        self._answers = Answers(self._call, target)
        self._incoming = IncomingStream(Call(Method.DO_EXCHANGE), self._answers, LIMITS)
        try:
            with self._answers.believed():
                _ = self._incoming.schema
        except BaseException:
            self.close()
            raise

    def finish(self) -> bytes:
        """The metadata of the last message, when the server has committed."""
        told = self.end()
        if not told:
            raise self._not_said()
        return told

    def end(self) -> bytes:
        """The same of a server that need not say what changed: empty if it does not."""
        self._outbox.close()
        with self._answers.believed():
            chunks = list(self._incoming)
        if len(chunks) > 1 or any(chunk.batch is not None for chunk in chunks):
            raise self._not_said()
        return (chunks[0].metadata or b"") if chunks else b""

    def _not_said(self) -> CorruptDataError:
        return CorruptDataError(f"{self._target} did not say what a statement changed")
