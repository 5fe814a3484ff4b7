from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.iceberg.connect import Presence, connect, probe, probe_warehouse
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import PreconditionError, UnavailableError, UnsupportedError


def embedded(folder: Path) -> Profile:
    return Profile(
        name="lake",
        type="embedded",
        uri=f"sqlite:///{folder}/.lakeport/catalog.db",
        warehouse=f"file://{folder}/.lakeport/warehouse",
    )


def test_connecting_creates_the_embedded_catalog(tmp_path: Path) -> None:
    profile = embedded(tmp_path)
    assert probe(profile, seconds=30) == Presence(None)
    assert not (tmp_path / ".lakeport").exists()
    with connect(profile) as catalog:
        catalog.create_namespace("shop")
    assert probe(profile, seconds=30) == Presence(1)


def test_tables_land_in_the_warehouse_whatever_the_folder_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "my 100% café+lake"
    with connect(embedded(folder)) as catalog:
        catalog.create_namespace("shop")
        catalog.create_table("shop.orders", Schema(NestedField(1, "id", LongType(), required=True)))
        assert [str(name) for name in catalog.load_table("shop.orders").schema().column_names] == [
            "id"
        ]
    assert list((folder / ".lakeport" / "warehouse").rglob("*.metadata.json"))
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


@pytest.mark.parametrize("mark", ["?", "#"])
def test_a_folder_that_no_location_can_name_is_refused(tmp_path: Path, mark: str) -> None:
    with pytest.raises(PreconditionError, match="a location cannot hold"):
        connect(embedded(tmp_path / f"a{mark}b"))


def test_a_database_without_tables_stays_without_them(tmp_path: Path) -> None:
    profile = embedded(tmp_path)
    assert profile.database_file is not None
    profile.database_file.parent.mkdir()
    profile.database_file.touch()
    assert probe(profile, seconds=30) == Presence(None)
    assert profile.database_file.read_bytes() == b""


def test_settings_have_one_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYICEBERG_CATALOG__LAKE__WAREHOUSE", "s3://somewhere/else")
    profile = Profile("lake", "embedded", uri=f"sqlite:///{tmp_path}/catalog.db")
    with connect(profile) as catalog:
        assert "warehouse" not in catalog.properties


def test_what_has_a_setting_wins_over_a_property() -> None:
    profile = Profile(
        "lake", "rest", uri="http://a", properties={"uri": "http://b", "s3.region": "x"}
    )
    assert profile.for_pyiceberg() == {"uri": "http://a", "s3.region": "x"}


@pytest.fixture
def refusing_port() -> Iterator[int]:
    """A port that is taken, so that nobody else answers on it, but where nobody listens."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


def test_an_unreachable_catalog_is_named_with_secrets_masked(refusing_port: int) -> None:
    port = refusing_port
    profile = Profile(
        "lake", "rest", f"http://me:hidden@127.0.0.1:{port}", "main", {"token": "hidden"}
    )
    for attempt in (lambda: connect(profile), lambda: probe(profile, seconds=30)):
        with pytest.raises(UnavailableError) as caught:
            attempt()
        assert caught.value.message == (
            f"the rest catalog `lake` at http://me:***@127.0.0.1:{port} (warehouse main)"
            " cannot be reached: connection refused"
        )
        assert "hidden" not in str(caught.value)


def test_a_file_that_is_no_database_is_unavailable(tmp_path: Path) -> None:
    profile = embedded(tmp_path)
    assert profile.database_file is not None
    profile.database_file.parent.mkdir()
    profile.database_file.write_bytes(b"not a database" * 100)
    with pytest.raises(UnavailableError, match="file is not a database"):
        probe(profile, seconds=30)


def test_a_catalog_that_never_answers_is_given_up() -> None:
    silent = socket.create_server(("127.0.0.1", 0))  # accepts into its backlog and says nothing
    profile = Profile("lake", "rest", f"http://127.0.0.1:{silent.getsockname()[1]}")
    with pytest.raises(UnavailableError, match=r"did not answer within 0\.05 s"):
        probe(profile, seconds=0.05)
    silent.close()
    for thread in threading.enumerate():
        if thread.name == "lakeport-probe":
            thread.join()


def test_a_missing_driver_is_not_an_outage() -> None:
    profile = Profile("lake", "hive", "thrift://127.0.0.1:1")
    with pytest.raises(UnsupportedError) as caught:
        connect(profile)
    assert "needs a package that is not installed" in caught.value.message
    assert caught.value.hint == "pip install 'lakeport[hive]'"


def test_the_warehouse_is_left_as_it_was(tmp_path: Path) -> None:
    profile = Profile("lake", "embedded", warehouse=f"file://{tmp_path}")
    probe_warehouse(profile, seconds=30)
    assert list(tmp_path.iterdir()) == []


def test_a_warehouse_that_refuses_is_unavailable() -> None:
    with pytest.raises(UnavailableError):
        probe_warehouse(Profile("lake", "embedded", warehouse="file:///proc/nowhere"), seconds=30)


@pytest.mark.parametrize(
    ("uri", "file"),
    [
        ("sqlite:////data/lake.db", Path("/data/lake.db")),
        ("sqlite:////data/lake.db?timeout=5", Path("/data/lake.db")),
        ("sqlite:///:memory:", None),
        ("sqlite://", None),
        ("postgresql://db/lake", None),
        (None, None),
    ],
)
def test_the_file_of_a_sqlite_catalog(uri: str | None, file: Path | None) -> None:
    assert Profile("lake", "sql", uri).database_file == file


def test_a_driver_that_we_do_not_bring_is_told_with_the_one_that_we_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UnsupportedError, match="needs a package that is not") as caught:
        connect(Profile("lake", "sql", "postgresql+psycopg://ann@db/lake", "s3://lake"))
    assert "pip install 'lakeport[postgres]', and write postgresql+psycopg2://" in str(
        caught.value.hint
    )


@pytest.mark.parametrize(
    ("package", "profile", "extra"),
    [
        (
            "psycopg2",
            Profile("lake", "sql", "postgresql+psycopg2://ann@db/lake", "s3://lake"),
            "postgres",
        ),
        ("boto3", Profile("lake", "glue", None, "s3://lake"), "aws"),
        (
            "hive_metastore",
            Profile("lake", "hive", "thrift://db:9083", "s3://lake"),
            "hive",
        ),
    ],
)
def test_a_package_that_is_missing_is_named_by_what_brings_it(
    monkeypatch: pytest.MonkeyPatch, package: str, profile: Profile, extra: str
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("pyiceberg.catalog.glue", "pyiceberg.catalog.hive"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    for opened in (connect, lambda profile: probe(profile, seconds=30)):
        with pytest.raises(UnsupportedError, match="needs a package that is not") as caught:
            opened(profile)
        assert caught.value.hint == f"pip install 'lakeport[{extra}]'"
