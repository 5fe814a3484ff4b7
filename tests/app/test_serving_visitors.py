"""A browser's requests for pages of other sites do not come in, least of all while no token is needed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from lakeport.access import Ability, grants_for
from lakeport.access.tokens import create_token
from lakeport.app.serve import Running, running
from lakeport.app.settings import load
from lakeport.state import Store
from lakeport.web.app import build

PORTS = {"server.grpc": "127.0.0.1:0", "server.http": "127.0.0.1:0"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    project = tmp_path_factory.mktemp("project")
    (project / "lakeport.toml").touch()
    with running(load(project=project, flags=PORTS, variables={}), build) as made:
        yield made


def create(server: Running, namespace: str, **headers: str) -> int:
    """As a page can send it without asking first: no JSON is announced."""
    answer = requests.post(
        f"{server.http}/iceberg/v1/namespaces",
        data=json.dumps({"namespace": [namespace]}).encode(),
        headers={"content-type": "text/plain", **headers},
        timeout=30,
    )
    return answer.status_code


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"host": "evil.example"},
        {"host": "evil.example:8181", "origin": "http://evil.example:8181"},
        {"host": "127.0.0.1.evil.example"},
    ],
)
def test_a_strangers_page_is_refused(server: Running, headers: dict[str, str]) -> None:
    assert create(server, "stolen", **headers) == 403
    found = requests.head(f"{server.http}/iceberg/v1/namespaces/stolen", timeout=30)
    assert found.status_code == 404


def test_programs_and_own_pages_come_in(server: Running) -> None:
    port = server.http.rpartition(":")[2]
    for number, name in enumerate(("127.0.0.1", "localhost", "LOCALHOST", "[::1]")):
        host = f"{name}:{port}"
        assert create(server, f"own_{number}", host=host, origin=f"http://{host}") == 200


def test_with_tokens_a_proxy_may_know_the_server_by_another_name(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").touch()
    with Store.open(f"sqlite:///{tmp_path}/.lakeport/state.db") as store:
        secret, _ = create_token(
            store.tokens, "ann", grants_for([Ability.ADMIN]), now_ns=time.time_ns()
        )
    bearer = f"Bearer {secret}"
    with running(load(project=tmp_path, flags=PORTS, variables={}), build) as server:
        assert create(server, "a", host="lake.example", authorization=bearer) == 200
        assert create(server, "b", host="lake.example") == 401
        own = {"host": "lake.example", "authorization": bearer}
        assert create(server, "b", origin="https://evil.example", **own) == 403
