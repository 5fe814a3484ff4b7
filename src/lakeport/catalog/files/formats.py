"""Parquet, CSV and JSON lines as batches, a piece of a file at a time.

The columns are those of the first file unless they are declared; text formats tell their types by their
first megabytes. Whatever follows must have them, too: a value or a file that does not is an error that
names it, and never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.json as arrow_json
import pyarrow.parquet as arrow_parquet

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.files.roots import FoundFile
from lakeport.catalog.rows.convert import convert
from lakeport.core.errors import InvalidRequestError, PreconditionError
from lakeport.core.names import fold, quoted, twins

_BLOCK = 1 << 22
_ROWS = 65_536
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".lz4": "lz4"}
_FAILURES = (pa.ArrowException, OSError, ValueError, EOFError)

_arrow: Any = pa
_json: Any = arrow_json
_csv: Any = arrow_csv
_parquet: Any = arrow_parquet


class FileFormat(StrEnum):
    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read. `header` and `delimiter` are for CSV alone."""

    format: FileFormat
    header: bool = True
    delimiter: str = ","

    def __post_init__(self) -> None:
        if len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in "\r\n":
            raise InvalidRequestError(
                f"{self.delimiter!r} is no delimiter", hint="a delimiter is one ASCII character"
            )

    def schema_of(self, file: FoundFile) -> pa.Schema:
        """As it is shown to users, which every file of a table must give."""
        with self._told(file), file.open() as handle:
            return _shown(file, self._found(file, handle))

    def _found(self, file: FoundFile, handle: BinaryIO) -> pa.Schema:
        found: pa.Schema
        if self.format is FileFormat.PARQUET:
            found = _parquet_file(handle).schema_arrow
            return found
        is_csv = self.format is FileFormat.CSV
        reader = self._csv(file, handle, None) if is_csv else _json_reader(file, handle, None)
        with reader:
            found = reader.schema
        return found

    def batches(
        self, file: FoundFile, schema: pa.Schema, columns: Sequence[str], *, others: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """The wanted columns, in this order and in the types of the schema.

        A file may have `others` beside those of the schema only if somebody said that it may.
        """
        wanted = pa.schema([schema.field(name) for name in columns])
        known = None if others else {fold(name) for name in schema.names}
        with self._told(file), file.open() as handle:
            for batch in self._read(file, handle, schema, known, columns):
                yield _conformed(file, batch, wanted)

    def _read(
        self,
        file: FoundFile,
        handle: BinaryIO,
        schema: pa.Schema,
        known: set[str] | None,
        columns: Sequence[str],
    ) -> Iterator[pa.RecordBatch]:
        match self.format:
            case FileFormat.PARQUET:
                opened = _parquet_file(handle)
                _require_known(file, opened.schema_arrow, known)
                yield from _parquet_batches(opened, columns)
            case FileFormat.CSV:
                with self._csv(file, handle, schema) as reader:
                    _require_known(file, reader.schema, known)
                    yield from reader
            case FileFormat.JSON:
                with _json_reader(file, handle, schema) as reader:
                    for batch in reader:
                        _require_known(file, batch.schema, known)
                        yield batch

    def _csv(self, file: FoundFile, handle: BinaryIO, schema: pa.Schema | None) -> Any:
        # Without a header columns are called f0, f1…, which are their names in the schema as well.
        types = None if schema is None else {each.name: each.type for each in schema}
        return _csv.open_csv(
            _plain(file, handle),
            _csv.ReadOptions(block_size=_BLOCK, autogenerate_column_names=not self.header),
            _csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            _csv.ConvertOptions(column_types=types, strings_can_be_null=True),
        )

    @contextmanager
    def _told(self, file: FoundFile) -> Iterator[None]:
        try:
            yield
        except _FAILURES as error:
            reason = str(error).partition("\n")[0][:300]
            raise InvalidRequestError(
                f"file {quoted(file.name)} cannot be read as {self.format}: {reason}",
                hint=_HINTS[self.format],
            ) from error


_HINTS = {
    FileFormat.PARQUET: "is it a whole Parquet file?",
    FileFormat.CSV: "types are told by the first rows; declare the columns where that is not enough",
    FileFormat.JSON: "a JSON file has one object per line, all with values of the same types",
}


def _require_known(file: FoundFile, found: pa.Schema, known: set[str] | None) -> None:
    if known is None:
        return
    for name in _names(found):
        if fold(name) not in known:
            raise drifted(file, f"has a column {quoted(name)} more than the first one")


def _plain(file: FoundFile, handle: BinaryIO) -> Any:
    source = _arrow.PythonFile(handle, mode="r")
    for suffix, compression in _COMPRESSIONS.items():
        if file.name.lower().endswith(suffix):
            return _arrow.CompressedInputStream(source, compression)
    return source


def _json_reader(file: FoundFile, handle: BinaryIO, schema: pa.Schema | None) -> Any:
    parse = None
    if schema is not None:
        parse = _json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer")
    return _json.open_json(_plain(file, handle), _json.ReadOptions(block_size=_BLOCK), parse)


def _parquet_file(handle: BinaryIO) -> Any:
    # Row groups are read as they are needed, a page at a time, and nothing ahead of them.
    return _parquet.ParquetFile(
        _arrow.PythonFile(handle, mode="r"), pre_buffer=False, buffer_size=1 << 16
    )


def _parquet_batches(file: Any, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    if not columns:
        left = file.metadata.num_rows
        while left:
            yield with_columns([], pa.schema([]), min(left, _ROWS))
            left -= min(left, _ROWS)
        return
    # A dot in a name would be taken for the way to a field.
    names = None if any("." in name for name in columns) else _spelled(file.schema_arrow, columns)
    yield from file.iter_batches(_ROWS, columns=names)


def _spelled(schema: pa.Schema, columns: Sequence[str]) -> list[str]:
    wanted = {fold(name) for name in columns}
    return [name for name in schema.names if fold(name) in wanted]


def _shown(file: FoundFile, found: pa.Schema) -> pa.Schema:
    fields = [_field(each, index) for index, each in enumerate(found)]
    pair = twins(each.name for each in fields)
    if pair is not None:
        raise InvalidRequestError(
            f"file {quoted(file.name)} has two columns called {quoted(pair[1])}"
        )
    return pa.schema(fields)


def _field(found: Field, index: int) -> Field:
    """Microseconds, as DuckDB and Iceberg have them; what held no value yet is text."""
    kind: pa.DataType = found.type
    if pa.types.is_null(kind):
        kind = pa.string()
    elif isinstance(kind, pa.TimestampType) and kind.unit in {"s", "ms"}:
        kind = pa.timestamp("us", kind.tz)
    elif pa.types.is_time32(kind):
        kind = pa.time64("us")
    name = found.name or f"column{index}"
    return pa.field(name, kind, metadata=_extension(found))


def _extension(found: Field) -> dict[bytes | str, bytes | str] | None:
    kept: dict[bytes | str, bytes | str] = {
        key: value
        for key, value in (found.metadata or {}).items()
        if key.startswith(b"ARROW:extension")
    }
    return kept or None


def _conformed(file: FoundFile, batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
    places = {fold(name): at for at, name in enumerate(_names(batch.schema))}
    columns: list[Array] = []
    for field in wanted:
        place = places.get(fold(field.name))
        if place is None:
            raise drifted(file, f"lacks the column {quoted(field.name)}")
        try:
            columns.append(convert(batch.column(place), field.type, field.name))
        except InvalidRequestError as error:
            raise drifted(file, f"has other values: {error.message}") from error
    return with_columns(columns, wanted, batch.num_rows)


def _names(schema: pa.Schema) -> list[str]:
    return [name or f"column{index}" for index, name in enumerate(schema.names)]


def drifted(file: FoundFile, what: str) -> PreconditionError:
    return PreconditionError(
        f"file {quoted(file.name)} {what}",
        hint="all files of a pattern must have the columns of the first, or those declared",
    )
