"""Many small messages of one call, sent by gRPC's own thread without waking the call's for each of them.

grpcio sends a stream by hand-overs: the call's thread starts one message and sleeps until gRPC's thread says
that it was taken. A message of a hundred bytes costs little beside that, and nothing beside what it costs
while scans hold Python's lock (39 of them, measured: 2.1 ms so, 0.6 ms in a volley). No public function of
grpcio does it. What is used here is what its `_send_response` uses; where a version has it no longer,
messages are sent one by one.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import grpc

_log = logging.getLogger(__name__)
_TOKEN = "volley"  # noqa: S105  among those of grpcio, for what a call still waits for

_BYTES = 64 << 10  # of one call, in gRPC's memory
_inside: Any = import_module("grpc._server")
_cygrpc: Any = import_module("grpc._cython.cygrpc")
_NEEDED = (
    (_inside, "_get_initial_metadata_operation"),
    (_inside, "_is_rpc_state_active"),
    (_inside, "_possibly_finish_call"),
    (_cygrpc, "SendMessageOperation"),
    (_cygrpc, "WriteFlag"),
    (_cygrpc, "CallError"),
)
_IS_KNOWN = all(hasattr(place, name) for place, name in _NEEDED)


def volleys(messages: Iterable[bytes]) -> Iterator[Sequence[bytes]]:
    """As they come, in as many at a time as gRPC may hold for one call."""
    gathered: list[bytes] = []
    size = 0
    for message in messages:
        gathered.append(message)
        size += len(message)
        if size >= _BYTES:
            yield gathered
            gathered, size = [], 0
    if gathered:
        yield gathered


class Volley:
    """For a call whose thread has nothing else under way.

    The last of them is waited for until the network takes it; those before may wait in gRPC's memory
    until then, and so go out together.
    """

    def __init__(self, context: grpc.ServicerContext, messages: Sequence[bytes]) -> None:
        self._call: Any = getattr(getattr(context, "_rpc_event", None), "call", None)
        self._state: Any = getattr(context, "_state", None)
        self._messages = deque(messages)

    @property
    def is_possible(self) -> bool:
        return _IS_KNOWN and self._call is not None and hasattr(self._state, "due")

    def send(self, headers: Sequence[tuple[str, str]] = ()) -> bool:
        """Whether all were taken and the call goes on. The headers are for an answer not begun yet."""
        state = self._state
        with state.condition:
            if _inside._is_rpc_state_active(state) and self._send_next(*self._opening(headers)):  # noqa: SLF001
                state.due.add(_TOKEN)  # the call is not over while something of it is under way
            while _TOKEN in state.due:
                state.condition.wait()
            is_active: bool = _inside._is_rpc_state_active(state)  # noqa: SLF001
        return is_active and not self._messages

    def __call__(self, event: Any) -> Any:
        """By gRPC's thread, once a message was taken; what it gives is grpcio's to act on."""
        if event.success and self._messages and self._send_next():
            return None, ()
        with self._state.condition:
            self._state.condition.notify_all()
            return _inside._possibly_finish_call(self._state, _TOKEN)  # noqa: SLF001

    def _opening(self, headers: Sequence[tuple[str, str]]) -> Sequence[Any]:
        """What goes before the first message of an answer."""
        if not self._state.initial_metadata_allowed:
            return ()
        self._state.initial_metadata_allowed = False
        return (_inside._get_initial_metadata_operation(self._state, tuple(headers)),)  # noqa: SLF001

    def _send_next(self, *before: Any) -> bool:
        # Initial metadata is sent at once or never: a message in its batch must not wait.
        at_once = before or len(self._messages) == 1
        flags = 0 if at_once else _cygrpc.WriteFlag.buffer_hint
        message = self._messages.popleft()
        try:
            send = _cygrpc.SendMessageOperation(message, flags)
            begun = self._call.start_server_batch((*before, send), self)
            is_begun: bool = begun == _cygrpc.CallError.ok
        except Exception:  # noqa: BLE001  raised in gRPC's thread it would end the server
            _log.exception("call.volley_failed")
            is_begun = False
        if not is_begun:
            self._messages.appendleft(message)
        return is_begun
