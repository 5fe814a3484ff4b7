from __future__ import annotations

import http.client
import importlib
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme

from lakeport.access import Ability
from lakeport.access.grants import grants_for
from lakeport.access.tokens import create_token
from lakeport.app.serve import Running, running
from lakeport.app.settings import Settings, load
from lakeport.core.errors import ConfigurationError
from lakeport.state import Store
from lakeport.web.app import build

# The published types of the client differ from what it does.
fl: Any = importlib.import_module("pyarrow.flight")


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def project(tmp_path: Path, authority: trustme.CA) -> Path:
    (tmp_path / "lakeport.toml").write_text(
        '[server]\ngrpc = "127.0.0.1:0"\nhttp = "127.0.0.1:0"\n'
        'tls = {cert = "cert.pem", key = "key.pem"}\n'
    )
    issued = authority.issue_cert("localhost", "127.0.0.1")
    issued.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    issued.cert_chain_pems[0].write_to_path(str(tmp_path / "cert.pem"))
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return tmp_path


def settings_of(project: Path, **flags: object) -> Settings:
    named = {name.replace("__", "."): value for name, value in flags.items()}
    return load(project=project, flags=named, variables={})


@contextmanager
def serving(settings: Settings) -> Iterator[Running]:
    with running(settings, build) as server:
        yield server


def status_of(server: Running, trusted: ssl.SSLContext, path: str) -> int:
    place = server.http.removeprefix("https://")
    with closing(http.client.HTTPSConnection(place, timeout=30, context=trusted)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def test_one_certificate_encrypts_both_ports(project: Path, authority: trustme.CA) -> None:
    with serving(settings_of(project)) as server:
        assert server.grpc.startswith("grpc+tls://127.0.0.1:")
        assert status_of(server, trusting(authority), "/ready") == 200
        assert server.greeting.iceberg == f"{server.http}/iceberg"
        assert status_of(server, trusting(authority), "/iceberg/v1/config") == 200
        roots = (project / "ca.pem").read_bytes()
        with fl.FlightClient(server.grpc, tls_root_certs=roots) as client:
            assert list(client.list_flights())
        with (
            fl.FlightClient(server.grpc.replace("grpc+tls", "grpc")) as plain,
            pytest.raises(fl.FlightUnavailableError),
        ):
            list(plain.list_flights())


def test_with_an_authority_for_clients_both_ports_want_a_certificate(
    project: Path, authority: trustme.CA
) -> None:
    settings = settings_of(project, server__tls__client_ca=str(project / "ca.pem"))
    known = trusting(authority)
    authority.issue_cert("ann@example.com").configure_cert(known)
    with serving(settings) as server:
        assert status_of(server, known, "/health") == 200
        with pytest.raises((ssl.SSLError, ConnectionError)):
            status_of(server, trusting(authority), "/health")


def test_beyond_this_machine_there_must_be_a_token_first(project: Path) -> None:
    settings = settings_of(project, server__grpc="0.0.0.0:0")
    with pytest.raises(ConfigurationError, match="no token yet"), serving(settings):
        pass
    with Store.open(settings.state.uri or "") as store:
        grants = grants_for([Ability.READ])
        create_token(store.tokens, "ann", grants, now_ns=time.time_ns(), lifetime_ns=None)
    with serving(settings) as server:
        assert not server.greeting.is_open
        # Any address is none that a client could be sent to.
        assert server.grpc.startswith("grpc+tls://0.0.0.0:")
        assert socket.gethostname() in server.greeting.location


def test_the_public_address_is_what_clients_are_told(project: Path) -> None:
    public = "grpc+tls://lake.example.com:443"
    with serving(settings_of(project, server__public_address=public)) as server:
        assert public in server.greeting.statements()[-1]
        assert server.grpc != public


def test_a_key_that_is_none_is_said_before_a_port_listens(project: Path) -> None:
    (project / "key.pem").write_text("nothing")
    with (
        pytest.raises(ConfigurationError, match="certificate or key"),
        serving(settings_of(project)),
    ):
        pass
