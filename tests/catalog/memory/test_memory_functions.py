"""Functions and delegated reads of an in-memory namespace, seen through the ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lakeport.catalog.answering import answer
from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import Definition
from lakeport.catalog.delegation import Delegating, FileReference, FunctionCall, Reference
from lakeport.catalog.functions import (
    FunctionHost,
    InOutFunction,
    ScalarFunction,
    Signature,
    Stability,
    TableFunction,
)
from lakeport.catalog.memory import DelegatedTable, MemoryCatalog, MemoryNamespace
from lakeport.catalog.parameters import table_parameter
from lakeport.catalog.ports import Insertable, NamespaceInfo, Scannable, ScanRequest, require
from lakeport.catalog.predicates import Compare, Op
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    UnsupportedError,
)
from lakeport.core.names import TableName
from lakeport.core.timepoint import AtVersion

NUMBERS = pa.schema([pa.field("value", pa.int64(), nullable=False)])


def parameters(*names: str) -> pa.Schema:
    return pa.schema([pa.field(name, pa.int64()) for name in names])


class Add:
    signature = Signature("add", parameters("a", "b"), "the sum of two numbers")
    returns = pa.int64()
    stability = Stability.CONSISTENT
    takes_nulls = False

    def call(self, arguments: pa.RecordBatch) -> Array:
        return pc.add(arguments.column(0), arguments.column(1))


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers from `start` to `stop`, both included, in batches of ten."""

    start: int
    stop: int
    schema = NUMBERS

    @property
    def rows(self) -> int | None:
        return max(0, self.stop - self.start + 1)

    def open(self, request: ScanRequest) -> BatchStream:
        return answer(NUMBERS, self._batches(), request)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for first in range(self.start, self.stop + 1, 10):
            numbers = list(range(first, min(first + 10, self.stop + 1)))
            yield pa.RecordBatch.from_arrays([pa.array(numbers, pa.int64())], schema=NUMBERS)


class GenerateSeries:
    signature = Signature("generate_series", parameters("start", "stop"))
    returns = NUMBERS

    def bind(self, arguments: pa.RecordBatch) -> Series:
        start, stop = (column[0].as_py() for column in arguments.columns)
        if start is None or stop is None:
            raise InvalidRequestError("generate_series needs start and stop")
        return Series(start, stop)


class RunningTotal:
    """Each input row with the sum so far, and one last row with the count."""

    signature = Signature("running_total", pa.schema([table_parameter("rows")]))
    returns = pa.schema([pa.field("total", pa.int64())])

    def start(self, arguments: pa.RecordBatch, rows: pa.Schema) -> Totals:
        assert arguments.num_columns == 0
        return Totals(rows.names[0])


