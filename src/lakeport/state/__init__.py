"""The small SQL store: what Lakeport must remember that is no table of the lake.

SQLite in the project's `.lakeport/`, or Postgres by configuration. It is made at its first use, and any
number of processes may use it at once. A lost store loses tokens, the audit and the way back to dropped
tables, never data.
"""

from lakeport.state.audit import AuditEntry, AuditTable
from lakeport.state.dropped import DropTable, StoredDrop
from lakeport.state.pins import NameKey, Pin, PinKey, PinTable
from lakeport.state.store import Store
from lakeport.state.tokens import StoredGrant, StoredPass, StoredToken, TokenTable

__all__ = [
    "AuditEntry",
    "AuditTable",
    "DropTable",
    "NameKey",
    "Pin",
    "PinKey",
    "PinTable",
    "Store",
    "StoredDrop",
    "StoredGrant",
    "StoredPass",
    "StoredToken",
    "TokenTable",
]
