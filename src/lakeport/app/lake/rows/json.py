"""Rows as one JSON array of objects, a row per line, with explicit nulls."""

from __future__ import annotations

from collections.abc import Generator

import msgspec
import pyarrow as pa

from lakeport.app.lake.rows.plain import plain_values
from lakeport.catalog.streams import BatchStream


def json_chunks(stream: BatchStream) -> Generator[bytes, None, None]:
    opening = b"["
    for batch in stream:
        lines = json_lines(batch)
        if lines:
            yield opening + b"\n" + b",\n".join(lines)
            opening = b","
    yield b"[]\n" if opening == b"[" else b"\n]\n"


def json_lines(batch: pa.RecordBatch) -> list[bytes]:
    """One object per row, without what stands between them."""
    names = batch.schema.names
    if not names:
        return [b"{}"] * batch.num_rows
    columns = [plain_values(column) for column in batch.columns]
    encode = msgspec.json.Encoder().encode
    return [encode(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]
