"""Data files: the fields asked for, by id, from whatever a file holds."""

from __future__ import annotations

from lakeport.catalog.iceberg.files.read import read_file
from lakeport.catalog.iceberg.files.wanted import Wanted

__all__ = ["Wanted", "read_file"]
