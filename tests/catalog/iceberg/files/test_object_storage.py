"""Files in an object store: few requests, and none for what is not needed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from moto.server import ThreadedMotoServer
from pyarrow.fs import S3FileSystem
from pyiceberg.io import load_file_io
from pyiceberg.io.fsspec import FsspecFileIO
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, NestedField

from lakeport.catalog.iceberg.files import read_file
from lakeport.catalog.iceberg.parts import ReadOptions
from lakeport.catalog.iceberg.storage import open_file
from lakeport.catalog.predicates import Compare, Op
from lakeport.core.errors import CorruptDataError
from tests.catalog.iceberg.files.one_file import OneFile, one_file
from tests.lakes.storage import arrow_schema

COLUMNS = 10
GROUP = 20_000
ROWS = 3 * GROUP
SCHEMA = Schema(
    *(NestedField(place + 1, f"c{place}", DoubleType(), required=False) for place in range(COLUMNS))
)


@dataclass
class Requests(logging.Handler):
    """The server's own log, one entry per request: the method and the status."""

    seen: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage()
        for method in ("HEAD", "GET", "PUT"):
            if f"{method} /" in line:
                self.seen.append((method, int(line.split()[-2])))

    def __hash__(self) -> int:
        return id(self)


@dataclass(frozen=True)
class Store:
    io: PyArrowFileIO
    requests: Requests

    def put(self, location: str, content: bytes) -> None:
        with self.io.new_output(location).create(overwrite=True) as stream:
            stream.write(content)
        self.requests.seen.clear()


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    requests = Requests()
    logger = logging.getLogger("werkzeug")
    before = logger.level, logger.propagate
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(requests)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        _, port = server.get_host_and_port()
        endpoint = f"http://127.0.0.1:{port}"
        S3FileSystem(
            endpoint_override=endpoint,
            access_key="access",
            secret_key="secret",  # noqa: S106  the server takes any
            region="us-east-1",
            allow_bucket_creation=True,
        ).create_dir("lake")
        # As a REST catalog hands them out with a table.
        given = {
            "s3.endpoint": endpoint,
            "s3.access-key-id": "access",
            "s3.secret-access-key": "secret",
            "s3.session-token": "session",
            "s3.region": "us-east-1",
        }
        io = load_file_io(given, "s3://lake")
        assert isinstance(io, PyArrowFileIO)
        yield Store(io, requests)
    finally:
        server.stop()
        logger.removeHandler(requests)
        logger.setLevel(before[0])
        logger.propagate = before[1]


def parquet_bytes(rows: int, group: int) -> bytes:
    generator = np.random.default_rng(7)
    columns = [pa.array(np.sort(generator.random(rows))) for _ in range(COLUMNS)]
    sink = pa.BufferOutputStream()
    table = pa.Table.from_arrays(columns, schema=arrow_schema(SCHEMA, ids=True))
    pq.write_table(table, sink, row_group_size=group, compression="none", use_dictionary=False)
    return sink.getvalue().to_pybytes()


@pytest.fixture
def remote(store: Store) -> OneFile:
    location = "s3://lake/a folder/50%25 off.parquet"
    store.put(location, parquet_bytes(ROWS, GROUP))
    return one_file(location, SCHEMA, ROWS, io=store.io)


def test_neighbouring_columns_are_fetched_together(store: Store, remote: OneFile) -> None:
    assert remote.read("c1", "c2", "c3").num_rows == ROWS
    # The size, the footer, then one range for each of the three row groups.
    assert store.requests.seen == [("HEAD", 200)] + [("GET", 206)] * 4


def test_a_footer_is_fetched_once(store: Store, remote: OneFile) -> None:
    remote.read("c1")
    store.requests.seen.clear()
    remote.read("c1")
    assert store.requests.seen == [("HEAD", 200)] + [("GET", 206)] * 3


