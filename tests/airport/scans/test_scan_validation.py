"""What somebody else's catalog gives is held against what it declared before a byte of it is sent."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import (
    CatalogVersion,
    NamespaceInfo,
    ScanPlan,
    ScanRequest,
    Split,
    TableState,
)
from lakeport.catalog.requests import bind_request
from lakeport.catalog.streams import BatchStream
from lakeport.core.names import TableName
from tests.airport.scans.duck import Duck, command, compare, path, serve


@dataclass
class Theirs:
    """A catalog of one namespace with one table, which gives the batches it was made with."""

    declared: pa.Schema
    batches: Sequence[pa.RecordBatch]
    exact: bool = True
    gives_all: bool = False
    name: str = "theirs"
    info: NamespaceInfo = field(default_factory=lambda: NamespaceInfo("s"))

    def version(self) -> CatalogVersion:
        return CatalogVersion(1)

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return [self.info]

    def namespace(self, name: str) -> Theirs:
        del name
        return self

    def tables(self) -> Sequence[str]:
        return ["t"]

    def table(self, name: str) -> TheirTable:
        del name
        return TheirTable(self)


@dataclass
class TheirTable:
    catalog: Theirs

    @property
    def name(self) -> TableName:
        return TableName("s", "t")

    def state(self) -> TableState:
        return TableState("u" * 36, self.name, Definition(self.catalog.declared), 0, None, 0)

    def plan(self, request: ScanRequest) -> ScanPlan:
        schema = bind_request(request, self.catalog.declared).schema
        return ScanPlan(self.state(), schema, (Split(0, (0,)),), exact=self.catalog.exact)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        del split
        schema = bind_request(request, self.catalog.declared).schema
        return BatchStream(schema, self._selected(schema.names))

    def _selected(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        for batch in self.catalog.batches:
            held = [name for name in names if name in batch.schema.names]
            yield batch if self.catalog.gives_all else batch.select(held)


def read(theirs: Theirs, ticket: bytes = b'{"schema_name": "s", "table_name": "t"}') -> pa.Table:
    with serve(theirs) as server, fl.connect(server.address) as client:
        return Duck(client).get(ticket)


def batch(**columns: Array) -> pa.RecordBatch:
    return pa.record_batch(columns)


INT64 = pa.schema([pa.field("a", pa.int64())])


@pytest.mark.parametrize(
    ("declared", "given"),
    [
        (INT64, batch(a=pa.array([1], pa.int32()))),
        (INT64, batch(b=pa.array([1], pa.int64()))),
        (
            pa.schema([pa.field("a", pa.int64(), nullable=False)]),
            batch(a=pa.array([None], pa.int64())),
        ),
        (
            pa.schema([pa.field("a", pa.string())]),
            batch(
                a=pa.Array.from_buffers(
                    pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
                )
            ),
        ),
    ],
    ids=["another type", "another column", "a NULL", "no UTF-8"],
)
def test_what_was_not_declared_is_never_sent(
    declared: pa.Schema, given: pa.RecordBatch, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(fl.FlightInternalError) as refusal:
        read(Theirs(declared, [given]))
    assert "internal error (reference" in str(refusal.value)
    assert "int32" not in str(refusal.value)
    assert any("call.failed" in record.getMessage() for record in caplog.records)


STRICT = pa.field("x", pa.int64(), nullable=False)
STRUCT = pa.struct([STRICT])
WORDS = pa.dictionary(pa.int32(), pa.string())


def column(kind: pa.DataType, *, nullable: bool = True) -> pa.Schema:
    return pa.schema([pa.field("a", kind, nullable=nullable)])


def words(indices: list[int], of: list[str | None]) -> Array:
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(of), safe=False)


WRONG_INSIDE = {
    "NULL in a struct": (
        column(STRUCT),
        pa.StructArray.from_arrays([pa.array([1, None])], fields=[STRICT]),
    ),
    "NULL in a list": (
        column(pa.list_(STRICT)),
        pa.ListArray.from_arrays(
            pa.array([0, 2], pa.int32()), pa.array([1, None]), type=pa.list_(STRICT)
        ),
    ),
    "NULL in a list of structs": (
        column(pa.list_(STRUCT)),
        pa.ListArray.from_arrays(
            pa.array([0, 1], pa.int32()),
            pa.StructArray.from_arrays([pa.array([None], pa.int64())], fields=[STRICT]),
        ),
    ),
    "NULL in a dictionary": (column(WORDS, nullable=False), words([0, 1], ["x", None])),
    "an index beyond its dictionary": (column(WORDS), words([0, 5], ["x"])),
    "no dictionary": (column(WORDS), pa.array(["x"])),
    "another index type": (
        column(WORDS),
        pa.array(["x"]).dictionary_encode().cast(WORDS).cast(pa.dictionary(pa.int8(), pa.string())),
    ),
    "offsets that go back": (
        column(pa.list_(pa.int64())),
        pa.Array.from_buffers(
            pa.list_(pa.int64()),
            2,
            [None, pa.array([0, 2, 1], pa.int32()).buffers()[1]],
            children=[pa.array([1, 2], pa.int64())],
        ),
    ),
    "another unit of time": (column(pa.timestamp("us")), pa.array([1], pa.timestamp("ms"))),
    "another time zone": (
        column(pa.timestamp("us", "UTC")),
        pa.array([1], pa.timestamp("us")),
    ),
    "another scale": (column(pa.decimal128(9, 2)), pa.array([None], pa.decimal128(9, 3))),
}


@pytest.mark.parametrize("wrong", WRONG_INSIDE)
def test_what_is_wrong_inside_a_column_is_never_sent(wrong: str) -> None:
    declared, values = WRONG_INSIDE[wrong]
    given = pa.RecordBatch.from_arrays([values], ["a"])
    with pytest.raises(fl.FlightInternalError, match=r"internal error \(reference"):
        read(Theirs(declared, [given]))


def test_who_ignores_which_columns_are_wanted_is_not_believed() -> None:
    """Both have one type: taken by their places, one would be sent under the other's name."""
    given = batch(a=pa.array([1], pa.int64()), b=pa.array([2], pa.int64()))
    asked = b'{"schema_name": "s", "table_name": "t", "columns": ["b"]}'
    assert read(Theirs(given.schema, [given]), asked).column("b").to_pylist() == [2]
    with pytest.raises(fl.FlightInternalError):
        read(Theirs(given.schema, [given], gives_all=True), asked)
    turned = given.select(["b", "a"])
    with pytest.raises(fl.FlightInternalError):
        read(Theirs(given.schema, [turned], gives_all=True))
    more = given.append_column("c", pa.array([3], pa.int64()))
    with pytest.raises(fl.FlightInternalError):
        read(Theirs(given.schema, [more], gives_all=True))


