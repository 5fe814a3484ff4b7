"""Opens a split: its files one after the other, their rows found and sent in good pieces.

A large split is read ahead by threads. One that is small or has a limit is read by whoever asks for
its batches alone: that takes no longer than starting threads, and what a limit makes unnecessary is
never opened.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Event

import pyarrow as pa
from pyiceberg.types import NestedField

from lakeport.catalog.iceberg.definition import columns_of, definition_of
from lakeport.catalog.iceberg.files import Wanted
from lakeport.catalog.iceberg.inventory import inventory_of
from lakeport.catalog.iceberg.parts import MEBIBYTE, Source
from lakeport.catalog.iceberg.scan.ahead import ClosedError, ReadAhead
from lakeport.catalog.iceberg.scan.find import Finder
from lakeport.catalog.iceberg.scan.gather import Gather, one_each
from lakeport.catalog.iceberg.scan.lanes import Lanes, is_lopsided, joined, share
from lakeport.catalog.iceberg.scan.messages import Found, messages
from lakeport.catalog.iceberg.scan.part import Part
from lakeport.catalog.iceberg.scan.width import for_chunks, rows_at_once
from lakeport.catalog.iceberg.storage import is_mapped
from lakeport.catalog.iceberg.travel import Moment, version_of
from lakeport.catalog.ports import ScanRequest, Split
from lakeport.catalog.requests import BoundRequest, bind_request
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import UnsupportedError
from lakeport.core.names import quoted

# Smaller splits are read before a thread is up.
_THREADED_BYTES = MEBIBYTE
# Row groups of a stretch: opening one costs a millisecond, and what is ready ahead must not be too much.
_GROUPS = 2


@dataclass(frozen=True, slots=True)
class _Reading:
    """All that is fixed when a split is opened."""

    source: Source
    bound: BoundRequest
    finder: Finder
    wanted: Wanted
    parts: tuple[Part, ...]
    closed: Event


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Rows of a file that follow each other, and how the work on them is shared."""

    part: Part
    wanted: Wanted
    lanes: Lanes


def open_split(source: Source, moment: Moment, request: ScanRequest, split: Split) -> BatchStream:
    """The moment is the one whose snapshot the split names."""
    reading = _prepared(source, moment, request, split)
    # Whoever reads is a thread, too.
    helpers = source.options.threads - 1 if _is_worth_threads(reading) else 0
    stretches = [each for part in reading.parts for each in _stretches(reading, part, helpers)]
    ahead = ReadAhead(
        [
            [partial(each.part.read, _narrowed(each.wanted, fields)) for fields in each.lanes]
            for each in stretches
        ],
        threads=helpers,
        most=source.options.queue_bytes,
    )

    def close() -> None:
        reading.closed.set()
        ahead.close()

    return BatchStream(reading.bound.schema, _batches(reading, ahead, stretches), close)


def _prepared(source: Source, moment: Moment, request: ScanRequest, split: Split) -> _Reading:
    bound = bind_request(request, definition_of(source, moment.schema).schema)
    columns = columns_of(source, moment.schema)
    finder = Finder(bound, columns, _row_id_version(source, moment, request))
    fields = tuple(columns[index].field for index in bound.needed)
    wanted = Wanted(
        moment.schema,
        fields,
        bound.predicate,
        columns,
        _batch_rows(source, bound, fields, is_conditional=finder.is_conditional),
    )
    closed = Event()
    parts = () if request.limit == 0 else _parts(source, moment, request, split, closed)
    return _Reading(source, bound, finder, wanted, parts, closed)


def _row_id_version(source: Source, moment: Moment, request: ScanRequest) -> int | None:
    version = version_of(moment.snapshot)
    if request.row_ids and version is None:
        raise UnsupportedError(
            f"the rows of table {quoted(str(source.name))} have no row ids:"
            " they were written in Iceberg's format 1",
            hint="write to the table once after upgrading it to format 2",
        )
    return version


def _batch_rows(
    source: Source, bound: BoundRequest, fields: tuple[NestedField, ...], *, is_conditional: bool
) -> int:
    rows = rows_at_once(fields, source.options)
    limit = bound.request.limit
    # Not exactly the limit: some rows may be deleted, and a tiny batch costs as much as a small one.
    return rows if limit is None or is_conditional else min(rows, max(limit, 256))


def _parts(
    source: Source, moment: Moment, request: ScanRequest, split: Split, closed: Event
) -> tuple[Part, ...]:
    """In the order of their ordinals, with row ids in the order of those."""
    if moment.snapshot is None:
        return ()
    inventory = inventory_of(source, moment.snapshot)
    source = replace(source, options=for_chunks(source.options))
    parts = []
    for ordinal in sorted(set(split.parts)):
        file = inventory.file(ordinal)  # first: it refuses what the snapshot does not have
        first = inventory.first_row(ordinal) if request.row_ids else 0
        parts.append(Part(source, file, first, closed))
    return tuple(sorted(parts, key=lambda part: part.first))


def _is_worth_threads(reading: _Reading) -> bool:
    return (
        reading.bound.request.limit is None
        and bool(reading.wanted.fields)
        and sum(part.file.bytes for part in reading.parts) >= _THREADED_BYTES
    )


def _stretches(reading: _Reading, part: Part, helpers: int) -> list[_Stretch]:
    """The file in lanes of columns; by row groups where one column is most of the work."""
    wanted = reading.wanted
    # Of a remote file, columns that are neighbours are fetched together, by one lane.
    is_shared = helpers > 0 and is_mapped(reading.source.io, part.file.path)
    if not is_shared:
        return [_Stretch(part, wanted, share(part.file, wanted.fields, 1))]
    footer = reading.source.caches.footers.peek(part.file.path)
    if footer is not None and is_lopsided(footer, wanted.fields):
        return [
            _Stretch(part, replace(wanted, positions=starts), share(part.file, wanted.fields, 1))
            for starts in footer.runs(_GROUPS)
        ]
    # Somebody waits for the first file's first rows; of the others rows are ready when their turn comes.
    is_first = part is reading.parts[0]
    work = footer.work() if footer is not None and is_first else None
    return [_Stretch(part, wanted, share(part.file, wanted.fields, helpers + 1, work))]


def _narrowed(wanted: Wanted, fields: Sequence[int]) -> Wanted:
    return replace(wanted, fields=tuple(wanted.fields[index] for index in fields))


def _batches(
    reading: _Reading, ahead: ReadAhead, stretches: Sequence[_Stretch]
) -> Generator[pa.RecordBatch, None, None]:
    size = reading.source.options.batch_bytes
    with closing(ahead), suppress(ClosedError):
        found = _limited(_found(reading, ahead, stretches), reading.bound.request.limit)
        yield from messages(found, reading.bound.schema, size)


def _found(reading: _Reading, ahead: ReadAhead, stretches: Sequence[_Stretch]) -> Iterator[Found]:
    finder = reading.finder
    gather = Gather() if finder.is_conditional else one_each
    for index, stretch in enumerate(stretches):
        for chunks in gather(joined(partial(ahead.take, index), stretch.lanes)):
            yield from finder.find(chunks, stretch.part.first)


def _limited(found: Iterable[Found], limit: int | None) -> Iterator[Found]:
    if limit is None:
        yield from found
        return
    for piece in found:
        rows = piece.rows.slice(0, limit)
        limit -= rows.num_rows
        yield Found(rows, piece.read)
        if limit == 0:
            return
