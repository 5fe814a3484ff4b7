"""A complete catalog in memory: for demos and tests, and as the specification of the ports."""

from __future__ import annotations

from lakeport.catalog.memory.catalog import MemoryCatalog
from lakeport.catalog.memory.delegated import DelegatedTable, TravellingTable
from lakeport.catalog.memory.namespace import MemoryNamespace
from lakeport.catalog.memory.table import MemoryTable

__all__ = ["DelegatedTable", "MemoryCatalog", "MemoryNamespace", "MemoryTable", "TravellingTable"]
