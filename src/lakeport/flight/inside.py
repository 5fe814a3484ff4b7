"""What grpcio's own server uses to send and to receive, for those who do it in other steps than it does.

No public function of grpcio does it. Where a version has it no longer, or a context is another's, there is
none (`inside_of`), and messages go one by one as grpcio sends them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import grpc

_log = logging.getLogger(__name__)
_server: Any = import_module("grpc._server")
_cygrpc: Any = import_module("grpc._cython.cygrpc")
_NEEDED = (
    (_server, "_get_initial_metadata_operation"),
    (_server, "_is_rpc_state_active"),
    (_server, "_possibly_finish_call"),
    (_server, "_OPEN"),
    (_server, "_CLOSED"),
    (_cygrpc, "SendMessageOperation"),
    (_cygrpc, "ReceiveMessageOperation"),
    (_cygrpc, "WriteFlag"),
    (_cygrpc, "CallError"),
)
_IS_KNOWN = all(hasattr(place, name) for place, name in _NEEDED)

_TOKEN = "settled"  # noqa: S105  among those of grpcio, for what a call still waits for

Headers: TypeAlias = Sequence[tuple[str, str]]
Done: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Inside:
    """One call. `state.condition` is held by whoever looks at `state`."""

    call: Any
    state: Any

    def is_active(self) -> bool:
        active: bool = _server._is_rpc_state_active(self.state)  # noqa: SLF001
        return active

    def opening(self, headers: Headers) -> Sequence[Any]:
        """What goes before the first message of an answer; nothing before the others."""
        if not self.state.initial_metadata_allowed:
            return ()
        self.state.initial_metadata_allowed = False
        return (_server._get_initial_metadata_operation(self.state, tuple(headers)),)  # noqa: SLF001

    def message(self, message: bytes, *, may_wait: bool = False) -> Any:
        """With `may_wait` gRPC may keep it for the next one."""
        return _cygrpc.SendMessageOperation(message, _cygrpc.WriteFlag.buffer_hint * may_wait)

    def turn(self, message: bytes, done: Done) -> bool:
        """Send it, and receive the client's next message: whether both are under way."""
        if not _server._is_rpc_state_active(self.state):  # noqa: SLF001
            return False
        steps = (_cygrpc.SendMessageOperation(message, 0), _cygrpc.ReceiveMessageOperation(0))
        return self.start(steps, done)

    def start(self, steps: Sequence[Any], done: Done) -> bool:
        """Whether they are under way; `done` is called by gRPC's thread after the last of them. Never
        raises: in that thread it would end the server.
        """
        try:
            begun = self.call.start_server_batch(steps, done)
        except Exception:  # noqa: BLE001  as above
            _log.exception("call.start_failed")
            return False
        return bool(begun == _cygrpc.CallError.ok)

    def is_left(self) -> bool:
        """Whether the client is gone, once gRPC's thread has come to all that had happened before this was asked.

        It takes what happens one by one: what has nothing to do comes after that.
        """
        passed = threading.Lock()
        passed.acquire()

        def done(_: Any) -> Any:
            with self.state.condition:
                told = self.finish(_TOKEN)
            passed.release()
            return told

        with self.state.condition:
            is_begun = self.is_active() and self.start((), done)
            if is_begun:
                self.state.due.add(_TOKEN)
        if is_begun:
            passed.acquire()
        with self.state.condition:
            return not self.is_active()

    def heard_out(self) -> None:
        """The client has said all that it will say."""
        if self.state.client is _server._OPEN:  # noqa: SLF001
            self.state.client = _server._CLOSED  # noqa: SLF001

    def finish(self, token: str) -> Any:
        """What `done` gives back: grpcio's to act on."""
        return _server._possibly_finish_call(self.state, token)  # noqa: SLF001


def inside_of(context: grpc.ServicerContext) -> Inside | None:
    call: Any = getattr(getattr(context, "_rpc_event", None), "call", None)
    state: Any = getattr(context, "_state", None)
    if not _IS_KNOWN or call is None or not hasattr(state, "due"):
        return None
    return Inside(call, state)
