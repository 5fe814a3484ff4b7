"""A split read: the right rows in their order, with every request, thread or none."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.schema import Schema
from pyiceberg.typedef import EMPTY_DICT
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.iceberg.definition import definition_of
from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.parts import ReadOptions
from lakeport.catalog.iceberg.scan import open_split
from lakeport.catalog.iceberg.travel import find
from lakeport.catalog.ports import ScanRequest, Split
from lakeport.catalog.predicates import Between, Compare, Op, Predicate
from lakeport.catalog.rows.rowid import decode
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import (
    CorruptDataError,
    InvalidRequestError,
    NotFoundError,
    UnsupportedError,
)
from tests.catalog.iceberg.planning.planned import NOW, inventory, source_of
from tests.catalog.iceberg.scan.splits import INLINE, THREADED, opened, whole
from tests.lakes.lake import Lake
from tests.lakes.parquet import Style
from tests.lakes.table import LakeTable
from tests.strategies import seeded

COLUMNS = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "noise", LongType()),
    NestedField(3, "word", StringType()),
)
EACH, FILES = 130_000, 3


def some_rows(start: int, count: int) -> pa.Table:
    """`noise` does not compress, so that a file is large enough to be shared by threads."""
    noise = np.random.default_rng(start).integers(-(2**62), 2**62, count)
    some_words = [None if at % 7 == 0 else f"w{at}" for at in range(1000)]
    words = pa.array(some_words).take(np.arange(count) % 1000)
    return pa.table(
        {"id": pa.array(range(start, start + count)), "noise": pa.array(noise), "word": words}
    )


def scan_threads() -> list[str]:
    names = (thread.name for thread in threading.enumerate())
    return [name for name in names if name.startswith("lakeport-scan")]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    assert scan_threads() == []


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> LakeTable:
    """Never changed by a test."""
    table = Lake(tmp_path_factory.mktemp("large")).create("s.t", COLUMNS)
    for index in range(FILES):
        rows = some_rows(index * EACH, EACH)
        table.append(rows, Style(row_group_rows=50_000, dictionary=False), metrics=False)
    assert table.head is not None
    gone = {
        file.path: sorted(seeded(at).sample(range(EACH), 2_000))
        for at, file in enumerate(table.head.files)
    }
    table.commit(add=table.position_deletes(gone))
    return table


@pytest.fixture(scope="module")
def left(large: LakeTable) -> pa.Table:
    """What is to be seen of it, as another program sees it."""
    return large.rows().sort_by("id").combine_chunks()


@pytest.fixture
def small(tmp_path: Path) -> LakeTable:
    table = Lake(tmp_path).create("s.t", COLUMNS)
    for start in (0, 10, 20):
        table.append(some_rows(start, 10))
    return table


def ids(table: LakeTable, request: ScanRequest, options: ReadOptions = THREADED) -> list[int]:
    with opened(table, request, options) as stream:
        return [at for batch in stream for at in values(batch)]


def values(batch: pa.RecordBatch) -> list[Any]:
    return batch.column("id").to_pylist()


# -- rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [INLINE, THREADED, ReadOptions(threads=4)], ids=str)
def test_all_rows_in_the_order_of_commits(
    large: LakeTable, left: pa.Table, options: ReadOptions
) -> None:
    with opened(large, options=options) as stream:
        found = stream.read_all()
    assert found.num_rows == FILES * (EACH - 2_000)
    assert found.equals(left.cast(found.schema))


@dataclass(frozen=True)
class Case:
    predicate: Predicate | None
    expression: str | None
    test: Callable[[Any, Any], bool]


CASES = [
    Case(Compare("id", Op.LT, pa.scalar(1_000)), None, lambda at, _: at < 1_000),
    Case(
        Between("id", pa.scalar(129_000), pa.scalar(131_000)),
        None,
        lambda at, _: 129_000 <= at <= 131_000,
    ),
    Case(None, "id % 1000 = 7", lambda at, _: at % 1000 == 7),
    Case(
        Compare("word", Op.EQ, pa.scalar("w13")),
        "id > 200000",
        lambda at, word: word == "w13" and at > 200_000,
    ),
    Case(Compare("id", Op.GE, pa.scalar(0)), "word IS NULL", lambda _, word: word is None),
    Case(Compare("id", Op.LT, pa.scalar(-1)), None, lambda *_: False),
    Case(None, "true", lambda *_: True),
]


@pytest.mark.parametrize("options", [INLINE, THREADED], ids=["inline", "threads"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("limit", [None, 5, 1_000_000])
def test_both_conditions_hold_for_what_is_shown(
    large: LakeTable, left: pa.Table, options: ReadOptions, case: Case, limit: int | None
) -> None:
    source = source_of(large, options=options)
    schema = definition_of(source, source.metadata.schema()).schema
    expression = None if case.expression is None else parse_expression(case.expression, schema)
    with opened(source, ScanRequest(("word", "id"), case.predicate, expression, limit)) as stream:
        found = stream.read_all()
    pairs = zip(left["id"].to_pylist(), left["word"].to_pylist(), strict=True)
    kept = pa.array([case.test(at, word) for at, word in pairs])
    expected = left.filter(kept).select(["word", "id"]).slice(0, limit)
    assert found.equals(expected.cast(found.schema))


def test_conditions_are_not_asked_about_deleted_rows(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", COLUMNS)
    words = pa.array(["1", "no number", "3"])
    table.append(
        pa.table({"id": pa.array([0, 1, 2]), "noise": pa.nulls(3, pa.int64()), "word": words})
    )
    assert table.head is not None
    table.commit(add=table.position_deletes({table.head.files[0].path: [1]}))
    schema = opened(table).schema
    request = ScanRequest(expression=parse_expression("CAST(word AS INTEGER) > 2", schema))
    assert ids(table, request) == [2]


def test_batches_travel_well(large: LakeTable) -> None:
    with opened(large) as stream:
        sizes = [batch.nbytes for batch in stream]
    assert max(sizes) <= 2 << 20
    assert sum(sizes) / len(sizes) > 1 << 19


def test_an_empty_split(small: LakeTable) -> None:
    source = source_of(small)
    split = Split(whole(source).snapshot_id, ())
    with open_split(source, find(source, None, NOW), ScanRequest(), split) as stream:
        assert stream.read_all().num_rows == 0


def test_a_split_reads_its_own_files_once_each(small: LakeTable) -> None:
    source = source_of(small)
    split = whole(source)
    some = Split(split.snapshot_id, (split.parts[2], split.parts[0], split.parts[2]))
    with open_split(source, find(source, None, NOW), ScanRequest(), some) as stream:
        found = stream.read_all().column("id").to_pylist()
    assert found == [*range(10), *range(20, 30)]


# -- limits and what need not be opened ----------------------------------------------------------


def unlink_data(table: LakeTable, *indices: int) -> None:
    files = sorted(inventory(source_of(table)).files(), key=lambda file: file.ordinal)
    for index in indices:
        table.disk_path(files[index].path).unlink()


@pytest.mark.parametrize("limit", [0, 1, 9, 10, 11, 30, 31])
def test_a_limit_shows_the_first_rows(small: LakeTable, limit: int) -> None:
    assert ids(small, ScanRequest(limit=limit)) == list(range(30))[:limit]


def test_files_beyond_a_limit_are_never_opened(small: LakeTable) -> None:
    unlink_data(small, 1, 2)
    assert ids(small, ScanRequest(limit=10)) == list(range(10))
    condition = Compare("id", Op.GE, pa.scalar(8))
    assert ids(small, ScanRequest(predicate=condition, limit=2)) == [8, 9]
    with pytest.raises(CorruptDataError, match="is missing"):
        ids(small, ScanRequest(limit=11))


def test_nothing_is_opened_for_a_limit_of_zero(small: LakeTable) -> None:
    unlink_data(small, 0, 1, 2)
    assert ids(small, ScanRequest(limit=0)) == []


def test_rows_are_counted_without_opening_a_file(large: LakeTable, small: LakeTable) -> None:
    with opened(large, ScanRequest(columns=())) as stream:
        assert sum(batch.num_rows for batch in stream) == FILES * (EACH - 2_000)
    assert small.head is not None
    first = small.head.files[0].path
    small.commit(add=small.position_deletes({first: [3, 4]}))
    unlink_data(small, 0, 1, 2)
    with opened(small, ScanRequest(columns=())) as stream:
        assert stream.schema == pa.schema([]).with_metadata(stream.schema.metadata)
        assert sum(batch.num_rows for batch in stream) == 28
    with opened(small, ScanRequest(columns=(), limit=12)) as stream:
        assert sum(batch.num_rows for batch in stream) == 12
    with opened(small, ScanRequest(columns=(), row_ids=True)) as stream:
        ordinals = decode(stream.read_all().column("rowid").combine_chunks()).ordinals
    assert ordinals.tolist() == [at for at in range(30) if at not in {3, 4}]


def test_a_file_whose_rows_are_all_gone_is_not_opened(small: LakeTable) -> None:
    assert small.head is not None
    files = small.head.files
    small.commit(add=small.position_deletes({files[0].path: range(10)}))
    small.disk_path(files[0].path).unlink()
    assert len(ids(small, ScanRequest())) == 20


# -- row ids -------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [INLINE, THREADED], ids=["inline", "threads"])
def test_row_ids_ascend_and_name_their_rows(large: LakeTable, options: ReadOptions) -> None:
    request = ScanRequest(("id",), Compare("id", Op.GE, pa.scalar(100_000)), row_ids=True)
    source = source_of(large, options=options)
    with opened(source, request) as stream:
        found = stream.read_all()
    assert found.schema.names == ["id", "rowid"]
    row_ids = decode(found.column("rowid").combine_chunks())
    assert np.all(np.diff(row_ids.ordinals) > 0)
    snapshot = source.metadata.current_snapshot()
    assert snapshot is not None
    assert set(row_ids.generations.tolist()) == {snapshot.sequence_number}
    held = inventory(source)
    ordinals, positions = held.locate(row_ids.ordinals)
    starts = {
        file.path: large.contents.rows[file.path][0]["id"][0].as_py() for file in held.files()
    }
    expected = [
        starts[held.file(int(ordinal)).path] + int(position)
        for ordinal, position in zip(ordinals[::997], positions[::997], strict=True)
    ]
    assert found.column("id").to_pylist()[::997] == expected


@pytest.mark.parametrize("upgraded", [False, True])
def test_rows_of_format_1_have_no_ids(tmp_path: Path, upgraded: bool) -> None:  # noqa: FBT001
    table = Lake(tmp_path).create("s.t", COLUMNS, version=1)
    table.append(some_rows(0, 3))
    if upgraded:
        table.upgrade(2)
    assert ids(table, ScanRequest()) == [0, 1, 2]
    with pytest.raises(UnsupportedError, match="have no row ids") as got:
        opened(table, ScanRequest(row_ids=True))
    assert got.value.hint


# -- bad requests and bad files ------------------------------------------------------------------


def test_what_cannot_be_asked(small: LakeTable) -> None:
    with pytest.raises(NotFoundError, match="did you mean `word`"):
        opened(small, ScanRequest(columns=("wort",)))
    with pytest.raises(InvalidRequestError, match="a limit cannot be negative"):
        opened(small, ScanRequest(limit=-1))
    source = source_of(small)
    snapshot_id = whole(source).snapshot_id
    for part, row_ids in product((-1, 77, 1 << 40), (False, True)):
        request, split = ScanRequest(row_ids=row_ids), Split(snapshot_id, (part,))
        with pytest.raises(InvalidRequestError, match="does not have"):
            open_split(source, find(source, None, NOW), request, split)


@pytest.fixture
def medium(tmp_path: Path) -> LakeTable:
    """As large as threads need, and a test's own."""
    table = Lake(tmp_path / "medium").create("s.t", COLUMNS)
    for index in range(FILES):
        rows = some_rows(index * 90_000, 90_000)
        table.append(rows, Style(row_group_rows=20_000), metrics=False)
    return table


