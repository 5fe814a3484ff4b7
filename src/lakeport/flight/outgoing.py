"""A service's rows as FlightData messages, made one by one as the client takes them."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import get_args

from lakeport.catalog.arrays.vectors import Vectors
from lakeport.core.errors import InternalError, InvalidRequestError
from lakeport.flight.call import Call, Method
from lakeport.flight.framing import FrameEncoder, metadata_frame
from lakeport.flight.limits import Limits
from lakeport.flight.repeated import VectorEncoder
from lakeport.flight.service import Compression, Outgoing

COMPRESSION_HEADER = "lakeport-compression"


def frames(outgoing: Outgoing, call: Call, limits: Limits) -> Iterator[bytes]:
    if outgoing.close is not None:
        call.on_end(outgoing.close)
    is_scan = call.method is Method.DO_GET
    encoder = FrameEncoder(
        outgoing.schema,
        most_bytes=limits.message_bytes,
        cut=is_scan,  # in an exchange one batch answers one batch
        compression=_compression(call),
    )
    vectors = VectorEncoder(encoder, outgoing.schema)
    yield encoder.schema()
    chunks = iter(outgoing.chunks)
    try:
        for chunk in chunks:
            call.check()
            if isinstance(chunk, Vectors):
                call.traffic.rows_out += chunk.rows
                yield from vectors.encode(chunk)
                continue
            batch, metadata = chunk
            if batch is not None:
                call.traffic.rows_out += batch.num_rows
                yield from encoder.batch(batch, metadata)
            elif is_scan:
                # The DuckDB client would take it for the end of the stream.
                raise InternalError("a scan has no message without rows")
            elif metadata is not None:
                yield metadata_frame(metadata)
    finally:
        if isinstance(chunks, Generator):
            chunks.close()


def _compression(call: Call) -> Compression | None:
    asked = call.header(COMPRESSION_HEADER)
    if asked in (None, "", "none"):
        return None
    for known in get_args(Compression):
        if asked == known:
            return known  # type: ignore[no-any-return]
    raise InvalidRequestError(
        f"there is no compression `{asked}`", hint=f"`{COMPRESSION_HEADER}` is zstd, lz4 or none"
    )
