"""What Lakeport knows, as tables: the namespace `lakeport`, added to a catalog as one caller sees it."""

from lakeport.system.known import KNOWN, View
from lakeport.system.overlay import NAMESPACE, SystemCatalog, explain_hidden

__all__ = ["KNOWN", "NAMESPACE", "SystemCatalog", "View", "explain_hidden"]