@pytest.mark.parametrize("options", [INLINE, THREADED], ids=["inline", "threads"])
def test_a_missing_file_is_an_error_after_the_rows_before_it(
    medium: LakeTable, options: ReadOptions
) -> None:
    unlink_data(medium, 1)
    seen: list[int] = []
    stream = opened(medium, ScanRequest(("id", "noise")), options)
    with pytest.raises(CorruptDataError, match=r"data file `.*` of table `s.t` is missing"):
        seen.extend(at for batch in stream for at in values(batch))
    assert seen == list(range(90_000))
    assert list(stream) == []
    assert scan_threads() == []


@pytest.mark.parametrize("options", [INLINE, THREADED], ids=["inline", "threads"])
def test_a_missing_delete_file_is_an_error(medium: LakeTable, options: ReadOptions) -> None:
    assert medium.head is not None
    medium.commit(add=medium.position_deletes({medium.head.files[0].path: [1]}))
    medium.disk_path(medium.head.deletes[0].path).unlink()
    with (
        opened(medium, options=options) as stream,
        pytest.raises(CorruptDataError, match=r"delete file `.*` of table `s.t` is missing"),
    ):
        stream.read_all()


# -- closing -------------------------------------------------------------------------------------


def mapped(table: LakeTable) -> list[str]:
    """Files of the table that the process holds."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return [line for line in lines if str(table.folder) in line]


@pytest.mark.parametrize("options", [INLINE, THREADED], ids=["inline", "threads"])
@pytest.mark.parametrize("batches", [0, 1, 3])
def test_closing_frees_threads_and_files_at_once(
    medium: LakeTable, options: ReadOptions, batches: int
) -> None:
    stream = opened(medium, options=options)
    for _ in range(batches):
        next(stream)
    stream.close()
    assert scan_threads() == []
    assert mapped(medium) == []
    assert list(stream) == []


def test_running_to_the_end_frees_them_too(medium: LakeTable) -> None:
    stream = opened(medium)
    assert sum(batch.num_rows for batch in stream) == FILES * 90_000
    assert scan_threads() == []
    assert mapped(medium) == []


def test_any_thread_may_close_while_another_reads(medium: LakeTable) -> None:
    for _ in range(10):
        stream = opened(medium)
        reading = threading.Event()

        def read(stream: BatchStream, reading: threading.Event) -> int:
            seen = 0
            for batch in stream:
                reading.set()
                seen += batch.num_rows
            return seen

        with ThreadPoolExecutor(1) as pool:
            rows = pool.submit(read, stream, reading)
            assert reading.wait(30)
            stream.close()
            assert 0 < rows.result(30) <= FILES * 90_000
        assert scan_threads() == []
    assert mapped(medium) == []


class GatedIO(PyArrowFileIO):
    """Opens a data file only when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = threading.Event()
        self.gate = threading.Semaphore(0)

    def parse_location(  # type: ignore[override] # static there, but called on the object
        self, location: str, properties: Any = EMPTY_DICT
    ) -> tuple[str, str, str]:
        if "/data/" in location:
            self.begun.set()
            assert self.gate.acquire(timeout=30)
        return PyArrowFileIO.parse_location(location, properties)