def test_row_groups_that_cannot_match_are_not_fetched(store: Store, remote: OneFile) -> None:
    low = Compare("c1", Op.LT, pa.scalar(0.001))
    assert [chunk.start for chunk in remote.chunks("c1", where=low)] == [0]
    assert store.requests.seen == [("HEAD", 200)] + [("GET", 206)] * 2


def test_a_file_without_a_match_is_not_opened_again(store: Store, remote: OneFile) -> None:
    none = Compare("c1", Op.LT, pa.scalar(-1.0))
    assert remote.chunks("c1", where=none) == []
    store.requests.seen.clear()
    assert remote.chunks("c1", where=none) == []
    assert store.requests.seen == []


def test_rows_are_delivered_before_the_rest_is_fetched(store: Store, remote: OneFile) -> None:
    reading = read_file(remote.source, remote.file, remote.wanted("c1"))
    next(reading)
    reading.close()
    assert store.requests.seen == [("HEAD", 200)] + [("GET", 206)] * 2


def test_a_small_file_is_fetched_whole(store: Store) -> None:
    store.put("s3://lake/small.parquet", parquet_bytes(100, 10))
    small = one_file("s3://lake/small.parquet", SCHEMA, 100, io=store.io)
    assert small.read().num_rows == 100
    assert [method for method, _ in store.requests.seen] == ["HEAD", "GET"]


def test_a_missing_object_is_named(store: Store) -> None:
    with pytest.raises(CorruptDataError, match=r"data file `gone.parquet` .* is missing"):
        one_file("s3://lake/gone.parquet", SCHEMA, 1, io=store.io).rows()


def test_a_missing_bucket_is_a_missing_file(store: Store) -> None:
    with pytest.raises(CorruptDataError, match="is missing"):
        one_file("s3://no-such-lake/gone.parquet", SCHEMA, 1, io=store.io).rows()


# -- Python's own file systems -------------------------------------------------------------------


@pytest.mark.parametrize("rows", [100, ROWS])
def test_files_that_only_python_can_open(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "data.parquet"
    path.write_bytes(parquet_bytes(rows, GROUP))
    file = one_file(f"file://{path}", SCHEMA, rows, io=FsspecFileIO({}))
    assert file.read("c3").equals(one_file(path, SCHEMA, rows).read("c3"))


def test_a_missing_file_that_only_python_can_open(tmp_path: Path) -> None:
    with pytest.raises(CorruptDataError, match="is missing"):
        one_file(f"file://{tmp_path}/gone.parquet", SCHEMA, 1, io=FsspecFileIO({})).rows()


# -- local files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plain", "with space", "50%25 off", "ümlaut", "a=b/c+d&e"])
@pytest.mark.parametrize("scheme", ["", "file://", "file:"])
def test_local_names_are_taken_literally(tmp_path: Path, name: str, scheme: str) -> None:
    path = tmp_path / name / "data.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(parquet_bytes(10, 10))
    assert one_file(f"{scheme}{path}", SCHEMA, 10).read("c0").num_rows == 10


def test_local_files_are_mapped_and_closed(tmp_path: Path) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(b"0123456789")
    with open_file(PyArrowFileIO(), str(path)) as opened:
        assert isinstance(opened.handle, pa.MemoryMappedFile)
        assert (opened.size, opened.is_local) == (10, True)
        assert opened.read_tail(4) == b"6789"
        assert opened.read_tail(40) == b"0123456789"
    assert opened.handle.closed


def test_an_empty_file_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    path.touch()
    with pytest.raises(CorruptDataError, match="does not end as a Parquet file does"):
        one_file(path, SCHEMA, 1).rows()


def test_batches_are_about_as_large_as_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    path.write_bytes(parquet_bytes(ROWS, GROUP))
    file = one_file(path, SCHEMA, ROWS, options=ReadOptions(batch_bytes=100_000))
    sizes = [chunk.rows.nbytes for chunk in file.chunks()]
    assert max(sizes) <= 110_000
    assert sum(sizes) / len(sizes) > 90_000
