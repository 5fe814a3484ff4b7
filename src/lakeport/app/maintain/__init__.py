"""`maintain`: each table, each task of its upkeep that is due, one after the other."""

from lakeport.app.maintain.choose import choose_tables
from lakeport.app.maintain.maintain import maintain_tables, remove_dropped
from lakeport.app.maintain.policy import policy_of, require_own_upkeep
from lakeport.app.maintain.report import (
    DroppedReport,
    Measures,
    Report,
    TableReport,
    TaskReport,
)

__all__ = [
    "DroppedReport",
    "Measures",
    "Report",
    "TableReport",
    "TaskReport",
    "choose_tables",
    "maintain_tables",
    "policy_of",
    "remove_dropped",
    "require_own_upkeep",
]
