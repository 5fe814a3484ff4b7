"""Who may do what, the same for every door: tokens, grants, what is visible, and the audit.

A door asks `Authenticator` who is calling, then the `Identity` what it may, and opens tables through
`visibility`; nothing else decides. No transport is known here.
"""

from lakeport.access.audit import AuditLog
from lakeport.access.authenticate import Authenticator
from lakeport.access.grants import Ability, Grant, grants_for, parse_abilities
from lakeport.access.identity import EVERYONE, Identity
from lakeport.access.limits import NO_LIMITS, StatementLimits
from lakeport.access.pace import Pace
from lakeport.access.visibility import (
    find_namespace,
    functions_of,
    open_namespace,
    open_table,
    visible_functions,
    visible_namespaces,
    visible_tables,
    visible_views,
)
from lakeport.state import AuditEntry

__all__ = [
    "EVERYONE",
    "NO_LIMITS",
    "Ability",
    "AuditEntry",
    "AuditLog",
    "Authenticator",
    "Grant",
    "Identity",
    "Pace",
    "StatementLimits",
    "find_namespace",
    "functions_of",
    "grants_for",
    "open_namespace",
    "open_table",
    "parse_abilities",
    "visible_functions",
    "visible_namespaces",
    "visible_tables",
    "visible_views",
]
