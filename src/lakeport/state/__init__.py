"""The small SQL store: what Lakeport must remember that is no table of the lake.

SQLite in the project's `.lakeport/`, or Postgres by configuration. It is made at its first use, and any
number of processes may use it at once. A lost store loses tokens, the audit, what ran and the way back to
dropped tables, never data.
"""

from lakeport.state.audit import AuditEntry, AuditTable
from lakeport.state.dropped import DropTable, StoredDrop
from lakeport.state.heartbeat import Heartbeat
from lakeport.state.leases import Held, Lease, LeaseTable
from lakeport.state.lineage import LineageTable, StoredEdge, StoredIssue
from lakeport.state.owners import Owner
from lakeport.state.pins import NameKey, Pin, PinKey, PinTable
from lakeport.state.run_records import ModelRecord, ModelRun, ModelStatus, RunRecord, RunStatus
from lakeport.state.runs import RunTable
from lakeport.state.store import Store
from lakeport.state.tokens import StoredGrant, StoredPass, StoredToken, TokenTable

__all__ = [
    "AuditEntry",
    "AuditTable",
    "DropTable",
    "Heartbeat",
    "Held",
    "Lease",
    "LeaseTable",
    "LineageTable",
    "ModelRecord",
    "ModelRun",
    "ModelStatus",
    "NameKey",
    "Owner",
    "Pin",
    "PinKey",
    "PinTable",
    "RunRecord",
    "RunStatus",
    "RunTable",
    "Store",
    "StoredDrop",
    "StoredEdge",
    "StoredGrant",
    "StoredIssue",
    "StoredPass",
    "StoredToken",
    "TokenTable",
]
