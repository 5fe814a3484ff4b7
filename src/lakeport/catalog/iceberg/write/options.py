"""How files are written: what the table's properties ask for, where that makes sense, and our limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lakeport.catalog.iceberg.parts import MEBIBYTE
from lakeport.core.errors import UnsupportedError

_COUNT = re.compile(r"[1-9][0-9]{0,17}")
_LEVEL = re.compile(r"-?[0-9]{1,3}")
_WITH_LEVELS = ("zstd", "gzip", "brotli")
_CODECS = {
    "uncompressed": "none",
    **{name: name for name in ("zstd", "snappy", "gzip", "lz4", "brotli")},
}


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """`waiting_bytes` is for the rows of all partitions together, `encoding_bytes` for those that
    `threads` are to encode. Without threads whoever brings rows encodes them.
    """

    row_group_rows: int = 122_880
    row_group_bytes: int = 64 * MEBIBYTE
    waiting_bytes: int = 128 * MEBIBYTE
    encoding_bytes: int = 64 * MEBIBYTE
    file_bytes: int = 128 * MEBIBYTE
    open_files: int = 64
    threads: int = 2

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> WriteOptions:
        usual = cls()
        rows = properties.get("write.parquet.row-group-limit", "")
        size = properties.get("write.target-file-size-bytes", "")
        return cls(
            row_group_rows=int(rows) if _COUNT.fullmatch(rows) else usual.row_group_rows,
            file_bytes=int(size) if _COUNT.fullmatch(size) else usual.file_bytes,
        )


@dataclass(frozen=True, slots=True)
class Compression:
    codec: str
    level: int | None

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> Compression:
        asked = properties.get("write.parquet.compression-codec", "zstd").lower()
        if asked not in _CODECS:
            raise UnsupportedError(
                f"the table asks for files compressed with {asked}, which is not known here",
                hint=f"set write.parquet.compression-codec to one of {', '.join(_CODECS)}",
            )
        level = properties.get("write.parquet.compression-level", "")
        return cls(_CODECS[asked], int(level) if _is_level(level, asked) else None)


def _is_level(text: str, codec: str) -> bool:
    if codec not in _WITH_LEVELS or not _LEVEL.fullmatch(text):
        return False
    known: Any = pa.Codec
    least, most = known.minimum_compression_level(codec), known.maximum_compression_level(codec)
    return bool(least <= int(text) <= most)
