"""`read_csv`, `read_parquet` and `read_json`: files under `files.roots`, as one table.

A path may be a pattern; its files are read one after the other, a piece at a time. Nothing is read before
somebody configured a folder for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa

from lakeport.catalog.files import FileFormat, Reading, Roots
from lakeport.catalog.files.roots import FoundFile
from lakeport.catalog.functions import Signature
from lakeport.catalog.parameters import parameter
from lakeport.system.builtin import Arguments, Builtin, Rows, text_of

_PATH = parameter("path", pa.string())
_CSV = (
    parameter("header", pa.bool_(), named=True),
    parameter("delim", pa.string(), named=True),
)
_KINDS = {
    FileFormat.CSV: ("CSV files", _CSV),
    FileFormat.PARQUET: ("Parquet files", ()),
    FileFormat.JSON: ("files of JSON, one object per line", ()),
}


def file_functions(roots: Roots) -> tuple[Builtin, ...]:
    return tuple(
        Builtin(
            Signature(
                f"read_{kind}",
                pa.schema([_PATH, *more]),
                f"The rows of {what} under the folders that the server reads from.",
            ),
            partial(_bind, roots, kind),
        )
        for kind, (what, more) in _KINDS.items()
    )


def _bind(roots: Roots, kind: FileFormat, arguments: Arguments) -> Rows:
    files = roots.find(text_of(arguments, "path", f"read_{kind}"))
    reading = _reading(kind, arguments)
    schema = reading.schema_of(files[0])
    return Rows(schema, partial(_batches, reading, files, schema))


def _reading(kind: FileFormat, arguments: Arguments) -> Reading:
    given = {name: arguments[name].as_py() for name in ("header", "delim") if name in arguments}
    header, delimiter = given.get("header"), given.get("delim")
    return Reading(
        kind,
        header=True if header is None else bool(header),
        delimiter="," if delimiter is None else str(delimiter),
    )


def _batches(
    reading: Reading, files: Sequence[FoundFile], schema: pa.Schema, names: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    for file in files:
        yield from reading.batches(file, schema, names)
