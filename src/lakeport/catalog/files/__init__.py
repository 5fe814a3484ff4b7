"""Files of other people's, read as they lie: found under configured folders alone, streamed as batches."""

from __future__ import annotations

from lakeport.catalog.files.formats import FileFormat, Reading
from lakeport.catalog.files.overlay import FilesCatalog
from lakeport.catalog.files.roots import Roots
from lakeport.catalog.files.table import FilesTable

__all__ = ["FileFormat", "FilesCatalog", "FilesTable", "Reading", "Roots"]
