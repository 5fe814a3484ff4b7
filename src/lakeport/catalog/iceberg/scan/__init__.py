"""Reading the files of a split: a stream of batches, made ahead by a few threads within few bytes."""

from __future__ import annotations

from lakeport.catalog.iceberg.scan.open import open_split

__all__ = ["open_split"]
