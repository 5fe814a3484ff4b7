"""`--server`: each command says here and over the wire the same, byte for byte, good news and bad."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pytest

import lakeport as library
from lakeport.app.serve import Running
from lakeport.app.settings import load
from lakeport.catalog.definition import (
    Check,
    Definition,
    PrimaryKey,
    Unique,
    with_comment,
    with_default,
)
from tests.app.lake.test_rows_as_text import TYPES
from tests.arrow_rows import random_array
from tests.cli.conftest import Outcome, Run
from tests.cli.here import served_here
from tests.strategies import seeded

EVERY = (*TYPES, pa.json_(pa.string()))
KEYED = Definition(
    pa.schema(
        [
            with_comment(pa.field("k", pa.int64(), nullable=False), "the key: ключ"),
            with_default(pa.field("name", pa.string()), "'none'"),
            pa.field("day", pa.date32()),
            pa.field("u", pa.uint64()),
            pa.field("old", pa.float32()),
        ]
    ),
    constraints=(PrimaryKey(("k",)), Unique(("u",), "one_u"), Check("k > 0", "positive")),
    comment="with rules, «quoted»",
    partitioned_by=("month(day)",),
    sorted_by=("k",),
)
ODD = "größe & co.日本 -+%20"
TOML = '[server]\ngrpc = "127.0.0.1:0"\nhttp = "127.0.0.1:0"\n[catalogs.other]\n'


class Both(Protocol):
    def __call__(self, *arguments: str) -> Outcome: ...


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All but one of the tests only read; the working folder of each is no project."""
    return filled(tmp_path_factory.mktemp("remote") / "lake")


def filled(home: Path) -> Path:
    """A project with tables of every kind."""
    home.mkdir()
    (home / "lakeport.toml").write_text(TOML)
    with library.open(home) as lake:
        keyed = lake.create_table("shop.keyed", KEYED)
        keyed.append([{"k": 1, "u": 2**64 - 1}, {"k": 2, "name": "x\ny", "day": None, "u": 3}])
        keyed.delete("k = 1")
        keyed.tag("v1")
        keyed.alter(add={"note": pa.string()}, drop=["old"])
        keyed.append([{"k": 7, "note": "ж"}])
        rng = seeded(11)
        names = [f"c{place}" for place in range(len(EVERY))]
        every = [random_array(rng, kind, 12) for kind in EVERY]
        batch = pa.RecordBatch.from_arrays(every, names=names)
        lake.create_table("shop.eu.every", batch.schema).append(batch)
        lake.create_table("shop.empty", {"a": pa.int8(), "Ünïcode, comma": pa.list_(pa.string())})
        lake.create_table(ODD, {"id": pa.int64()}).append([{"id": number} for number in range(9)])
    return home


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Running]:
    with served_here(load(project=project, variables={})) as server:
        yield server


@pytest.fixture
def both(server: Running, project: Path, lakeport: Run) -> Both:
    """Run a command in the project and, from elsewhere, against its server: the outcomes are one."""

    def both(*arguments: str) -> Outcome:
        here = lakeport(*arguments, "--project", str(project))
        there = lakeport(*arguments, "--server", server.grpc)
        assert there == here
        return here

    return both


TABLES = ("shop.keyed", "shop.eu.every", "shop.empty", ODD)


def test_every_report_is_the_same(both: Both) -> None:
    for face in ((), ("--json",)):
        for command in (("tables",), ("tables", "-l"), ("tables", "SHOP"), ("tables", "shop.eu")):
            assert both(*command, *face).code == 0
        for table in TABLES:
            assert both("show", table, *face).code == 0
            assert both("history", table, *face).code == 0
        for point in ("version:1", "v1", "tag:v1", "2999-01-01", "0"):
            assert both("show", "shop.keyed", "--at", point, *face).code == 0


def test_every_row_is_the_same(both: Both) -> None:
    for form in ("table", "json", "csv"):
        for table in TABLES:
            assert both("read", table, "--format", form).code == 0
    assert json.loads(both("read", "Shop.KEYED", "--json").out)[-1]["note"] == "ж"
    assert both("read", "shop.keyed", "--at", "v1").out.startswith("k  name  day")
    assert "1 row" in both("read", "shop.keyed", "--where", "upper(name) LIKE 'X%'").out
    assert both("read", "shop.keyed", "--columns", "note,K,note", "--where", "k = 7").code == 0
    assert both("read", "shop.empty", "--columns", '"Ünïcode, comma",a').code == 0
    assert "(limit 3)" in both("read", ODD, "--limit", "3").out
    assert both("read", ODD, "--limit", "0", "--json").out == "[]\n"


def test_arrow_files_are_the_same(server: Running, project: Path, lakeport: Run) -> None:
    for table in TABLES:
        here, there = ("--project", str(project)), ("--server", server.grpc)
        for name, place in (("here", here), ("there", there)):
            done = lakeport("read", table, "--format", "arrow", "--output", name, *place)
            assert (done.code, done.err) == (0, "")
        assert Path("here").read_bytes() == Path("there").read_bytes()


