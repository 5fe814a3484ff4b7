"""A scan as the client makes it: `endpoints`, then DoGet for each, every message held against the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lakeport.conformance.attached import Attached, RefusedError, decoded
from lakeport.conformance.objects import ROW_ID, Entry
from lakeport.conformance.packing import map_of, unpack
from lakeport.conformance.verdicts import NotOfferedError, broken
from lakeport.core.errors import InvalidRequestError, LakeportError
from lakeport.flight.answers import LIMITS
from lakeport.flight.call import Call, Method
from lakeport.flight.dial import Target
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.messages import REUSE_CONNECTION, FlightEndpoint, Ticket
from lakeport.flight.probe import CallFailedError, Conversation, Probe

_ELSEWHERE = ("grpc://", "grpc+tls://", "grpc+tcp://")
_REFERENCES = "data:"


@dataclass(frozen=True, slots=True)
class Asked:
    """`ids` None: every column. `names` None: those of the ids, as in a plain SELECT."""

    ids: Sequence[int] | None = None
    filters: Sequence[object] = ()
    names: Sequence[str] | None = None
    json: str | None = None
    at: tuple[str, str] = ("", "")
    arguments: bytes = b""
    skip: bool = False

    def wanted(self, entry: Entry) -> Sequence[int]:
        return range(len(entry.columns)) if self.ids is None else self.ids

    def json_filters(self, entry: Entry) -> str:
        if self.json is not None:
            return self.json
        names = self.names
        if names is None:
            columns = entry.columns.names
            names = ["rowid" if each == ROW_ID else columns[each] for each in self.wanted(entry)]
        body = {"filters": list(self.filters), "column_binding_names_by_index": list(names)}
        return json.dumps(body, separators=(",", ":"))


ALL = Asked()


def endpoints(attached: Attached, entry: Entry, asked: Asked = ALL) -> list[FlightEndpoint]:
    unit, value = asked.at
    body = {
        "descriptor": entry.descriptor.encode(),
        "parameters": {
            "json_filters": asked.json_filters(entry),
            "column_ids": list(asked.wanted(entry)),
            "table_function_parameters": asked.arguments,
            "table_function_input_schema": "",
            "at_unit": unit,
            "at_value": value,
        },
    }
    answer = unpack(
        attached.one("endpoints", body, entry.descriptor, scan=True), "3.2", "endpoints"
    )
    if not isinstance(answer, list) or not all(isinstance(each, bytes) for each in answer):
        raise broken(
            "3.2", "the answer of `endpoints` is not an array of serialised FlightEndpoints"
        )
    found = [decoded(FlightEndpoint.decode, each, "3.2", "a FlightEndpoint") for each in answer]
    for each in found:
        look_at_locations(each, f"an endpoint of `{entry}`")
    return found


def look_at_locations(endpoint: FlightEndpoint, what: str) -> None:
    if not endpoint.locations:
        raise broken("0.5", f"{what} has no location")
    first = endpoint.locations[0]
    if not first.startswith((REUSE_CONNECTION, *_ELSEWHERE, _REFERENCES)):
        raise broken("3.3", f"{what} is at `{first}`")


def scan(attached: Attached, entry: Entry, asked: Asked = ALL) -> pa.Table:
    """All rows, in the full width of the declared schema."""
    batches: list[pa.RecordBatch] = []
    requested = {entry.place(each) for each in asked.wanted(entry)}
    for endpoint in endpoints(attached, entry, asked):
        batches += rows_of(attached, entry, endpoint, requested, skip=asked.skip)
    return glued(batches, entry.schema)


def glued(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Columns that nobody asked for may have come as Arrow's `null`."""
    plain = pa.schema([pa.field(each.name, each.type) for each in schema])
    cast = [
        pa.RecordBatch.from_arrays(
            [
                pa.nulls(len(batch), each.type) if pa.types.is_null(values.type) else values
                for values, each in zip(batch.columns, plain, strict=True)
            ],
            schema=plain,
        )
        for batch in batches
    ]
    return pa.Table.from_batches(cast, plain)


