"""Which files and manifests can hold a matching row, judged from what manifests say of them."""

from __future__ import annotations

from lakeport.catalog.iceberg.pruning.files import matching_files
from lakeport.catalog.iceberg.pruning.manifests import matching_manifests

__all__ = ["matching_files", "matching_manifests"]
