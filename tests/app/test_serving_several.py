"""One server, several catalogs: which one a call means, who may see which, and one that is broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

import lakeport
from lakeport.access import Ability
from lakeport.app.serve import Running, running
from lakeport.app.settings import load
from lakeport.core.errors import UnavailableError
from lakeport.web.app import build
from tests.app.test_serving import ANYWHERE, fl, rows_of, token_for

TWO = "[catalogs.archive]\n"
# Nobody listens on port 1.
BROKEN = TWO + '[catalogs.far]\nuri = "http://127.0.0.1:1/catalog"\n'


def fill(project: Path, catalog: str | None, name: str, ids: list[int]) -> None:
    with lakeport.open(project, catalog=catalog) as lake:
        rows = pa.table({"id": ids})
        lake.create_table(name, rows.schema).append(rows)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakeport.toml").write_text(TWO)
    fill(tmp_path, None, "shop.orders", [1, 2])
    fill(tmp_path, "archive", "shop.orders", [3])
    fill(tmp_path, "archive", "old.orders", [4])
    return tmp_path


@contextmanager
def serving(project: Path) -> Iterator[tuple[Running, Any]]:
    settings = load(project=project, flags=ANYWHERE, variables={})
    with running(settings, build) as server, fl.FlightClient(server.grpc) as client:
        yield server, client


def meaning(catalog: str) -> Any:
    return fl.FlightCallOptions(headers=[(b"airport-catalog", catalog.encode())])


def ids(rows: list[dict[str, Any]]) -> list[int]:
    return [row["id"] for row in rows]


def packed(client: Any, action: str, body: dict[str, object], options: Any = None) -> Any:
    (result,) = client.do_action(fl.Action(action, msgpack.packb(body)), options)
    return msgpack.unpackb(result.body.to_pybytes())


def test_a_call_means_the_catalog_it_names_or_the_first(project: Path) -> None:
    with serving(project) as (_, client):
        assert ids(rows_of(client, "shop", "orders")) == [1, 2]
        assert ids(rows_of(client, "lake", "shop", "orders")) == [1, 2]
        assert ids(rows_of(client, "archive", "shop", "orders")) == [3]
        assert ids(rows_of(client, "shop", "orders", options=meaning("archive"))) == [3]
        assert ids(rows_of(client, "ARCHIVE", "old", "orders")) == [4]
        with pytest.raises(pa.ArrowKeyError, match="no catalog `archiv`"):
            rows_of(client, "archiv", "shop", "orders")
        with pytest.raises(pa.ArrowInvalid, match="its header"):
            rows_of(client, "lake", "shop", "orders", options=meaning("archive"))


def test_each_is_listed_under_its_own_name(project: Path) -> None:
    with serving(project) as (_, client):
        listed = {tuple(info.descriptor.path or ()) for info in client.list_flights()}
        assert {(b"shop", b"orders"), (b"archive", b"shop", b"orders")} <= {
            tuple(part for part in path if not part.startswith(b"@")) for path in listed
        }
        names = rows_of(client, "__databases")
        assert [row["name"] for row in names] == ["lake", "archive"]
        assert rows_of(client, "archive", "lakeport", "tables")[0]["namespace"] == "old"


def test_each_has_a_version_of_its_own(project: Path) -> None:
    with serving(project) as (_, client):

        def versions() -> list[int]:
            return [
                packed(client, "catalog_version", {"catalog_name": name})["catalog_version"]
                for name in ("lake", "archive")
            ]

        before = versions()
        fill(project, "archive", "old.more", [5])
        after = versions()
    assert after[0] == before[0]
    assert after[1] > before[1]


def test_grants_may_be_for_one_catalog(project: Path) -> None:
    ann = token_for(project, "ann", Ability.READ, "shop.*", catalogs=["arch*"])
    with serving(project) as (_, client):
        assert ids(rows_of(client, "archive", "shop", "orders", options=ann)) == [3]
        assert [row["name"] for row in rows_of(client, "__databases", options=ann)] == ["archive"]
        listed = [info.descriptor.path for info in client.list_flights(options=ann)]
        assert {path[0] for path in listed} == {b"archive"}
        for path in (("shop", "orders"), ("lake", "shop", "orders"), ("archive", "old", "orders")):
            with pytest.raises(fl.FlightUnauthorizedError):
                rows_of(client, *path, options=ann)


def test_an_admin_of_a_catalog_sees_what_others_did_and_tried_there(project: Path) -> None:
    admin = token_for(project, "keeper", Ability.ADMIN, "*", catalogs=["archive"])
    ann = token_for(project, "ann", Ability.READ, "shop.*")
    with serving(project) as (_, client):
        rows_of(client, "shop", "orders", options=ann)
        list(client.do_action(fl.Action("GetSchemas", b'{"catalog_name": "archive"}'), ann))
        with pytest.raises(fl.FlightUnauthorizedError):
            rows_of(client, "archive", "old", "orders", options=ann)
        audit = rows_of(client, "archive", "lakeport", "audit", options=admin)
    found = [
        (row["action"] or row["method"], row["catalog"], row["namespace"], row["outcome"])
        for row in audit
        if row["identity"] == "ann"
    ]
    assert found == [
        ("GetSchemas", "archive", None, "OK"),
        ("GetFlightInfo", "archive", "old", "PERMISSION_DENIED"),
    ]


def test_a_person_is_told_how_to_attach_each(project: Path) -> None:
    with serving(project) as (server, _):
        attach = server.greeting.statements()[2:]
    assert attach == (
        f"ATTACH 'lake' AS \"lake\" (TYPE airport, LOCATION '{server.grpc}');",
        f"ATTACH 'archive' AS \"archive\" (TYPE airport, LOCATION '{server.grpc}');",
    )


def test_one_that_is_broken_leaves_the_others_alone(project: Path) -> None:
    (project / "lakeport.toml").write_text(BROKEN)
    with serving(project) as (server, client):
        (notice,) = server.greeting.notices
        assert notice.startswith("catalog `far` is UNAVAILABLE until it can be reached: the rest ")
        assert ids(rows_of(client, "archive", "shop", "orders")) == [3]
        assert [row["name"] for row in rows_of(client, "__databases")][2] == "far"
        with pytest.raises(fl.FlightUnavailableError) as caught:
            rows_of(client, "far", "shop", "orders")
        assert "catalog `far` cannot be reached" in str(caught.value)
        assert "127.0.0.1:1/" not in str(caught.value)
        with pytest.raises(fl.FlightUnavailableError):
            packed(client, "list_schemas", {"catalog_name": "far"})
        # What names no catalog is about those that answer.
        assert len(list(client.list_flights())) >= 3
        with urlopen(f"{server.http}/ready") as answer:  # noqa: S310  our own server
            assert json.load(answer) == {
                "status": "ready",
                "reason": "1 of 3 catalogs cannot be reached",
            }


def test_a_server_of_which_nothing_answers_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_text('[catalog]\nuri = "http://127.0.0.1:1/catalog"\n')
    with pytest.raises(UnavailableError, match="the rest catalog `lake`"), serving(tmp_path):
        pass


def test_names_that_clients_cannot_reach_are_told_at_the_start(project: Path) -> None:
    fill(project, "archive", "main.t", [1])
    fill(project, "archive", "lakeport.t", [1])
    with serving(project) as (server, client):
        assert [notice.partition(" is not ")[0] for notice in server.greeting.notices] == [
            "in catalog `archive`, the namespace `main`",
            "in catalog `archive`, the catalog's own namespace `lakeport`",
        ]
        assert ids(rows_of(client, "archive", "main", "t")) == [1]
        with pytest.raises(pa.ArrowKeyError):
            rows_of(client, "archive", "lakeport", "t")
