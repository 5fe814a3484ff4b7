"""Whole batches in the form that a function takes them in."""

from __future__ import annotations

import importlib
from enum import StrEnum
from typing import Any

import pyarrow as pa


class Frame(StrEnum):
    BATCH = "batch"
    TABLE = "table"
    PANDAS = "pandas"
    POLARS = "polars"


def frame_of(annotation: Any) -> Frame | None:
    """None for an annotation that means no rows."""
    if annotation is pa.RecordBatch:
        return Frame.BATCH
    if annotation is pa.Table:
        return Frame.TABLE
    library = getattr(annotation, "__module__", "").partition(".")[0]
    if library in {"pandas", "polars"} and getattr(annotation, "__name__", "") == "DataFrame":
        return Frame(library)
    return None


def as_frame(frame: Frame, batch: pa.RecordBatch) -> object:
    if frame is Frame.TABLE:
        return pa.Table.from_batches([batch])
    if frame is Frame.PANDAS:
        return batch.to_pandas()
    if frame is Frame.POLARS:
        polars: Any = importlib.import_module("polars")
        return polars.from_arrow(batch)
    return batch
