"""What became of the last transactions, for a server that keeps no audit.

In this process's memory, and of the latest alone: one that was forgotten, or changed rows elsewhere, is `active`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from lakeport.access import AuditEntry

_MOST = 10_000


class RecentOutcomes:
    """Stands where an audit would."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._outcomes: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def record(self, entry: AuditEntry) -> None:
        transaction = entry.transaction_id
        if transaction is None or not entry.ends(transaction):
            return
        with self._lock:
            self._outcomes[transaction] = entry.outcome
            self._outcomes.move_to_end(transaction)
            if len(self._outcomes) > self._most:
                self._outcomes.popitem(last=False)

    def last_outcome(self, transaction_id: str) -> str | None:
        with self._lock:
            return self._outcomes.get(transaction_id)
