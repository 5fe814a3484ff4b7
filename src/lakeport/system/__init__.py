"""What Lakeport knows, as tables: the namespace `lakeport`, added to a catalog as one caller sees it."""

from lakeport.system.known import KNOWN
from lakeport.system.overlay import NAMESPACE, SystemCatalog, explain_hidden
from lakeport.system.view import SeenIssue, SeenRun, View

__all__ = [
    "KNOWN",
    "NAMESPACE",
    "SeenIssue",
    "SeenRun",
    "SystemCatalog",
    "View",
    "explain_hidden",
]
