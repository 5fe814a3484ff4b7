"""Functions to call: those of the recordings, as plain implementations of the neutral protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.answering import answer
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.functions import Returns, Signature, Stability
from lakeport.catalog.memory import MemoryCatalog, MemoryNamespace
from lakeport.catalog.parameters import any_parameter, parameter, table_parameter
from lakeport.catalog.ports import ColumnStatistics, NamespaceInfo, ScanRequest
from lakeport.catalog.streams import BatchStream

compute: Any = pc
INT, TEXT = pa.int64(), pa.string()


@dataclass(frozen=True)
class Scalar:
    """`work` is called with the arguments."""

    name: str
    work: Callable[[pa.RecordBatch], Any]
    parameters: tuple[Field, ...] = ()
    returns: Returns = INT
    stability: Stability = Stability.VOLATILE
    takes_nulls: bool = False
    description: str | None = None

    @property
    def signature(self) -> Signature:
        return Signature(self.name, pa.schema(list(self.parameters)), self.description)

    def call(self, arguments: pa.RecordBatch) -> Array:
        return self.work(arguments)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Rows:
    """What a table function gives for its arguments. `asked` keeps the requests."""

    schema: pa.Schema
    batches: Callable[[], Iterator[Any]]
    rows: int | None = None
    asked: list[ScanRequest] = field(default_factory=list)
    narrow: bool = True

    def open(self, request: ScanRequest) -> BatchStream:
        self.asked.append(request)
        if self.narrow:
            return answer(self.schema, self.batches(), request)
        return BatchStream(self.schema, self.batches())


@dataclass(frozen=True)
class Table:
    name: str
    make: Callable[[dict[str, Any]], Any]
    parameters: tuple[Field, ...] = ()
    returns: pa.Schema | None = None
    description: str | None = None

    @property
    def signature(self) -> Signature:
        return Signature(self.name, pa.schema(list(self.parameters)), self.description)

    def bind(self, arguments: pa.RecordBatch) -> Any:
        (given,) = arguments.to_pylist() or [{}]
        return self.make(given)


class Measured(Table):
    def statistics(self, column: str) -> ColumnStatistics:
        assert column == "n"
        return ColumnStatistics(pa.scalar(0, INT), pa.scalar(9, INT), has_null=False)


@dataclass
class Call:
    """An in/out call made of three functions; how often it was closed is counted."""

    schema: pa.Schema
    work: Callable[[pa.RecordBatch], Any]
    last: Callable[[], Any] = lambda: iter(())
    closed: list[int] = field(default_factory=list)

    def process(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        return self.work(batch)  # type: ignore[no-any-return]

    def finish(self) -> Iterator[pa.RecordBatch]:
        return self.last()  # type: ignore[no-any-return]

    def close(self) -> None:
        self.closed.append(1)


@dataclass(frozen=True)
class InOut:
    name: str
    begin: Callable[[dict[str, Any], pa.Schema], Any]
    parameters: tuple[Field, ...] = (table_parameter("rows"),)
    returns: pa.Schema | None = None
    description: str | None = None

    @property
    def signature(self) -> Signature:
        return Signature(self.name, pa.schema(list(self.parameters)), self.description)

    def start(self, arguments: pa.RecordBatch, rows: pa.Schema) -> Any:
        (given,) = arguments.to_pylist() or [{}]
        return self.begin(given, rows)


def numbers(*values: int) -> pa.RecordBatch:
    return pa.record_batch({"n": pa.array(values, INT)})


COUNT = (parameter("count", INT), parameter("step", INT, named=True))
SERIES = pa.schema([("n", INT)])
_PAIR: list[Field] = [pa.field("a", INT), pa.field("b", TEXT)]
PAIRS = pa.schema(_PAIR)


def _gen(given: dict[str, Any]) -> Rows:
    if given["count"] < 0:
        raise ValueError("count must not be negative")
    step = 1 if given["step"] is None else given["step"]
    values = [index * step for index in range(given["count"])]
    return Rows(SERIES, lambda: iter([numbers(*values)]), len(values))


def _wide(given: dict[str, Any]) -> Rows:
    """As many columns as the first argument says."""
    schema = pa.schema([(f"c{index}", INT) for index in range(given["columns"])])
    columns = [pa.array(range(3), INT) for _ in schema]
    return Rows(schema, lambda: iter([pa.record_batch(columns, schema=schema)]))


@dataclass(frozen=True)
class ShowAny:
    """The type of its argument."""

    returns = pa.schema([("arrow_type", TEXT)])
    signature = Signature("show_any", pa.schema([any_parameter("v")]))

    def bind(self, arguments: pa.RecordBatch) -> Rows:
        name = str(arguments.schema.field(0).type)
        return Rows(self.returns, lambda: iter([pa.record_batch({"arrow_type": [name]})]), 1)


def _scaled(given: dict[str, Any], _: pa.Schema) -> Call:
    schema = pa.schema([("value", INT)])

    def work(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([compute.multiply(batch.column(0), given["factor"])], schema=schema)

    return Call(schema, work)


def _total(_: dict[str, Any], __: pa.Schema) -> Call:
    schema = pa.schema([("rows_seen", INT)])
    seen = [0]

    def work(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        seen[0] += batch.num_rows
        return iter(())

    return Call(schema, work, lambda: iter([pa.record_batch([pa.array(seen, INT)], schema=schema)]))


def row_numbers(arguments: pa.RecordBatch) -> Array:
    return pa.array(range(arguments.num_rows), INT)


def type_name(arguments: pa.RecordBatch) -> Array:
    return pa.array([str(arguments.schema.field(0).type)] * arguments.num_rows, TEXT)


def repeated(batch: pa.RecordBatch) -> Array:
    return compute.binary_repeat(batch.column(0), 2)  # type: ignore[no-any-return]


X = (parameter("x", INT),)

ADD_ONE = Scalar("add_one", lambda batch: compute.add(batch.column(0), 1), X)
RECORDED = (
    ADD_ONE,
    Scalar(
        "plus",
        lambda batch: compute.add(*batch.columns),
        (parameter("a", INT), parameter("b", INT)),
        stability=Stability.CONSISTENT,
        description="The sum of two numbers.",
    ),
    Scalar("row_number0", row_numbers),
    Scalar("type_name", type_name, (any_parameter("v"),), TEXT),
    Scalar("twice", lambda batch: compute.multiply(batch.column(0), 2), X),
    Scalar("twice", repeated, (parameter("x", TEXT),), TEXT),
    Table("gen", _gen, COUNT, SERIES, "Numbers."),
    Table(
        "no_args",
        lambda _: Rows(
            PAIRS,
            lambda: iter([pa.record_batch([pa.array([1, 2]), pa.array(["x", "y"])], schema=PAIRS)]),
            2,
        ),
        returns=PAIRS,
    ),
    Table("wide", _wide, (parameter("columns", INT),)),
    ShowAny(),
    InOut("echo", lambda _, rows: Call(rows, lambda batch: iter([batch]))),
    InOut("scaled", _scaled, (parameter("factor", INT), table_parameter("rows"))),
    InOut("row_total", _total),
)


def hosting(*functions: Any, namespace: str = "fn") -> MemoryCatalog:
    catalog = MemoryCatalog("lake")
    add(catalog, namespace, *functions)
    return catalog


def add(catalog: MemoryCatalog, namespace: str, *functions: Any) -> MemoryNamespace:
    made = catalog.create_namespace(NamespaceInfo(namespace))
    for function in functions:
        made.add_function(function)
    return made
