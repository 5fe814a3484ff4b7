"""What one server gives its clients at most; beyond a limit a call is refused, never queued."""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.core.errors import LimitError

MEBI = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    calls: int = 64  # at the same time
    exchanges: int | None = None  # of those, DoExchange and DoPut; half of them unless told
    message_bytes: int = 64 * MEBI  # one message, either way
    action_bytes: int = 16 * MEBI  # an action's body, a ticket, a command
    decompressed_bytes: int = 256 * MEBI  # one received batch, once its buffers are unpacked
    stream_bytes: int = 64 * MEBI  # the dictionaries that a received stream keeps
    batch_rows: int = 1 << 24  # a batch of NULLs can claim any number of rows without having a byte
    call_seconds: float | None = None
    idle_seconds: float | None = 600.0  # a stream whose client neither reads nor sends

    def weigh(self, size: int) -> None:
        """Refuse one message of a stream if it is too large."""
        if size > self.message_bytes:
            raise LimitError(
                f"the message has {size:,} bytes, more than the {self.message_bytes:,} allowed",
                hint="send fewer rows at a time, or raise `server.limits.message_bytes`",
                details={"limit": "message_bytes"},
            )

    @property
    def most_exchanges(self) -> int:
        """An UPDATE's exchange waits for its own scan: exchanges alone must never fill the house."""
        return self.calls // 2 if self.exchanges is None else min(self.exchanges, self.calls - 1)