@pytest.mark.parametrize("limit", [None, 1])
def test_closing_ends_a_search_that_finds_nothing(small: LakeTable, limit: int | None) -> None:
    gated = GatedIO()
    request = ScanRequest(expression=parse_expression("id < 0", opened(small).schema), limit=limit)
    stream = opened(replace(source_of(small), io=gated), request)
    with ThreadPoolExecutor(2) as pool:
        found = pool.submit(list, stream)
        assert gated.begun.wait(30)
        closing = pool.submit(stream.close)
        gated.gate.release(3)
        closing.result(30)
        assert found.result(30) == []


def test_a_stream_that_is_dropped_leaves_nothing(medium: LakeTable) -> None:
    stream = opened(medium)
    next(stream)
    del stream
    for thread in threading.enumerate():
        if thread.name.startswith("lakeport-scan"):
            thread.join(30)
    assert mapped(medium) == []


def test_a_small_split_and_a_limit_start_no_thread(small: LakeTable, medium: LakeTable) -> None:
    for table, request in ((small, ScanRequest()), (medium, ScanRequest(limit=100_000))):
        with opened(table, request) as stream:
            next(stream)
            assert scan_threads() == []
    with opened(medium) as stream:
        next(stream)
        assert scan_threads() != []


class RemoteIO(PyArrowFileIO):
    """Local files that nobody may map, as if they were far away; counts how often each is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        near = self.fs_by_scheme

        def far(scheme: str, netloc: str | None) -> Any:
            self.opened.append(scheme)
            return near("file", netloc)

        self.fs_by_scheme = far

    def parse_location(  # type: ignore[override] # static there, but called on the object
        self, location: str, properties: Any = EMPTY_DICT
    ) -> tuple[str, str, str]:
        _, host, path = PyArrowFileIO.parse_location(location, properties)
        return "far", host, path


def test_a_remote_file_is_opened_once_for_all_its_columns(large: LakeTable, left: pa.Table) -> None:
    far = RemoteIO()
    source = replace(source_of(large), io=far)
    split = whole(source)
    for file in inventory(source).files():
        deleted_rows(source, file)
    far.opened.clear()
    with open_split(source, find(source, None, NOW), ScanRequest(), split) as stream:
        found = stream.read_all()
    assert found.equals(left.cast(found.schema))
    assert len(far.opened) == FILES