REFUSED = {
    ("read", "shop.keyd"): 1,
    ("show", "nowhere.keyed"): 1,
    ("history", "keyed"): 2,
    ("read", "shop.keyed", "--columns", "nam"): 1,
    ("read", "shop.keyed", "--where", "k >"): 2,
    ("read", "shop.keyed", "--where", "k"): 2,
    ("read", "shop.keyed", "--where", ""): 2,
    ("read", "shop.keyed", "--where", "k IN (SELECT 1)"): 2,
    ("read", "shop.keyed", "--limit", "-1"): 2,
    ("read", "shop.keyed", "--at", "version:99"): 1,
    ("show", "shop.keyed", "--at", "no such"): 1,
    ("tables", "shp"): 1,
    ("tables", "--catalog", "ohter"): 1,
}


def test_every_refusal_is_the_same(both: Both) -> None:
    for arguments, code in REFUSED.items():
        for face in ((), ("--json",)):
            shown = both(*arguments, *face)
            assert shown.code == code, arguments
            assert shown.err.startswith("error: ")


def test_another_catalog_is_named_by_its_name(both: Both) -> None:
    assert both("tables", "--catalog", "OTHER").out.startswith("there are no tables yet")
    assert both("tables", "--catalog", "lake").out == both("tables").out


# -- servers that do not answer --------------------------------------------------------------------


def test_a_server_that_is_not_there_is_named(lakeport: Run) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"grpc://127.0.0.1:{nobody.getsockname()[1]}"
        shown = lakeport("tables", "--server", address, "--token", "lp_secret")
    assert (shown.code, shown.out) == (3, "")
    assert f"{address} cannot be reached: connection refused" in shown.err
    assert "lp_secret" not in shown.err


def test_the_port_of_http_is_told_from_that_of_rows(lakeport: Run) -> None:
    """On a server of its own: it says that somebody spoke nonsense when it comes to it, but before it ends."""
    Path("lakeport.toml").write_text(TOML)
    with served_here(load(variables={})) as server:
        address = server.http.replace("http://", "grpc://")
        shown = lakeport("tables", "--server", address)
    assert (shown.code, shown.out) == (3, "")
    assert f"{address} cannot be reached: it does not speak gRPC" in shown.err


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:8181", "is an address of HTTP"),
        ("https://lake.example.com", "is an address of HTTP"),
        ("127.0.0.1:8815", "does not begin with grpc://"),
        ("grpc://", "names no host"),
        ("grpc://host:many", "is no address"),
        ("grpc://host:1/lake", "--catalog"),
        ("grpc://lp_secret@host:1", "LAKEPORT_TOKEN"),
        ("grpc://me:lp_secret@host:1", "LAKEPORT_TOKEN"),
    ],
)
def test_an_address_that_is_none_is_explained(lakeport: Run, address: str, said: str) -> None:
    shown = lakeport("tables", "--server", address)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err
    assert "lp_secret" not in shown.err


@pytest.mark.parametrize("option", ["--token", "--ca", "--cert", "--key"])
def test_what_is_for_a_server_needs_one(lakeport: Run, option: str) -> None:
    shown = lakeport("tables", option, "lp_secret")
    assert shown.code == 2
    assert f"{option} is for a server" in shown.err
    assert "lp_secret" not in shown.err


# -- who asks --------------------------------------------------------------------------------------


def test_tokens_decide_what_is_seen(lakeport: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    project = filled(Path("lake"))
    made = lakeport("token", "create", "ann", "--on", "shop.keyed", "--project", "lake")
    token = made.out.strip()
    with served_here(load(project=project)) as server:
        unknown = lakeport("tables", "--server", server.grpc)
        assert (unknown.code, unknown.out) == (1, "")
        wrong = lakeport("tables", "--server", server.grpc, "--token", token[:-1])
        assert (wrong.code, wrong.err) == (1, unknown.err)
        assert "--token" in wrong.err
        assert "header" not in wrong.err
        assert token[:-1] not in wrong.err
        broken = lakeport("tables", "--server", server.grpc, "--token", "geheim\n")
        assert broken.code == 1
        assert "geheim" not in broken.err
        monkeypatch.setenv("LAKEPORT_SERVER", server.grpc)
        monkeypatch.setenv("LAKEPORT_TOKEN", token)
        assert lakeport("tables").out == "table\nshop.keyed\n1 table in 1 namespace\n"
        assert lakeport("read", "shop.keyed", "--json").code == 0
        denied = lakeport("read", "shop.empty")
        assert (denied.code, denied.err) == (
            1,
            lakeport("read", "shop.none").err.replace("none", "empty"),
        )
        assert token not in lakeport("config", "--json").out


def test_settings_name_a_server_too(server: Running, project: Path, lakeport: Run) -> None:
    assert lakeport("tables", "--set", f"remote.url={server.grpc}").code == 0
    Path("lakeport.toml").write_text(f'[remote]\nurl = "{server.grpc}"\n')
    assert lakeport("tables").out == lakeport("tables", "--project", str(project)).out
    assert not Path(".lakeport").exists()
