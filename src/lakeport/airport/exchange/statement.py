"""One statement on behalf of a caller, whichever method it came by: counted while its rows arrive,
committed as a whole, and noted where the rest of its transaction looks.

Nothing is locked while it is open. The scan that feeds an UPDATE runs at the same time and reads what
was there before it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice

import msgspec
import pyarrow as pa

from lakeport.access import StatementLimits
from lakeport.airport.caller import Caller
from lakeport.airport.exchange.kinds import Kind
from lakeport.airport.exchange.managed import Managed
from lakeport.airport.exchange.target import Target, open_target
from lakeport.airport.functions.agreed import Agreed
from lakeport.airport.requested import Requested
from lakeport.airport.scans import Pins
from lakeport.airport.scans.resolve import transaction_of
from lakeport.airport.transactions import TransactionManager
from lakeport.airport.wire.packing import pack
from lakeport.airport.wire.written import WrittenAnswer
from lakeport.catalog.arrays.gather import gathered
from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.ports import Written
from lakeport.core.errors import ConflictError, LakeportError, NotFoundError
from lakeport.core.names import quoted
from lakeport.flight.service import Incoming
from lakeport.flight.status import CLIENT_HEADER

_log = logging.getLogger(__name__)

# As many as make a piece of work for the writer of files, which then glues nothing again.
_GATHER_ROWS = 65_536
_GATHER_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Statements:
    """What all exchanges of a server share. `limits` are for who has none of their own."""

    pins: Pins
    limits: StatementLimits
    transactions: TransactionManager | None = None
    agreed: Agreed = field(default_factory=Agreed)

    def open(
        self, caller: Caller, wanted: Requested, kind: Kind, *, returning: bool = False
    ) -> Statement:
        caller.account.action = caller.account.action or str(kind)
        transaction = transaction_of(caller.call)
        target = open_target(caller, wanted, kind, self.pins, returning=returning)
        if self.transactions is not None and transaction is not None:
            catalog = target.reading.found.catalog.name
            managed = Managed(target.write, self.transactions, transaction, catalog)
            target = replace(target, write=managed)
        limits = caller.identity.limits.or_else(self.limits)
        return Statement(caller, target, limits, self.pins, transaction)


@dataclass(slots=True)
class Statement:
    """Use it inside `with target.write`: whatever is not committed leaves nothing."""

    caller: Caller
    target: Target
    limits: StatementLimits
    pins: Pins
    transaction: str | None
    rows: int = 0

    def count(self, rows: int) -> None:
        """Before they are touched: `LimitError` when they are more than the caller may write."""
        self.rows += rows
        received = self.caller.call.traffic.bytes_in
        self.limits.check(self.caller.identity.name, self.rows, received)

    def received(self, incoming: Incoming) -> Iterator[pa.RecordBatch]:
        """Each batch as it was sent. Where none is, the columns are checked all the same."""
        is_empty = True
        for batch, _ in incoming:
            if batch is not None:
                is_empty = False
                self.count(batch.num_rows)
                yield batch
        if is_empty:
            self.add(glue_rows([], incoming.schema))

    def take(self, incoming: Incoming) -> None:
        """All rows that come: the first batch by itself, so that what is wrong with all of them is
        told at once, the others in few pieces.
        """
        batches = self.received(incoming)
        for batch in islice(batches, 1):
            self.add(batch)
        for batch in gathered(batches, most_rows=_GATHER_ROWS, most_bytes=_GATHER_BYTES):
            self.add(batch)

    def add(self, batch: pa.RecordBatch, *, returning: bool = False) -> pa.RecordBatch | None:
        with self._refusals():
            return self.target.write.add(batch, returning=returning)

    def commit(self) -> Written:
        """From here on nobody's leaving undoes it."""
        account = self.caller.account
        self.caller.call.check()
        self.caller.require_welcome()
        with self._refusals(), account.deciding():
            written = self.target.write.commit()
            account.rows_changed = written.rows
        self._move_pin(written)
        return written

    def told(self, written: Written) -> bytes:
        """How many rows changed, in msgpack; our own clients are also told which version that made."""
        if self.caller.call.header(CLIENT_HEADER) is None:
            return pack({"total_changed": written.rows})
        return msgspec.msgpack.encode(WrittenAnswer.of(written))

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """A table that went while the statement ran is a conflict, as one that another took the place
        of; whether it is to be found is the next statement's question. The new rows of an UPDATE are
        stored ones in part, all others are the caller's own.
        """
        found, kind = self.target.reading.found, self.target.kind
        try:
            with self.caller.seeing(found) if kind is Kind.UPDATE else nullcontext():
                yield
        except NotFoundError as error:
            raise ConflictError(
                f"table {quoted(str(self.target.state.name))} was dropped while the statement ran",
                hint="run the statement again",
            ) from error

    def _move_pin(self, written: Written) -> None:
        """The transaction goes on with what it wrote.

        The schema's id is the one that the statement began with: where it has changed since, the pin
        is void and the next read takes the head, which has the write in it, too.
        """
        if self.transaction is None or written.snapshot_id is None:
            return
        state = replace(self.target.state, snapshot_id=written.snapshot_id, version=written.version)
        try:
            self.pins.move(self.transaction, self.target.reading.found.catalog.name, state)
        except LakeportError:
            # The statement is done, and its client must not be told anything else.
            _log.warning("statement.pin_not_moved", exc_info=True)
