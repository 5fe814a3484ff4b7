"""The door that a process opens for itself: on loopback, with a token of its own, closed with its block."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
import requests
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import BadRequestError

from lakeport import Lake
from lakeport import open as opened
from lakeport.catalog.memory import MemoryCatalog


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakeport.toml").touch()
    with opened(tmp_path) as lake:
        rows = pa.table({"id": [1, 2], "note": ["a", "b"]})
        lake.create_table("shop.orders", rows.schema).append(rows)
    return tmp_path


def get(uri: str, token: str | None) -> int:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    return requests.get(f"{uri}/v1/config", headers=headers, timeout=30).status_code


def test_pyiceberg_reads_and_writes_through_it(project: Path) -> None:
    with opened(project) as lake:
        with lake.rest() as door, RestCatalog("x", **door.for_pyiceberg()) as catalog:
            table = catalog.load_table("shop.orders")
            table.append(pa.table({"id": [3], "note": ["c"]}))
        with lake.table("shop.orders").scan() as rows:
            assert set(rows.read_all()["id"].to_pylist()) == {1, 2, 3}


def test_nobody_else_comes_in_and_every_door_has_its_own_token(project: Path) -> None:
    with opened(project) as lake, lake.rest() as door, lake.rest() as other:
        assert door.uri.startswith("http://127.0.0.1:")
        assert get(door.uri, door.token) == 200
        for token in (None, "", "x", other.token):
            assert get(door.uri, token) == 401
        assert door.token not in repr(door)


def test_a_closed_door_lets_nobody_in_and_the_lake_goes_on(project: Path) -> None:
    with opened(project) as lake:
        with lake.rest() as door:
            uri, token = door.uri, door.token
        with pytest.raises(requests.ConnectionError):
            get(uri, token)
        door.close()
        assert lake.tables() == ["shop.orders"]


def test_the_door_of_a_run_lets_tables_grow_and_lose_nothing(project: Path) -> None:
    with (
        opened(project) as lake,
        lake.rest(growth=True, name="nightly") as door,
        RestCatalog("x", **door.for_pyiceberg()) as catalog,
    ):
        table = catalog.load_table("shop.orders")
        with (
            pytest.raises(BadRequestError, match="column `note` would be dropped"),
            table.update_schema(allow_incompatible_changes=True) as change,
        ):
            change.delete_column("note")
        with pytest.raises(BadRequestError, match="was not made by `nightly`"):
            catalog.drop_table("shop.orders")
        catalog.create_table("shop.mine", table.schema())
        catalog.drop_table("shop.mine")


def test_it_loads_neither_grpc_nor_the_airport(project: Path) -> None:
    """A pipeline that hands it to Spark starts another process, and waits for what it does not use."""
    code = (
        "import sys, lakeport\n"
        "with lakeport.open(sys.argv[1]) as lake, lake.rest():\n"
        "    print(sorted({'grpc', 'lakeport.airport', 'duckdb'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(project)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_settings_for_spark_and_duckdb_name_it(project: Path) -> None:
    with opened(project) as lake, lake.rest() as door:
        spark, duckdb = door.for_spark(), door.for_duckdb()
    assert spark["spark.sql.catalog.lake.uri"] == door.uri
    assert spark["spark.sql.catalog.lake.token"] == door.token
    assert spark["spark.sql.catalog.lake.cache-enabled"] == "false"
    assert duckdb[1:] == (
        f"CREATE SECRET \"lake_rest\" (TYPE iceberg, TOKEN '{door.token}');",
        f"ATTACH 'lake' AS \"lake\" (TYPE iceberg, ENDPOINT '{door.uri}', SECRET \"lake_rest\");",
    )


def test_a_lake_that_is_not_icebergs_has_no_such_door() -> None:
    with Lake(MemoryCatalog("demo")).rest() as door:
        headers = {"authorization": f"Bearer {door.token}"}
        answer = requests.get(f"{door.uri}/v1/namespaces", headers=headers, timeout=30)
    assert answer.status_code == 406
    assert "is not Iceberg's" in answer.json()["error"]["message"]
