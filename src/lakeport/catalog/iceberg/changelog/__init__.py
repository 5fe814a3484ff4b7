"""Rows inserted and deleted between two snapshots, from what their manifests list."""

from __future__ import annotations

from lakeport.catalog.iceberg.changelog.read import changes_between

__all__ = ["changes_between"]
