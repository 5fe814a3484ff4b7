"""`maintain`: each table, each task of its upkeep that is due, one after the other."""

from lakeport.app.maintain.after import forget_runs, is_automatic, leftover_age, maintain_after
from lakeport.app.maintain.choose import choose_tables
from lakeport.app.maintain.leftovers import (
    Leftover,
    LeftoverReport,
    find_leftovers,
    is_staging,
    remove_leftovers,
)
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
    "Leftover",
    "LeftoverReport",
    "Measures",
    "Report",
    "TableReport",
    "TaskReport",
    "choose_tables",
    "find_leftovers",
    "forget_runs",
    "is_automatic",
    "is_staging",
    "leftover_age",
    "maintain_after",
    "maintain_tables",
    "policy_of",
    "remove_dropped",
    "remove_leftovers",
    "require_own_upkeep",
]
