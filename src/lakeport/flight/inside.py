"""What grpcio's own `_send_response` uses to send a message, for those who send in other ways than it does.

No public function of grpcio does it. Where a version has it no longer, or a context is another's, there is
none (`sending`) and messages are sent one by one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import grpc

_log = logging.getLogger(__name__)
_server: Any = import_module("grpc._server")
_cygrpc: Any = import_module("grpc._cython.cygrpc")
_NEEDED = (
    (_server, "_get_initial_metadata_operation"),
    (_server, "_is_rpc_state_active"),
    (_server, "_possibly_finish_call"),
    (_cygrpc, "SendMessageOperation"),
    (_cygrpc, "WriteFlag"),
    (_cygrpc, "CallError"),
)
_IS_KNOWN = all(hasattr(place, name) for place, name in _NEEDED)

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Inside:
    """The sending side of one call. `state.condition` is held by whoever looks at `state`."""

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

    def begin(
        self,
        message: bytes,
        done: Callable[[Any], Any],
        before: Sequence[Any] = (),
        *,
        may_wait: bool = False,
    ) -> bool:
        """Whether it is under way; `done` is called by gRPC's thread then. Never raises: in that thread
        it would end the server. With `may_wait` gRPC may keep it for the next one.
        """
        flags = _cygrpc.WriteFlag.buffer_hint if may_wait else 0
        try:
            send = _cygrpc.SendMessageOperation(message, flags)
            begun = self.call.start_server_batch((*before, send), done)
        except Exception:  # noqa: BLE001  as above
            _log.exception("call.send_failed")
            return False
        return bool(begun == _cygrpc.CallError.ok)

    def finish(self, token: str) -> Any:
        """What `done` gives back: grpcio's to act on."""
        return _server._possibly_finish_call(self.state, token)  # noqa: SLF001


def sending(context: grpc.ServicerContext) -> Inside | None:
    call: Any = getattr(getattr(context, "_rpc_event", None), "call", None)
    state: Any = getattr(context, "_state", None)
    if not _IS_KNOWN or call is None or not hasattr(state, "due"):
        return None
    return Inside(call, state)
