"""The two kinds of Avro files that say which files a snapshot has, decoded into columns and cached."""

from __future__ import annotations

from lakeport.catalog.iceberg.manifests.entries import Manifest
from lakeport.catalog.iceberg.manifests.listing import Listed, Listing, Summary
from lakeport.catalog.iceberg.manifests.load import load_listing, load_manifest, load_manifests

__all__ = [
    "Listed",
    "Listing",
    "Manifest",
    "Summary",
    "load_listing",
    "load_manifest",
    "load_manifests",
]
