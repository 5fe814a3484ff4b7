"""Our own client against our own server, over real sockets, and against others that talk nonsense."""

# ruff: noqa: ARG002  a service gets more than it needs

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa
import pytest
import trustme

from lakeport.core import errors
from lakeport.core.errors import (
    ConfigurationError,
    ConflictError,
    CorruptDataError,
    InternalError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    UnauthenticatedError,
    UnavailableError,
    UnsupportedError,
)
from lakeport.flight.call import Call
from lakeport.flight.client import FlightClient
from lakeport.flight.dial import DEFAULT_PORT, Proof, Target
from lakeport.flight.handlers import SERVICE
from lakeport.flight.messages import Action
from lakeport.flight.options import Options, Tls
from lakeport.flight.server import FlightServer
from lakeport.flight.service import Chunk, FlightService, Outgoing
from tests.flight.conftest import Serve
from tests.flight.services import BATCH, SCHEMA

Dial = Callable[..., FlightClient]
TOKEN = "lp_1"  # noqa: S105  it opens nothing


class Speaks(FlightService):
    """Repeats an action's body, and gives `batches`; both may fail."""

    def __init__(self, error: BaseException | None = None, batches: Iterable[Chunk] = ()) -> None:
        self.error = error
        self.batches = batches
        self.headers: dict[str, str | None] = {}
        self.closed = threading.Event()

    def do_action(self, call: Call, action: Action) -> list[bytes]:
        names = ("authorization", "lakeport-client")
        self.headers = {name: call.header(name) for name in names}
        if self.error is not None:
            raise self.error
        return [action.body]

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        if self.error is not None:
            raise self.error
        return Outgoing(SCHEMA, self.batches, self.closed.set)


@pytest.fixture
def dial(closing_all: ExitStack) -> Dial:
    def dialled(server: FlightServer, **more: Any) -> FlightClient:
        return closing_all.enter_context(FlightClient(Target.parse(server.address), **more))

    return dialled


def test_an_action_is_answered(serve: Serve, dial: Dial) -> None:
    service = Speaks()
    client = dial(serve(service), token=TOKEN)
    assert client.act("Echo", b"\x00body") == b"\x00body"
    assert service.headers == {"authorization": "Bearer lp_1", "lakeport-client": "1"}
    assert "lp_1" not in repr(client)


def test_rows_come_as_they_were_sent(serve: Serve, dial: Dial) -> None:
    service = Speaks(batches=iter([Chunk(BATCH), Chunk(BATCH, b"progress")]))
    with dial(serve(service)).get(b"ticket") as stream:
        assert stream.schema == SCHEMA
        assert list(stream) == [BATCH, BATCH]
    assert service.closed.wait(60)


def test_a_row_is_there_before_the_next_is_made(serve: Serve, dial: Dial) -> None:
    more = threading.Event()

    def batches() -> Iterator[Chunk]:
        yield Chunk(BATCH)
        assert more.wait(60)
        yield Chunk(BATCH)

    with dial(serve(Speaks(batches=batches()))).get(b"") as stream:
        assert next(stream) == BATCH
        more.set()
        assert next(stream) == BATCH


def test_closing_a_stream_half_way_stops_the_server(serve: Serve, dial: Dial) -> None:
    made = 0

    def endless() -> Iterator[Chunk]:
        nonlocal made
        large = pa.record_batch({"id": pa.array(range(100_000), pa.int64())})
        batch = pa.RecordBatch.from_arrays(
            [large.column(0), pa.nulls(100_000, pa.string())], schema=SCHEMA
        )
        while True:
            made += 1
            yield Chunk(batch)

    service = Speaks(batches=endless())
    with dial(serve(service)).get(b"") as stream:
        assert next(stream).num_rows
    assert service.closed.wait(60)
    # What the network took ahead is bounded, whatever the table's size.
    assert made < 100


KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type)
    and issubclass(kind, LakeportError)
    and kind not in {LakeportError, InternalError}
]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_arrives_as_it_was_raised(
    serve: Serve, dial: Dial, kind: type[LakeportError]
) -> None:
    client = dial(serve(Speaks(kind("what happened: größe", hint="what to do"))))
    for ask in (lambda: client.act("x", b""), lambda: client.get(b"x")):
        with pytest.raises(LakeportError) as caught:
            ask()
        assert type(caught.value) is kind
        assert (caught.value.message, caught.value.hint) == ("what happened: größe", "what to do")


def test_a_bug_of_the_server_is_told_by_its_reference_alone(serve: Serve, dial: Dial) -> None:
    client = dial(serve(Speaks(RuntimeError("/etc/secret"))))
    with pytest.raises(InternalError, match=r"^internal error \(reference \w+\)$"):
        client.act("x", b"")


def test_an_error_after_the_first_rows_is_an_error(serve: Serve, dial: Dial) -> None:
    def batches() -> Iterator[Chunk]:
        yield Chunk(BATCH)
        raise InvalidRequestError("too late")

    with dial(serve(Speaks(batches=batches()))).get(b"") as stream:
        assert next(stream) == BATCH
        with pytest.raises(InvalidRequestError, match="too late"):
            next(stream)


def test_a_server_that_goes_away_mid_stream_is_named(serve: Serve, dial: Dial) -> None:
    go = threading.Event()

    def batches() -> Iterator[Chunk]:
        yield Chunk(BATCH)
        go.wait(60)

    server = serve(Speaks(batches=batches()))
    with dial(server).get(b"") as stream:
        assert next(stream) == BATCH
        server.stop(0)
        with pytest.raises(UnavailableError):
            next(stream)
    go.set()


# -- other servers ---------------------------------------------------------------------------------


@contextmanager
def stranger(answer: Callable[[grpc.ServicerContext], Iterator[bytes]]) -> Iterator[FlightClient]:
    """A gRPC server that is none of ours."""
    handler = grpc.unary_stream_rpc_method_handler(lambda _, context: answer(context))
    methods = {"DoGet": handler, "DoAction": handler}
    with ThreadPoolExecutor(2) as workers:
        server = grpc.server(workers)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            with FlightClient(Target("127.0.0.1", port)) as client:
                yield client
        finally:
            server.stop(0).wait()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.NOT_FOUND, NotFoundError),
        (grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
        (grpc.StatusCode.ABORTED, ConflictError),
        (grpc.StatusCode.UNIMPLEMENTED, UnsupportedError),
        (grpc.StatusCode.UNAUTHENTICATED, UnauthenticatedError),
        (grpc.StatusCode.UNAVAILABLE, UnavailableError),
        (grpc.StatusCode.UNKNOWN, InternalError),
        (grpc.StatusCode.OUT_OF_RANGE, InternalError),
    ],
)
def test_of_other_servers_the_code_counts(code: grpc.StatusCode, kind: type[LakeportError]) -> None:
    def answer(context: grpc.ServicerContext) -> Iterator[bytes]:
        context.set_trailing_metadata((("lakeport-error-bin", b"{}"),))
        context.abort(code, "for reasons")
        yield b""

    with stranger(answer) as client, pytest.raises(LakeportError, match="for reasons") as caught:
        client.act("x", b"")
    assert type(caught.value) is kind


@pytest.mark.parametrize("messages", [[], [b"nonsense"], [b"\x12\x03abc"]])
def test_a_stream_that_is_none_is_corrupt(messages: list[bytes]) -> None:
    with stranger(lambda _: iter(messages)) as client, pytest.raises(CorruptDataError):
        client.get(b"x")


@pytest.mark.parametrize("messages", [[], [b"", b""]])
def test_an_action_has_one_result(messages: list[bytes]) -> None:
    with stranger(lambda _: iter(messages)) as client, pytest.raises(CorruptDataError):
        client.act("x", b"x")