class Totals:
    schema = pa.schema([pa.field("total", pa.int64())])

    def __init__(self, column: str) -> None:
        self._column = column
        self._sum = self._count = 0

    def process(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        for value in batch.column(self._column):
            self._sum += value.as_py()
            self._count += 1
            yield self._batch(self._sum)

    def finish(self) -> Iterator[pa.RecordBatch]:
        yield self._batch(self._count)

    def close(self) -> None:
        self._sum = self._count = 0

    def _batch(self, value: int) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays([pa.array([value], pa.int64())], schema=self.schema)


@pytest.fixture
def namespace() -> MemoryNamespace:
    made = MemoryCatalog("lake").create_namespace(NamespaceInfo("maths"))
    made.add_function(Add())
    made.add_function(GenerateSeries())
    made.add_function(RunningTotal())
    return made


def arguments(**values: int | None) -> pa.RecordBatch:
    arrays = [pa.array([value], pa.int64()) for value in values.values()]
    return pa.RecordBatch.from_arrays(arrays, names=list(values))


def test_a_namespace_lists_its_functions_of_every_kind(namespace: MemoryNamespace) -> None:
    host = require(namespace, FunctionHost, "namespace `maths`")
    scalar, table, in_out = host.functions()
    assert isinstance(scalar, ScalarFunction)
    assert isinstance(table, TableFunction)
    assert isinstance(in_out, InOutFunction)
    assert [function.signature.name for function in host.functions()] == [
        "add",
        "generate_series",
        "running_total",
    ]


def test_overloads_share_a_name(namespace: MemoryNamespace) -> None:
    namespace.add_function(Add())
    names = [function.signature.name for function in namespace.functions()]
    assert names.count("add") == 2


def test_a_new_function_grows_the_catalog_version() -> None:
    catalog = MemoryCatalog("lake")
    namespace = catalog.create_namespace(NamespaceInfo("maths"))
    before = catalog.version().number
    namespace.add_function(Add())
    assert catalog.version().number > before


def test_a_scalar_function_gives_a_value_per_row() -> None:
    rows = pa.RecordBatch.from_pydict({"a": [1, 2, None], "b": [10, 20, 30]})
    assert Add().call(rows).to_pylist() == [11, 22, None]


def test_a_table_function_is_read_like_a_table() -> None:
    bound = GenerateSeries().bind(arguments(start=1, stop=100))
    request = ScanRequest(predicate=Compare("value", Op.GT, pa.scalar(42)), limit=30)
    assert bound.rows == 100
    assert bound.open(request).read_all()["value"].to_pylist() == list(range(43, 73))


@pytest.mark.parametrize("limit", [0, 1, 10, 11, 1_000])
def test_a_table_function_honours_a_limit(limit: int) -> None:
    found = Series(1, 25).open(ScanRequest(limit=limit)).read_all()
    assert found.num_rows == min(limit, 25)


def test_a_table_function_gives_no_columns_but_counts_rows() -> None:
    with Series(1, 25).open(ScanRequest(columns=())) as stream:
        assert sum(batch.num_rows for batch in stream) == 25


def test_a_table_function_is_not_read_further_than_needed() -> None:
    pulled: list[int] = []

    def source() -> Iterator[pa.RecordBatch]:
        for number in range(100):
            pulled.append(number)
            yield pa.RecordBatch.from_arrays([pa.array([number], pa.int64())], schema=NUMBERS)

    answer(NUMBERS, source(), ScanRequest(limit=3)).read_all()
    assert pulled == [0, 1, 2]


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (ScanRequest(row_ids=True), UnsupportedError),
        (ScanRequest(at=AtVersion(1)), UnsupportedError),
        (ScanRequest(limit=-1), InvalidRequestError),
        (ScanRequest(columns=("missing",)), NotFoundError),
    ],
)
def test_what_a_table_function_cannot_do_is_refused(
    request_: ScanRequest, error: type[Exception]
) -> None:
    with pytest.raises(error):
        Series(1, 3).open(request_)


def test_an_in_out_function_takes_rows_and_gives_rows() -> None:
    rows = pa.RecordBatch.from_pydict({"n": [1, 2, 3]})
    call = RunningTotal().start(pa.RecordBatch.from_pydict({}), rows.schema)
    produced = [*call.process(rows), *call.finish()]
    assert [batch.column(0)[0].as_py() for batch in produced] == [1, 3, 6, 3]


# -- reads left to the client --------------------------------------------------------------------


def delegated() -> DelegatedTable:
    def references(request: ScanRequest) -> Sequence[Reference]:
        if request.limit == 0:
            return ()
        return (
            FunctionCall("read_parquet", (pa.scalar("part-1.parquet"),)),
            FileReference("ipc-file", "part-2.arrow"),
        )

    return DelegatedTable(TableName("maths", "far"), Definition(NUMBERS), references)


def test_a_delegated_table_says_where_its_rows_are(namespace: MemoryNamespace) -> None:
    namespace.add_table(delegated())
    table = namespace.table("FAR")
    found = require(table, Delegating, "table `maths.far`").references(ScanRequest())
    assert [type(reference) for reference in found] == [FunctionCall, FileReference]
    assert require(table, Delegating, "it").references(ScanRequest(limit=0)) == ()
    assert table.state().definition.schema == NUMBERS
    assert "far" in namespace.tables()


def test_a_delegated_table_cannot_be_read_or_written_here(namespace: MemoryNamespace) -> None:
    namespace.add_table(delegated())
    table = namespace.table("far")
    with pytest.raises(UnsupportedError, match=r"`maths.far` cannot be read"):
        require(table, Scannable, "table `maths.far`")
    with pytest.raises(UnsupportedError, match="take INSERT"):
        require(table, Insertable, "table `maths.far`")


def test_a_delegated_table_is_held_and_dropped_by_name(namespace: MemoryNamespace) -> None:
    namespace.add_table(delegated())
    with pytest.raises(AlreadyExistsError):
        namespace.add_table(delegated())
    with pytest.raises(AlreadyExistsError):
        namespace.create_table("far", Definition(NUMBERS))
    with pytest.raises(UnsupportedError):
        namespace.create_table("far", Definition(NUMBERS), on_conflict="replace")
    with pytest.raises(UnsupportedError):
        namespace.rename_table("far", "near")
    namespace.drop_table("far")
    with pytest.raises(NotFoundError):
        namespace.table("far")