def test_slices_and_what_lies_below_a_null_are_right() -> None:
    strict = pa.list_(STRUCT)
    rows = [[{"x": 1}], None, [], [{"x": 2}, {"x": 3}]]
    below = pa.StructArray.from_arrays(
        [pa.array([1, None, 3])], fields=[STRICT], mask=pa.array([False, True, False])
    )
    pairs = pa.map_(pa.string(), pa.field("value", pa.int64(), nullable=False))  # type: ignore[call-overload] # fields, too
    given = batch(
        a=pa.array(rows, strict).slice(1),
        b=below,
        c=pa.array([[("k", 0)], None, [("l", 1)], [("m", 2)]], pairs).slice(1),
        d=pa.array(["x", "y", "x", "z"]).dictionary_encode().slice(1),
    )
    found = read(Theirs(given.schema, [given, given.slice(1, 1)]))
    assert found.to_pylist() == [*given.to_pylist(), given.to_pylist()[1]]


def test_what_clients_cannot_read_is_converted() -> None:
    words = pa.array(["x", "y", "x"]).dictionary_encode()
    nested = pa.ListArray.from_arrays(pa.array([0, 1, 3], pa.int32()), words)
    half = pa.array([1.5, None], pa.float16())
    wide = pa.array([None, None], pa.decimal256(60, 2))
    given = batch(n=nested, h=half, w=wide, d=words.slice(0, 2))
    found = read(Theirs(given.schema, [given]))
    assert [str(each.type) for each in found.schema][:3] == [
        "list<item: string>",
        "float",
        "string",
    ]
    assert pa.types.is_dictionary(found.schema.field("d").type)
    assert found.column("n").to_pylist() == [["x"], ["y", "x"]]
    assert found.column("h").to_pylist() == [1.5, None]


def test_rows_that_a_catalog_did_not_filter_are_filtered_before_the_limit_counts() -> None:
    given = batch(a=pa.array(range(10), pa.int64()))
    pushed = compare("a", "COMPARE_GREATERTHAN", 6, ["a"])
    text = f'{{"schema_name": "s", "table_name": "t", "limit": 2, "filter": {pushed}}}'
    theirs = Theirs(given.schema, [given], exact=False)
    assert read(theirs, text.encode()).column("a").to_pylist() == [7, 8]
    with serve(theirs) as server, fl.connect(server.address) as client:
        duck = Duck(client)
        assert duck.scan(command(text)).column("a").to_pylist() == [7, 8]
        found = duck.scan(path("s", "t"), json_filters=pushed)
    assert found.column("a").to_pylist() == [7, 8, 9]


def test_a_table_without_row_ids_has_no_such_column() -> None:
    given = batch(a=pa.array([1, 2], pa.int64()))
    assert read(Theirs(given.schema, [given])).schema.names == ["a"]


def test_a_table_without_a_past_cannot_be_read_in_it() -> None:
    given = batch(a=pa.array([1], pa.int64()))
    with pytest.raises(NotImplementedError, match="earlier point"):
        read(Theirs(given.schema, [given]), b'{"schema_name": "s", "table_name": "t", "ts": 1}')
