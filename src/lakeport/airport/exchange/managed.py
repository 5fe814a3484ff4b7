"""A statement under somebody's transaction manager: committed with its rows, rolled back without them.

The manager speaks last: what it does not commit, the statement has not done.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

import pyarrow as pa

from lakeport.airport.transactions import MANAGER, TransactionManager
from lakeport.catalog.ports import Write, Written
from lakeport.core.foreign import dismiss, foreign


class Managed:
    def __init__(
        self, inner: Write, manager: TransactionManager, transaction: str, catalog: str
    ) -> None:
        self._inner = inner
        self._manager = manager
        self._names = (transaction, catalog)
        self._is_open = True

    def add(self, batch: pa.RecordBatch, *, returning: bool = False) -> pa.RecordBatch | None:
        return self._inner.add(batch, returning=returning)

    def commit(self) -> Written:
        written = self._inner.commit()
        with foreign(MANAGER):
            self._manager.commit(*self._names)
        self._is_open = False
        return written

    def abort(self) -> None:
        self._inner.abort()
        if self._is_open:
            self._is_open = False
            dismiss(lambda: self._manager.rollback(*self._names), MANAGER)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.abort()