# -- addresses and proofs --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("grpc://localhost", f"grpc://localhost:{DEFAULT_PORT}"),
        ("grpc+tcp://HOST:1/", "grpc://host:1"),
        (" grpc+tls://[::1]:2 ", "grpc+tls://[::1]:2"),
    ],
)
def test_addresses_are_read_as_people_write_them(text: str, shown: str) -> None:
    assert str(Target.parse(text)) == shown


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "größe"])
def test_a_token_that_is_none_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(UnauthenticatedError) as caught:
        FlightClient(Target("localhost", 1), token=token)
    assert not token or token not in str(caught.value)


def test_a_token_on_an_open_line_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        FlightClient(Target("127.0.0.1", 1), token=TOKEN).close()
        FlightClient(Target("lake.example.com", 1, is_encrypted=True), token=TOKEN).close()
        assert not caplog.records
        FlightClient(Target("lake.example.com", 1), token=TOKEN).close()
    (record,) = caplog.records
    assert "lp_1" not in str(vars(record))


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def files(authority: trustme.CA, tmp_path: Path) -> Path:
    """`ca.pem`, the server's `cert.pem` and `key.pem`, a client's `me.pem` with its key."""
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    trustme.CA().cert_pem.write_to_path(tmp_path / "other.pem")
    issued = authority.issue_cert("127.0.0.1")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    authority.issue_cert("ann").private_key_and_cert_chain_pem.write_to_path(tmp_path / "me.pem")
    return tmp_path


def test_a_trusted_server_is_encrypted(serve: Serve, dial: Dial, files: Path) -> None:
    server = serve(Speaks(), Options(tls=Tls(files / "cert.pem", files / "key.pem")))
    assert dial(server, proof=Proof(ca=files / "ca.pem")).act("x", b"1") == b"1"
    for proof in (Proof(), Proof(ca=files / "other.pem")):
        with pytest.raises(UnavailableError, match=r"certificate is not trusted") as caught:
            dial(server, proof=proof).act("x", b"")
        assert caught.value.hint is not None
        assert "--ca" in caught.value.hint


def test_a_client_shows_its_certificate(serve: Serve, dial: Dial, files: Path) -> None:
    tls = Tls(files / "cert.pem", files / "key.pem", files / "ca.pem")
    server = serve(Speaks(), Options(tls=tls))
    known = Proof(files / "ca.pem", files / "me.pem")
    assert dial(server, proof=known).act("x", b"1") == b"1"
    with pytest.raises(UnavailableError) as caught:
        dial(server, proof=Proof(files / "ca.pem")).act("x", b"")
    assert str(server.port) in caught.value.message


def test_the_other_scheme_is_what_was_meant(serve: Serve, files: Path) -> None:
    plain = serve(Speaks())
    encrypted = serve(Speaks(), Options(tls=Tls(files / "cert.pem", files / "key.pem")))
    meant = {
        Target("127.0.0.1", plain.port, is_encrypted=True): f"grpc://127.0.0.1:{plain.port}",
        Target("127.0.0.1", encrypted.port): f"grpc+tls://127.0.0.1:{encrypted.port}",
    }
    for target, address in meant.items():
        with FlightClient(target) as client, pytest.raises(UnavailableError) as caught:
            client.act("x", b"")
        assert caught.value.hint is not None
        assert address in caught.value.hint


def test_proofs_that_prove_nothing_are_refused(files: Path) -> None:
    far = Target("localhost", 1, is_encrypted=True)
    for target, proof in (
        (far, Proof(ca=files / "none.pem")),
        (far, Proof(ca=files / "key.pem")),
        (far, Proof(cert=files / "cert.pem")),
        (far, Proof(cert=files / "cert.pem", key=files / "me.pem")),
        (far, Proof(key=files / "key.pem")),
        (Target("localhost", 1), Proof(ca=files / "ca.pem")),
    ):
        with pytest.raises(ConfigurationError) as caught:
            FlightClient(target, proof=proof)
        assert str(files) not in str(caught.value)
