"""A statement in progress, on whatever storage: staged by `add`, ended by `commit` or `abort`.

One whose `add` failed can only be aborted: committing the batches that came before would be half a
statement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

import pyarrow as pa

from lakeport.core.errors import PreconditionError


class Staging(ABC):
    """All of `ports.Write` but its commit."""

    _is_open = True

    def add(self, batch: pa.RecordBatch, *, returning: bool = False) -> pa.RecordBatch | None:
        self._require_open()
        try:
            shown = self._stage(batch, returning=returning)
        except BaseException:
            self.abort()
            raise
        return shown if returning else None

    def abort(self) -> None:
        """Nothing is left of it, unless its commit has begun."""
        if self._is_open:
            self._is_open = False
            self._undo()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.abort()

    def _require_open(self) -> None:
        if not self._is_open:
            raise PreconditionError(
                "the statement has ended: it was committed, aborted or has failed",
                hint="begin a new one",
            )

    @abstractmethod
    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch | None:
        """Validate and keep; what comes back is what RETURNING shows, if it was asked for."""

    @abstractmethod
    def _undo(self) -> None:
        """Let go of all that was staged."""
