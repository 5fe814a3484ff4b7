"""One gRPC call from its arrival to its end: admission, deadlines, the translation of errors.

Whatever happens in a handler, the client gets an exact code and a text of ours, one line goes to the
log, and what the call held is free again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import NoReturn, Self

import grpc

from lakeport.core.errors import CancelledError, DeadlineError, LakeportError
from lakeport.core.status import GrpcCode, status_of
from lakeport.flight.call import Call, Method, Watcher
from lakeport.flight.deadlines import Deadlines, Watched
from lakeport.flight.gate import Gate
from lakeport.flight.inside import inside_of
from lakeport.flight.limits import Limits
from lakeport.flight.status import refusal
from lakeport.flight.turn import Turn
from lakeport.flight.volley import Volley, volleys
from lakeport.flight.workers import Workers

_log = logging.getLogger(__name__)
_CODES = {code.value[0]: code for code in grpc.StatusCode}
_SETTLE_SECONDS = 0.005
_SETTLE_TURNS = 20
_NO_DEADLINE = 1e8  # seconds: what gRPC says when the client set none


@dataclass(frozen=True, slots=True)
class House:
    """What all calls of a server share."""

    gate: Gate
    deadlines: Deadlines
    workers: Workers
    limits: Limits
    watchers: tuple[Watcher, ...] = ()


class Rpc:
    """A context manager around a handler's work; errors inside become the status of the call."""

    def __init__(self, house: House, method: Method, context: grpc.ServicerContext) -> None:
        self._house = house
        self._context = context
        self._stack = ExitStack()
        self._watched: Watched | None = None
        self._over = threading.Event()
        self._inside = inside_of(context)
        self._turn: Turn | None = None
        self._held: bytes | None = None  # an answer that goes when the next message is asked for
        deadline, limit = _deadline(context, house.limits.call_seconds)
        self.call = Call(
            method,
            (*(context.invocation_metadata() or ()), *_authority(context)),
            peer=context.peer(),
            certificate=_certificate(context),
            deadline=deadline,
            deadline_limit=limit,
        )

    def __enter__(self) -> Self:
        for watcher in self._house.watchers:
            _told(watcher.began, self.call)
        return self

    def admit(self, authenticate: Callable[[Call], None]) -> None:
        """First thing in the `with` block, so that a refusal is an answer like any other.

        How busy the server is, is told to those alone who may use it.
        """
        watch = self._house.deadlines.watch(self.call, self._end_from_outside)
        self._watched = self._stack.enter_context(watch)
        if not self._context.add_callback(self._gone):
            raise CancelledError("the caller went away")
        authenticate(self.call)
        self._stack.enter_context(self._house.gate.enter(self.call.method))

    def received(self, requests: Iterator[bytes]) -> Iterator[bytes]:
        """The client's messages. A client that died is an error here, never the end of its stream."""
        watched = self._client_turn()
        while True:
            watched.waiting_since = time.monotonic()  # as `with watched`, for less
            try:
                request = next(requests, None) if self._held is None else self._turned()
            except grpc.RpcError:
                raise self._end_reason() from None
            finally:
                watched.waiting_since = None
            if request is None:
                break
            self._house.limits.weigh(len(request))
            yield request
        if self._is_lost():
            raise self._end_reason()

    def _is_lost(self) -> bool:
        """Whether the end of the input was a connection's and not the client's word.

        gRPC learns of a lost connection as the end of the input first, and a moment later as the end of
        the call. Measured without a pause: five of twelve killed writers looked finished. A pause that
        took much longer than it should have means that gRPC's threads wait for their turn as well; the one
        that tells us is waited for.
        """
        for _ in range(_SETTLE_TURNS):
            began = time.monotonic()
            if self._over.wait(_SETTLE_SECONDS):
                return True
            if time.monotonic() - began < 2 * _SETTLE_SECONDS:
                break
        return self._over.is_set() or (self._inside is not None and self._inside.is_left())

    def sent(self, message: bytes) -> Iterator[bytes]:
        self._send_headers()
        self.call.traffic.bytes_out += len(message)
        with self._client_turn():
            yield message

    def streamed(self, messages: Iterable[bytes]) -> Iterator[bytes]:
        """One at a time: the next is asked for once the network took the last."""
        for message in messages:
            yield from self.sent(message)
        self._send_headers()

    def in_turn(self, messages: Iterable[bytes]) -> Iterator[bytes]:
        """Those between which the client's next message is asked for: both are one step."""
        if self._inside is None:
            yield from self.streamed(messages)
            return
        messages = iter(messages)
        for first in messages:
            yield from self.sent(first)  # with the headers
            break
        self._turn = Turn(self._inside)
        try:
            for message in messages:
                if self._held is not None:
                    yield from self._let_go()
                self._held = message
        except Exception:
            yield from self._let_go()  # what was answered before something failed
            raise
        yield from self._let_go()

    def listed(self, messages: Iterable[bytes]) -> Iterator[bytes]:
        """Small ones, as many at once as are ready."""
        for together in volleys(messages):
            if len(together) > 1 and self._inside is not None:
                self._send(Volley(self._inside, together))
                self.call.traffic.bytes_out += sum(map(len, together))
            else:
                for message in together:
                    yield from self.sent(message)
        self._send_headers()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self.call.end(None)
            elif isinstance(error, GeneratorExit):  # gRPC dropped the stream: nobody listens
                self._end(self._end_reason(), status_of(self._end_reason()).grpc)
            else:
                self._refuse(error)
        finally:
            self._stack.close()
            for watcher in self._house.watchers:
                _told(watcher.ended, self.call)
            _log_line(self.call)

    def _send_headers(self) -> None:
        if self.call.answer_headers:
            self._context.send_initial_metadata(self._take_headers())

    def _take_headers(self) -> tuple[tuple[str, str], ...]:
        headers, self.call.answer_headers = self.call.answer_headers, []
        return tuple(headers)

    def _turned(self) -> bytes | None:
        """What the client says to the answer that was held."""
        message, self._held = self._held, None
        if self._turn is None or message is None:
            raise AssertionError  # nothing is held outside of `in_turn`
        if not self._turn.answer(message):
            raise self._end_reason()
        self.call.traffic.bytes_out += len(message)
        heard, is_lost = self._turn.hear()
        if is_lost:
            raise self._end_reason()
        return heard

    def _let_go(self) -> Iterator[bytes]:
        message, self._held = self._held, None
        if message is not None:
            yield from self.sent(message)

    def _send(self, volley: Volley) -> None:
        with self._client_turn():
            is_sent = volley.send(self._take_headers())
        if not is_sent:
            raise self._end_reason()

    def _refuse(self, error: BaseException) -> NoReturn:
        if (
            self._over.is_set() or not self.call.is_active
        ):  # it failed because it was ended: nobody is left to be told
            error = self._end_reason()
        shown = refusal(error, self.call)
        self._end(error, shown.code)
        self._context.set_trailing_metadata(shown.trailers)
        self._context.abort(_CODES[shown.code], shown.text)
        raise AssertionError  # abort always raises

    def _end(self, error: BaseException, code: GrpcCode) -> None:
        if isinstance(error, LakeportError):
            self.call.limit = error.details.get("limit")
        self.call.end(code)

    def _client_turn(self) -> Watched:
        if self._watched is None:
            raise AssertionError  # messages move only after `admit`
        return self._watched

    def _end_reason(self) -> LakeportError:
        overdue = self._watched.overdue if self._watched else None
        return overdue or CancelledError("the caller went away")

    def _end_from_outside(self, error: DeadlineError) -> None:
        # The public `cancel` shows CANCELLED; the call underneath also takes a status, and sends it
        # past the rows that nobody reads.
        event = getattr(self._context, "_rpc_event", None)
        if event is None:
            self._context.cancel()
        else:
            event.call.cancel(GrpcCode.DEADLINE_EXCEEDED.value, str(error))

    def _gone(self) -> None:
        """Called by gRPC's own thread, which has other calls to serve."""
        self._over.set()
        if self.call.is_active:
            self._house.workers.submit(self.call.end, status_of(self._end_reason()).grpc)


