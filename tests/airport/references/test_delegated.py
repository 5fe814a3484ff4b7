"""Tables whose rows the client fetches itself, over a real server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl
import pyarrow.parquet as pq
import pytest

from lakeport.airport.scans.references import location_of
from lakeport.catalog.definition import Definition
from lakeport.catalog.delegation import FileReference, FunctionCall, Reference
from lakeport.catalog.memory import DelegatedTable, MemoryCatalog, TravellingTable
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.core.errors import InternalError
from lakeport.core.names import TableName
from lakeport.core.timepoint import AtVersion
from lakeport.flight.messages import Ticket
from tests.airport.airport_server import AIRPORT, Client, serving
from tests.airport.references.running import Database, decoded, file_of
from tests.airport.scans.duck import Duck, path

_TYPES: dict[str, pa.DataType] = {"n": pa.int64(), "s": pa.string()}
COLUMNS = pa.schema(_TYPES)


def _far(folder: Path) -> DelegatedTable:
    def references(request: ScanRequest) -> Sequence[Reference]:
        del request
        one, two = str(folder / "one.csv"), str(folder / "two.parquet")
        return (
            FunctionCall("read_csv", (pa.scalar(one),), {"header": pa.scalar(value=True)}),
            FunctionCall("read_parquet", (pa.scalar([two], pa.list_(pa.string())),)),
            FileReference("parquet", two),
        )

    return DelegatedTable(TableName("far", "t"), Definition(COLUMNS), references)


def _past(folder: Path) -> TravellingTable:
    def references(request: ScanRequest) -> Sequence[Reference]:
        version = request.at.version if isinstance(request.at, AtVersion) else "now"
        return (FunctionCall("read_parquet", (pa.scalar(str(folder / f"{version}.parquet")),)),)

    return TravellingTable(TableName("far", "past"), Definition(COLUMNS), references)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "one.csv").write_text("n,s\n1,a\n2,b\n")
    pq.write_table(pa.table({"n": [3], "s": ["c"]}, schema=COLUMNS), tmp_path / "two.parquet")
    catalog = MemoryCatalog("lake")
    namespace = catalog.create_namespace(NamespaceInfo("far"))
    namespace.add_table(_far(tmp_path))
    namespace.add_table(_past(tmp_path))
    with serving([catalog]) as made:
        yield made


@pytest.fixture
def duck(client: Client) -> Duck:
    return Duck(client.flight).begin()


def test_every_reference_is_an_endpoint_that_duckdb_can_run(duck: Duck) -> None:
    csv, parquet, file = duck.endpoints(path("far", "t"))
    assert Database().rows([csv, parquet], COLUMNS) == [
        {"n": 1, "s": "a"},
        {"n": 2, "s": "b"},
        {"n": 3, "s": "c"},
    ]
    call = decoded(csv)
    assert (call.function, call.arguments.column_names) == ("read_csv", ["arg_0", "header"])
    assert call.arguments.column("header").to_pylist() == [True]
    assert file_of(file)["format"] == "parquet"
    assert file_of(file)["uri"].endswith("two.parquet")


def test_references_follow_the_point_in_time(duck: Duck) -> None:
    (then,) = duck.endpoints(path("far", "past"), at_unit="VERSION", at_value="7")
    (now,) = duck.endpoints(path("far", "past"))
    found = [decoded(each).arguments.column("arg_0")[0].as_py() for each in (then, now)]
    assert [Path(each).name for each in found] == ["7.parquet", "now.parquet"]
    assert duck.flight_info(path("far", "past"), "VERSION", "7").schema == COLUMNS


def test_a_table_without_a_past_says_so(client: Client) -> None:
    body = {
        "descriptor": path("far", "t").encode(),
        "parameters": {"at_unit": "VERSION", "at_value": "7"},
    }
    code, text = client.having(AIRPORT).action_code("endpoints", msgpack.packb(body))
    assert code is grpc.StatusCode.UNIMPLEMENTED
    assert "`far.t` cannot be read as of an earlier point" in text


def test_it_is_announced_without_row_ids_and_without_statistics(duck: Duck) -> None:
    assert duck.info(path("far", "t")).schema.equals(COLUMNS, check_metadata=True)


def test_whoever_cannot_run_references_is_told_who_can(client: Client) -> None:
    (endpoint,) = client.info("far", "t").endpoints
    code, text = client.code_of("DoGet", Ticket(endpoint.ticket.ticket).encode())
    assert code is grpc.StatusCode.UNIMPLEMENTED
    assert "its client reads them itself" in text


def test_what_nobody_would_apply_is_refused(client: Client) -> None:
    command = fl.FlightDescriptor.for_command(
        b'{"schema_name": "far", "table_name": "t", "limit": 1}'
    )
    body = msgpack.packb({"descriptor": command.serialize(), "parameters": {}})
    code, text = client.having(AIRPORT).action_code("endpoints", body)
    assert code is grpc.StatusCode.UNIMPLEMENTED
    assert "nothing can be left out of it here" in text


def test_nobody_writes_to_it(client: Client) -> None:
    row = pa.table({"n": [1], "s": ["x"]}, schema=COLUMNS)

    def put() -> None:
        writer, _ = client.flight.do_put(fl.FlightDescriptor.for_path("far", "t"), COLUMNS)
        writer.write_table(row)
        writer.close()

    with pytest.raises(pa.ArrowNotImplementedError, match="cannot take INSERT"):
        put()


@pytest.mark.parametrize(
    "call",
    [FunctionCall("now"), FunctionCall("f", (pa.scalar(1),), {"arg_9": pa.scalar(1)})],
)
def test_calls_that_cannot_be_written_down_are_refused(call: FunctionCall) -> None:
    with pytest.raises(InternalError):
        location_of(call)


def test_the_guides_table_says_where_its_rows_are(tmp_path: Path) -> None:
    guide = Path(__file__).parents[3] / "docs" / "guides" / "references.md"
    code = guide.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    asked = "from lakeport.catalog.ports import ScanRequest\nprint(len(table.references(ScanRequest())))"
    done = subprocess.run(
        [sys.executable, "-c", code + asked], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout.split() == [b"2"]
