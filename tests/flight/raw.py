"""A Flight client on bare gRPC, which shows exact codes, trailers and bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import grpc

AIRPORT = (("airport-user-agent", "airport/20250723"),)
_UNARY = ("GetFlightInfo", "PollFlightInfo", "GetSchema")
_TWO_WAY = ("Handshake", "DoPut", "DoExchange")

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Failure:
    code: grpc.StatusCode
    text: str
    trailers: dict[str, str | bytes]


class RawClient:
    def __init__(
        self, target: str, *, service: str = "arrow.flight.protocol.FlightService"
    ) -> None:
        options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        self._channel: Any = grpc.insecure_channel(target, options=options)
        self._service = service

    def start(
        self,
        method: str,
        request: bytes | Iterable[bytes] = b"",
        headers: Headers = (),
        timeout: float | None = 30,
    ) -> Any:
        """The call's answer or, for a stream, the running call."""
        path = f"/{self._service}/{method}"
        if method in _UNARY:
            return self._channel.unary_unary(path)(request, metadata=headers, timeout=timeout)
        if method in _TWO_WAY:
            requests = iter([request] if isinstance(request, bytes) else request)
            return self._channel.stream_stream(path)(requests, metadata=headers, timeout=timeout)
        return self._channel.unary_stream(path)(request, metadata=headers, timeout=timeout)

    def ask(
        self, method: str, request: bytes | Iterable[bytes] = b"", headers: Headers = ()
    ) -> list[bytes]:
        answer = self.start(method, request, headers)
        return [answer] if isinstance(answer, bytes) else list(answer)

    def ask_once(self, method: str, request: bytes) -> bytes:
        """A method of another service, with one answer."""
        answer: bytes = self._channel.unary_unary(f"/{self._service}/{method}")(request, timeout=30)
        return answer

    def failure(
        self, method: str, request: bytes | Iterable[bytes] = b"", headers: Headers = ()
    ) -> Failure:
        try:
            self.ask(method, request, headers)
        except grpc.RpcError as error:
            return failure_of(error)
        raise AssertionError(f"{method} did not fail")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._channel.close()


def failure_of(error: Any) -> Failure:
    trailers = dict(error.trailing_metadata() or ())
    return Failure(error.code(), error.details(), trailers)
