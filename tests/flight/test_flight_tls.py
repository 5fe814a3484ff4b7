from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.flight as fl
import pytest
import trustme

from lakeport.core.errors import ConfigurationError
from lakeport.flight.call import Call
from lakeport.flight.messages import Action
from lakeport.flight.options import Options, Tls
from lakeport.flight.server import FlightServer
from lakeport.flight.service import FlightService
from tests.flight.conftest import Serve
from tests.flight.services import BATCH, Complete


class Names(FlightService):
    def do_action(self, call: Call, action: Action) -> list[bytes]:
        del action
        return [(call.certificate or "nobody").encode()]


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def tls(authority: trustme.CA, tmp_path: Path) -> Tls:
    issued = authority.issue_cert("localhost")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    issued.cert_chain_pems[0].write_to_path(cert)
    issued.private_key_pem.write_to_path(key)
    return Tls(cert, key)


@pytest.fixture
def mutual(tls: Tls, authority: trustme.CA, tmp_path: Path) -> Tls:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return Tls(tls.cert, tls.key, path)


def connected(server: FlightServer, authority: trustme.CA, **more: Any) -> Any:
    address = f"grpc+tls://localhost:{server.port}"
    connect: Any = fl.FlightClient  # the stubs want PEM as text
    return connect(address, tls_root_certs=authority.cert_pem.bytes(), **more)


def test_rows_are_read_over_tls(
    serve: Serve, tls: Tls, authority: trustme.CA, closing_all: ExitStack
) -> None:
    server = serve(Complete(), Options(tls=tls))
    assert server.address.startswith("grpc+tls://127.0.0.1:")
    client = closing_all.enter_context(connected(server, authority))
    assert client.do_get(fl.Ticket(b"")).read_all() == pa.Table.from_batches([BATCH])


def test_a_server_with_tls_does_not_speak_plain(
    serve: Serve, tls: Tls, closing_all: ExitStack
) -> None:
    server = serve(Complete(), Options(tls=tls))
    client = closing_all.enter_context(fl.connect(f"grpc://127.0.0.1:{server.port}"))
    with pytest.raises(fl.FlightUnavailableError):
        list(client.list_actions(fl.FlightCallOptions(timeout=60)))


def test_a_client_certificate_names_its_bearer(
    serve: Serve, mutual: Tls, authority: trustme.CA, closing_all: ExitStack
) -> None:
    server = serve(Names(), Options(tls=mutual))
    own = authority.issue_cert("reporting.example.com", common_name="reporting")
    client = closing_all.enter_context(
        connected(
            server,
            authority,
            cert_chain=own.cert_chain_pems[0].bytes(),
            private_key=own.private_key_pem.bytes(),
        )
    )
    (result,) = client.do_action(fl.Action("who", b""))
    assert result.body.to_pybytes() == b"reporting"


def test_a_client_without_a_certificate_gets_no_connection(
    serve: Serve, mutual: Tls, authority: trustme.CA, closing_all: ExitStack
) -> None:
    server = serve(Names(), Options(tls=mutual))
    stranger = trustme.CA().issue_cert("reporting.example.com")
    strange: dict[str, bytes] = {
        "cert_chain": stranger.cert_chain_pems[0].bytes(),
        "private_key": stranger.private_key_pem.bytes(),
    }
    for more in ({}, strange):
        client = closing_all.enter_context(connected(server, authority, **more))
        with pytest.raises(fl.FlightUnavailableError):
            list(client.do_action(fl.Action("who", b""), fl.FlightCallOptions(timeout=60)))


def test_certificates_that_cannot_be_used_stop_the_start(tls: Tls, tmp_path: Path) -> None:
    noise = tmp_path / "noise.pem"
    noise.write_text("no certificate")
    other = tmp_path / "other.pem"
    trustme.CA().issue_cert("x").private_key_pem.write_to_path(other)
    for wrong in (
        Tls(noise, tls.key),
        Tls(tls.cert, other),
        Tls(tls.cert, tls.key, noise),
    ):
        server = FlightServer(Complete(), Options(tls=wrong))
        with pytest.raises(ConfigurationError, match="cannot be used") as caught:
            server.start()
        assert str(tmp_path) not in str(caught.value)
        server.stop(0)


@pytest.mark.parametrize("which", ["cert", "key", "client_ca"])
def test_a_file_that_cannot_be_read_is_named_by_its_setting(
    tls: Tls, tmp_path: Path, which: str
) -> None:
    files: dict[str, Path] = {"cert": tls.cert, "key": tls.key}
    server = FlightServer(Complete(), Options(tls=Tls(**(files | {which: tmp_path / "no.pem"}))))
    with pytest.raises(ConfigurationError) as caught:
        server.start()
    assert str(caught.value) == f"`server.tls.{which}` cannot be read: No such file or directory"
    server.stop(0)
