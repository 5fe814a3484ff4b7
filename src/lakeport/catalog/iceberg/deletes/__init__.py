"""Rows that are gone: position deletes, deletion vectors and equality deletes, all as positions."""

from __future__ import annotations

from lakeport.catalog.iceberg.deletes.deleted import Deleted, deleted_rows

__all__ = ["Deleted", "deleted_rows"]