def rows_of(
    attached: Attached,
    entry: Entry,
    endpoint: FlightEndpoint,
    requested: set[int],
    *,
    most_rows: int | None = None,
    skip: bool = False,
) -> list[pa.RecordBatch]:
    """Of one endpoint; the call is cancelled after `most_rows`."""
    more = {"airport_skip_producing_results": "1"} if skip else {}
    uri = endpoint.locations[0]
    if uri.startswith(_REFERENCES):
        raise NotOfferedError(f"`{entry}` is read by reference, by DuckDB itself")
    if not uri.startswith(_ELSEWHERE):
        call = attached.get(Ticket(endpoint.ticket).encode(), entry.descriptor, **more)
        return _read(attached, entry, call, requested, most_rows)
    with _probe_of(attached, uri) as probe:
        there = attached.as_(probe=probe)
        call = there.get(Ticket(endpoint.ticket).encode(), entry.descriptor, **more)
        return _read(attached, entry, call, requested, most_rows)


def _probe_of(attached: Attached, uri: str) -> Probe:
    try:
        return attached.probe.beside(Target.parse(uri))
    except LakeportError as error:
        raise broken("3.3", f"the location `{uri}` cannot be dialled: {error.message}") from None


def _read(
    attached: Attached, entry: Entry, call: Conversation, requested: set[int], most: int | None
) -> list[pa.RecordBatch]:
    found: list[pa.RecordBatch] = []
    try:
        for batch in batches_of(call, entry, requested):
            found.append(batch)
            if most is not None and sum(map(len, found)) >= most:
                break
    except CallFailedError as failure:
        if failure.is_overdue:
            raise broken("3.5", f"DoGet of `{entry}` stood still", "the query hangs") from None
        raise attached.refused(f"DoGet of `{entry}`", failure) from None
    finally:
        call.cancel()
    return found


def batches_of(call: Conversation, entry: Entry, requested: set[int]) -> Iterator[pa.RecordBatch]:
    stream = IncomingStream(Call(Method.DO_GET), iter(call), LIMITS)
    try:
        look_at_width(stream.schema, entry, requested)
        for chunk in stream:
            if chunk.batch is None:
                raise broken("3.5", f"DoGet of `{entry}` has a message without rows")
            if chunk.metadata:
                _look_at_progress(chunk.metadata)
            yield chunk.batch
    except InvalidRequestError as error:
        raise broken("3.5", f"DoGet of `{entry}` is malformed: {error.message}") from None


def look_at_width(sent: pa.Schema, entry: Entry, requested: set[int]) -> None:
    declared = entry.schema
    if len(sent) != len(declared):
        said = (
            f"DoGet of `{entry}` has {len(sent)} columns of {len(declared)} declared: {sent.names}"
        )
        raise broken("0.3", said)
    if sorted(sent.names) == sorted(declared.names) != [] and sent.names != declared.names:
        raise broken("0.3", f"DoGet of `{entry}` has the order {sent.names}, not {declared.names}")
    for at, (got, told) in enumerate(zip(sent, declared, strict=True)):
        is_padding = pa.types.is_null(got.type) and at not in requested
        if got.type != told.type and not is_padding:
            said = f"column `{told.name}` of `{entry}` comes as {got.type}, declared as {told.type}"
            raise broken("0.3", said)
        if _has_hidden_dictionary(got.type):
            said = f"column `{told.name}` of `{entry}` has a dictionary inside of {got.type}"
            raise broken("1.5", said, "indices are shown as values")


def _has_hidden_dictionary(kind: pa.DataType) -> bool:
    return any(
        pa.types.is_dictionary(kind.field(at).type) or _has_hidden_dictionary(kind.field(at).type)
        for at in range(kind.num_fields)
        if not pa.types.is_dictionary(kind)
    )


def _look_at_progress(metadata: bytes) -> None:
    told: Any = map_of(unpack(metadata, "3.5", "a batch's metadata"), "3.5", "a batch's metadata")
    progress = told.get("progress")
    if not isinstance(progress, float | int) or not 0 <= progress <= 1:
        raise broken("3.5", f"a batch's `progress` is {progress!r}")


def refused_scan(attached: Attached, entry: Entry, asked: Asked = ALL) -> RefusedError | None:
    """How a scan that cannot be right is refused; None if it is answered."""
    try:
        scan(attached, entry, asked)
    except RefusedError as refusal:
        return refusal
    return None