def _deadline(context: grpc.ServicerContext, most: float | None) -> tuple[float | None, str | None]:
    """The caller's or ours, whichever comes first, with the name of ours if it is."""
    left = context.time_remaining()
    if left is not None and left < min(_NO_DEADLINE, most or _NO_DEADLINE):
        return time.monotonic() + left, None
    return (None, None) if most is None else (time.monotonic() + most, "call_seconds")


def _authority(context: grpc.ServicerContext) -> tuple[tuple[str, str], ...]:
    """The host and port that the client dialled, under HTTP/2's own name for it.

    gRPC's public objects do not show it; without it a server behind a proxy only knows its own name.
    """
    details = getattr(getattr(context, "_rpc_event", None), "call_details", None)
    host = getattr(details, "host", None)
    return ((":authority", host.decode("utf-8", "replace")),) if isinstance(host, bytes) else ()


def _certificate(context: grpc.ServicerContext) -> str | None:
    names = context.auth_context()
    for key in ("x509_common_name", "x509_subject_alternative_name"):
        for name in names.get(key, ()):
            return bytes(name).decode("utf-8", "replace")
    return None


def _told(tell: Callable[[Call], None], call: Call) -> None:
    try:
        tell(call)
    except Exception:  # noqa: BLE001  metrics or audit must not fail the call
        _log.exception("call.watcher_failed")


def _log_line(call: Call) -> None:
    """Never a ticket, a descriptor or a body: they hold what users look for."""
    if _log.isEnabledFor(logging.INFO):
        _log.info(
            "call.done",
            extra={
                "method": call.method.value,
                "action": call.header("airport-action-name"),
                "trace": call.header("airport-trace-id"),
                "outcome": "OK" if call.code is None else call.code.name,
                "ms": round(1_000 * (call.seconds or 0.0), 1),
                **asdict(call.traffic),
            },
        )
