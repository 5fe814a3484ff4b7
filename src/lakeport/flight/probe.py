"""A client that sees a server's messages as they were sent, and never waits for ever.

`FlightClient` believes a server's answers or refuses them; this one shows bytes, codes and trailers to
whoever judges the server. Every wait ends: a server that is silent is overdue, which is an answer, too.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeAlias

import grpc

from lakeport.core.closing import Closing
from lakeport.core.errors import LakeportError
from lakeport.core.status import GrpcCode
from lakeport.flight.begin import begun
from lakeport.flight.call import Method
from lakeport.flight.dial import Proof, Target, open_channel
from lakeport.flight.handlers import SERVICE
from lakeport.flight.told import told

Headers: TypeAlias = Iterable[tuple[str, str]]

_UNARY = (Method.GET_FLIGHT_INFO, Method.POLL_FLIGHT_INFO, Method.GET_SCHEMA)
_LONGEST = 4  # an exchange may take so many waits before the whole call is overdue


@dataclass(eq=False)
class CallFailedError(Exception):
    """How a call ended that did not end well. `is_overdue`: by our own clock, and nothing was said."""

    code: GrpcCode
    text: str
    trailers: Mapping[str, str | bytes]
    means: LakeportError
    is_overdue: bool = False

    def __str__(self) -> str:
        return "no answer in time" if self.is_overdue else f"{self.code.name}: {self.text}"


class Conversation:
    """Messages both ways, or one way after a first message. What is said waits for nobody."""

    def __init__(self, start: Any, target: Target, seconds: float, first: bytes | None) -> None:
        self._said: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._heard: queue.SimpleQueue[bytes | CallFailedError | None] = queue.SimpleQueue()
        self._target = target
        self._seconds = seconds
        self._is_over = False
        said = iter(self._said.get, None) if first is None else first
        self._call: Any = begun(lambda: start(said, timeout=_LONGEST * seconds))
        threading.Thread(target=self._listen, daemon=True).start()

    def say(self, message: bytes) -> None:
        self._said.put(message)

    def half_close(self) -> None:
        self._said.put(None)

    def hear(self, seconds: float | None = None) -> bytes | None:
        """The next message; None at a good end."""
        if self._is_over:
            return None
        try:
            heard = self._heard.get(timeout=self._seconds if seconds is None else seconds)
        except queue.Empty:
            raise overdue(self._target) from None
        if isinstance(heard, bytes):
            return heard
        self._is_over = True
        if heard is None:
            return None
        raise heard

    def __iter__(self) -> Iterator[bytes]:
        while (message := self.hear()) is not None:
            yield message

    def cancel(self) -> None:
        """Of no effect once the call has ended."""
        self._call.cancel()
        self._said.put(None)

    def _listen(self) -> None:
        try:
            for message in self._call:
                self._heard.put(message)
        except grpc.RpcError as failure:
            self._heard.put(_failed(failure, self._target, is_overdue=False))
        else:
            self._heard.put(None)
        self._said.put(None)  # gRPC's thread waits for what nobody will say


class Probe(Closing):
    """`seconds` is how long a server may be silent."""

    def __init__(self, target: Target, proof: Proof, seconds: float) -> None:
        self.target = target
        self.seconds = seconds
        self._proof = proof
        self._channel = open_channel(target, proof)

    def beside(self, target: Target) -> Probe:
        """Another connection; certificates go to where there is TLS."""
        return Probe(target, self._proof if target.is_encrypted else Proof(), self.seconds)

    def ask(self, method: Method, request: bytes, headers: Headers) -> list[bytes]:
        """Every message of the answer."""
        path, given = f"/{SERVICE}/{method}", tuple(headers)
        began = monotonic()
        try:
            if method in _UNARY:
                unary: Any = self._channel.unary_unary(path)
                return [unary(request, metadata=given, timeout=self.seconds)]
            stream: Any = self._channel.unary_stream(path)
            return list(begun(lambda: stream(request, metadata=given, timeout=self.seconds)))
        except grpc.RpcError as failure:
            is_late = monotonic() - began >= self.seconds
            raise _failed(failure, self.target, is_overdue=is_late) from None

    def get(self, request: bytes, headers: Headers) -> Conversation:
        return self._talk(Method.DO_GET, headers, request)

    def exchange(self, headers: Headers) -> Conversation:
        return self._talk(Method.DO_EXCHANGE, headers, None)

    def close(self) -> None:
        self._channel.close()

    def _talk(self, method: Method, headers: Headers, first: bytes | None) -> Conversation:
        path, given = f"/{SERVICE}/{method}", tuple(headers)
        stub: Any = (
            self._channel.stream_stream(path) if first is None else self._channel.unary_stream(path)
        )

        def start(messages: Any, timeout: float) -> Any:
            return stub(messages, metadata=given, timeout=timeout)

        return Conversation(start, self.target, self.seconds, first)


def overdue(target: Target) -> CallFailedError:
    means = LakeportError(f"{target} did not answer in time")
    return CallFailedError(GrpcCode.DEADLINE_EXCEEDED, "", {}, means, is_overdue=True)


def _failed(failure: grpc.RpcError, target: Target, *, is_overdue: bool) -> CallFailedError:
    call: Any = failure  # grpc.Call by contract, which its own types do not say
    code = GrpcCode(call.code().value[0])
    late = is_overdue and code is GrpcCode.DEADLINE_EXCEEDED
    trailers = dict(call.trailing_metadata() or ())
    return CallFailedError(code, call.details() or "", trailers, told(failure, target), late)
