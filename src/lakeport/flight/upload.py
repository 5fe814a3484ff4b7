"""Rows on their way to a server by DoPut, pushed by whoever makes them.

gRPC takes what it sends on a thread of its own and waits there for the server's pace; the maker's thread
waits with it, so that no more than a few messages are in memory. What the maker raises, Ctrl-C included,
cancels the call, and the server leaves nothing of it.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Self

import grpc
import pyarrow as pa

from lakeport.core.closing import Closing
from lakeport.core.errors import CorruptDataError
from lakeport.flight.begin import begun
from lakeport.flight.dial import Target
from lakeport.flight.framing import FrameEncoder
from lakeport.flight.messages import FlightDescriptor, decode_result
from lakeport.flight.told import told

_WAITING = 2  # messages of some 2 MB between the two threads
_MOST_BYTES = 2**31 - 1  # what is too large is the server's to say


class Outbox:
    """Messages between two threads: `put` waits for room, iteration for messages."""

    def __init__(self) -> None:
        self._messages: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._is_closed = False
        self._is_wanted = True

    def put(self, message: bytes) -> bool:
        """Whether it will be taken: nobody takes messages of a call that has ended."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._messages) < _WAITING or not self._is_wanted)
            if self._is_wanted:
                self._messages.append(message)
                self._changed.notify_all()
            return self._is_wanted

    def close(self) -> None:
        """After the last message."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def abandon(self) -> None:
        with self._changed:
            self._is_wanted = False
            self._messages.clear()
            self._changed.notify_all()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        with self._changed:
            self._changed.wait_for(lambda: self._messages or self._is_closed or not self._is_wanted)
            if not self._messages:
                raise StopIteration
            message = self._messages.popleft()
            self._changed.notify_all()
            return message


class Upload(Closing):
    """Made by `FlightClient.put`. Leaving its `with` block before `finish` cancels it."""

    def __init__(
        self, stub: Any, target: Target, descriptor: FlightDescriptor, schema: pa.Schema
    ) -> None:
        """`stub` starts the call when it is given the messages to send."""
        self.bytes_sent = 0
        self._target = target
        self._outbox = Outbox()
        self._encoder = FrameEncoder(schema, most_bytes=_MOST_BYTES, cut=True)
        try:
            self._call = begun(lambda: stub(self._outbox))
            if not self._call.add_callback(self._outbox.abandon):
                self._outbox.abandon()  # it has ended already: nobody was there
            self._send(self._encoder.schema(descriptor))
        except BaseException:
            # Ctrl-C, and nobody will leave the `with` block of an upload that was never made: gRPC's
            # thread would wait for messages for ever.
            self._outbox.abandon()
            raise

    def add(self, batch: pa.RecordBatch) -> None:
        """Waits while the server is slower; raises what the server refused meanwhile."""
        for message in self._encoder.batch(batch):
            self._send(message)

    def finish(self) -> bytes:
        """The metadata of the one PutResult, when the server has committed."""
        self._outbox.close()
        results = self._results()
        if len(results) != 1:
            raise CorruptDataError(f"{self._target} sent {len(results)} results, not one")
        return decode_result(results[0])

    def close(self) -> None:
        """Cancels it; of no effect once the call has ended."""
        self._call.cancel()
        self._outbox.abandon()

    def _send(self, message: bytes) -> None:
        if not self._outbox.put(message):
            self._results()
            raise CorruptDataError(f"{self._target} took a stream for ended before its end")
        self.bytes_sent += len(message)

    def _results(self) -> list[bytes]:
        try:
            return list(self._call)
        except grpc.RpcError as failure:
            raise told(failure, self._target) from None
