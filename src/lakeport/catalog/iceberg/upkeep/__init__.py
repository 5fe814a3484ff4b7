"""Keeping Iceberg tables quick and small: expiry, compaction, manifests, orphans, and when each is due."""
