"""Functions that the server has: each that can be called with made-up arguments is called, at every odd size.

A function that refuses what was made up for it has done nothing wrong. Only its frame is judged, and its types,
never its values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from lakeport.conformance import listing
from lakeport.conformance.attached import Attached, RefusedError, decoded
from lakeport.conformance.check import Check, Family
from lakeport.conformance.exchange import CHUNK, Exchange
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import Entry, is_flagged
from lakeport.conformance.packing import pack, schema_bytes, schema_of, stream_of
from lakeport.conformance.samples import array_from, array_of
from lakeport.conformance.scan import Asked, endpoints, rows_of
from lakeport.conformance.verdicts import NotOfferedError, advice, broken
from lakeport.core.status import GrpcCode
from lakeport.flight.messages import FlightInfo

_SIZES = (1, CHUNK - 1, CHUNK, CHUNK + 1)
_MOST_FUNCTIONS = 200
_MOST_ROWS = 10_000
_ARGUED = (
    GrpcCode.INVALID_ARGUMENT,
    GrpcCode.NOT_FOUND,
    GrpcCode.FAILED_PRECONDITION,
    GrpcCode.OUT_OF_RANGE,
    GrpcCode.UNKNOWN,
)
"""By which a function may refuse arguments that mean nothing to it."""

_COLUMNS: dict[str, pa.DataType] = {"id": pa.int64(), "name": pa.string()}
_INPUT = pa.schema(_COLUMNS)


def _argued(refusal: RefusedError) -> Exception:
    if refusal.code in _ARGUED:
        return NotOfferedError(f"it refuses what was made up for it: {refusal.failure}")
    if refusal.code is GrpcCode.INTERNAL:
        return advice("6.1", f"made-up arguments are {refusal.failure}", "it waits three seconds")
    return refusal


def _column(parameter: pa.Field[Any], rows: int, texts: list[str]) -> pa.Array[Any]:
    """A named one is left out, which is NULL; one of any type is a number. `texts` are used up."""
    kind = pa.int64() if is_flagged(parameter, "is_any_type") else parameter.type
    if texts and pa.types.is_string(kind):
        return pa.array([texts.pop(0)] * rows, kind)
    if is_flagged(parameter, "is_named_parameter"):
        return array_from([None] * rows, kind)
    found = array_of(kind, rows)
    if found is None:
        raise NotOfferedError(f"no value of {kind} can be made up for `{parameter.name}`")
    return found


def _batch(entry: Entry, rows: int, *texts: str) -> pa.RecordBatch:
    """One row of arguments, or many for a scalar function; the table argument is not among them.

    The first parameters that are text get `texts`.
    """
    declared: pa.Schema = entry.parameters if entry.parameters is not None else pa.schema([])
    own = [each for each in declared if not is_flagged(each, "is_table_type")]
    left = list(texts)
    columns = [_column(each, rows, left) for each in own]
    schema = pa.schema(
        [pa.field(each.name, column.type) for each, column in zip(own, columns, strict=True)]
    )
    if columns:
        return pa.RecordBatch.from_arrays(columns, schema=schema)
    # A batch of rows without columns: only slicing makes one.
    return pa.record_batch({"x": pa.nulls(rows)}).select([])


def _sizes(rows: int) -> list[int]:
    """As the client cuts them."""
    return [CHUNK] * (rows // CHUNK) + ([rows % CHUNK] if rows % CHUNK else [])


def _scalar(entry: Entry) -> Check:
    def ask(ground: Ground) -> None:
        for rows in _SIZES:
            try:
                _call_scalar(ground.fresh(), entry, rows)
            except RefusedError as refusal:
                raise _argued(refusal) from None

    title = f"scalar function {entry}: a batch for each batch, of as many rows"
    return Check(_name(entry), "6.2", title, ask)


def _call_scalar(attached: Attached, entry: Entry, rows: int) -> None:
    arguments = _batch(entry, rows)
    exchange = Exchange(
        attached, "scalar_function", entry.descriptor, arguments.schema, returning=True
    )
    try:
        if not exchange.schema.equals(entry.schema, check_metadata=False):
            said = f"`{entry}` is declared as {entry.schema} and answers as {exchange.schema}"
            raise broken("6.2", said, "the call fails")
        at = 0
        for size in _sizes(rows):
            exchange.send(arguments.slice(at, size))
            at += size
            chunk = exchange.hear("6.2", "a batch for a batch")
            if chunk is None or chunk.batch is None or len(chunk.batch) != size:
                got = (
                    "no batch"
                    if chunk is None or chunk.batch is None
                    else f"{len(chunk.batch)} rows"
                )
                raise broken("6.2", f"`{entry}` answers {size} rows by {got}")
        exchange.half_close()
        rest = list(exchange.rest("6.2"))
        if any(chunk.batch is not None for chunk in rest):
            raise broken("6.2", f"`{entry}` sends more batches than it was sent")
        if rest:
            said = f"`{entry}` says something after its last batch"
            raise advice("6.2", said, "nobody listens: a scalar function just ends")
    finally:
        exchange.cancel()


def _bound(attached: Attached, entry: Entry, arguments: bytes, table: bytes = b"") -> Entry:
    body = {
        "descriptor": entry.descriptor.encode(),
        "parameters": arguments,
        "table_input_schema": table,
        "at_unit": "",
        "at_value": "",
    }
    message = attached.one("table_function_flight_info", body, entry.descriptor, scan=True)
    info: FlightInfo = decoded(FlightInfo.decode, message, "6.3", "the FlightInfo of a function")
    if info.descriptor != entry.descriptor:
        said = f"binding `{entry}` answers with another descriptor: {info.descriptor}"
        raise broken("6.3", said, '"descriptor returned from server does not match"')
    schema = schema_of(info.schema, "6.3", f"the schema of `{entry}`")
    if not len(schema):
        raise broken("6.3", f"`{entry}` is bound to no columns")
    return Entry(entry.kind, entry.namespace, entry.name, schema, entry.descriptor, None, {})


def _table(entry: Entry) -> Check:
    def ask(ground: Ground) -> None:
        try:
            _read(ground.attached, entry, stream_of(_batch(entry, 1)))
        except RefusedError as refusal:
            argued = _argued(refusal)
            if not isinstance(argued, NotOfferedError) or not _takes_text(entry):
                raise argued from None
            _read_about_a_table(ground, entry, argued)

    title = f"table function {entry}: bound, then read in the columns it was bound to"
    return Check(_name(entry), "6.3", title, ask)


def _read(attached: Attached, entry: Entry, arguments: bytes) -> None:
    """Without a transaction: none goes with table functions."""
    bound = _bound(attached, entry, arguments)
    for wanted in (range(len(bound.columns)), [0]):
        asked = Asked(ids=list(wanted), arguments=arguments)
        requested = {bound.place(at) for at in wanted}
        for endpoint in endpoints(attached, bound, asked):
            rows_of(attached, bound, endpoint, requested, most_rows=_MOST_ROWS)


def _read_about_a_table(ground: Ground, entry: Entry, refused: NotOfferedError) -> None:
    """A text that is no table may be what it refused, or one that is no column of it."""
    try:
        table = str(ground.shared)
    except NotOfferedError:
        raise refused from None
    try:
        _read(ground.attached, entry, stream_of(_batch(entry, 1, table, _INPUT.names[0])))
    except RefusedError as refusal:
        raise _argued(refusal) from None


def _takes_text(entry: Entry) -> bool:
    declared: pa.Schema = entry.parameters if entry.parameters is not None else pa.schema([])
    return any(pa.types.is_string(each.type) for each in declared)


def _in_out(entry: Entry) -> Check:
    def ask(ground: Ground) -> None:
        # A text is most likely to name a column of the rows.
        arguments = stream_of(_batch(entry, 1, _INPUT.names[0]))
        try:
            bound = _bound(ground.attached, entry, arguments, schema_bytes(_INPUT))
            for rows in _SIZES:
                _call_in_out(ground.attached, bound, arguments, rows)
        except RefusedError as refusal:
            raise _argued(refusal) from None

    title = f"in/out function {entry}: every chunk is closed, at 1, 2047, 2048 and 2049 rows"
    return Check(_name(entry), "0.9", title, ask)


def _call_in_out(attached: Attached, entry: Entry, arguments: bytes, rows: int) -> None:
    told = {
        "json_filters": "",
        "column_ids": [],
        "parameters": arguments,
        "at_unit": "",
        "at_value": "",
    }
    exchange = Exchange(
        attached,
        "table_function_in_out",
        entry.descriptor,
        _INPUT,
        returning=True,
        first=pack(told),
    )
    try:
        if exchange.schema.types != entry.schema.types:
            said = f"`{entry}` is bound as {entry.schema} and answers as {exchange.schema}"
            raise broken("6.4", said, "values are read as another type")
        at = 0
        for size in _sizes(rows):
            ids = pa.array(range(at, at + size), pa.int64())
            names = pa.array([f"n{each % 7}" for each in range(size)])
            exchange.send(pa.RecordBatch.from_arrays([ids, names], schema=_INPUT))
            at += size
            _one_chunk(exchange, entry, size)
        exchange.half_close()
        _trailing(exchange, entry)
    finally:
        exchange.cancel()


def _one_chunk(exchange: Exchange, entry: Entry, size: int) -> None:
    """Any number of batches that go on, then the one that says that it was the last."""
    while True:
        chunk = exchange.hear("0.9", f"the end of a chunk of {size} rows")
        if chunk is None or chunk.batch is None:
            raise broken("0.9", f"`{entry}` does not close a chunk of {size} rows")
        if _is_last(entry, chunk.batch, chunk.metadata):
            return


def _is_last(entry: Entry, batch: pa.RecordBatch, tag: bytes | None) -> bool:
    if tag == b"chunk_continues":
        return False
    if tag != b"chunk_finished":
        raise broken("0.9", f"`{entry}` tags a batch by {tag!r}")
    if len(batch):
        raise broken("0.9", f"`{entry}` closes a chunk by a batch of {len(batch)} rows")
    return True


def _trailing(exchange: Exchange, entry: Entry) -> None:
    """Rows after the last chunk end as a chunk does; there may be none."""
    is_closed = True
    for chunk in exchange.rest("0.9"):
        if chunk.batch is None:
            raise broken("6.4", f"`{entry}` ends by a message without a batch")
        is_closed = _is_last(entry, chunk.batch, chunk.metadata)
    if not is_closed:
        raise broken("0.9", f"`{entry}` does not close its trailing rows")


def _name(entry: Entry) -> str:
    """Overloads are told apart by their parameters."""
    declared: pa.Schema = entry.parameters if entry.parameters is not None else pa.schema([])
    kinds = ",".join(_kind(each) for each in declared)
    return f"functions.{entry}({kinds})"


def _kind(parameter: pa.Field[Any]) -> str:
    if is_flagged(parameter, "is_table_type"):
        return "table"
    return "any" if is_flagged(parameter, "is_any_type") else str(parameter.type)


def _functions(ground: Ground) -> list[Entry]:
    root = listing.fetch_root(ground.attached)
    return [
        entry
        for each in root.namespaces
        for entry in listing.entries_of(ground.attached, root, each)
        if entry.kind != "table"
    ]


def _grown(ground: Ground) -> Iterator[Check]:
    for entry in _functions(ground)[:_MOST_FUNCTIONS]:
        if entry.kind == "scalar_function":
            yield _scalar(entry)
        elif entry.is_in_out:
            yield _in_out(entry)
        else:
            yield _table(entry)


FAMILY = Family("functions", "functions of the server", grown=_grown)


@FAMILY.check("6.1", "functions are declared so that they can be called")
def declared(ground: Ground) -> None:
    if not _functions(ground):
        raise NotOfferedError("the server has no functions")


@FAMILY.check("6.3", "binding a function that is not there is refused")
def unknown_function(ground: Ground) -> None:
    found = [each for each in _functions(ground) if each.kind == "table_function"]
    if not found:
        raise NotOfferedError("the server has no table functions")
    path = found[0].descriptor.path
    if not path:
        raise NotOfferedError("descriptors are not paths")
    body: dict[str, object] = {
        "descriptor": type(found[0].descriptor)(path=(*path[:-1], "no_such_function")).encode(),
        "parameters": stream_of(_batch(found[0], 1)),
        "table_input_schema": "",
        "at_unit": "",
        "at_value": "",
    }
    codes = (GrpcCode.NOT_FOUND, GrpcCode.INVALID_ARGUMENT)
    action = "table_function_flight_info"
    ground.must_refuse(action, body, *codes, rule="6.3", case="of an unknown function")
