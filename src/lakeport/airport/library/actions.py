"""Actions of a server's own, beside those of the protocols: bytes in, bytes out.

DuckDB calls one with `airport_action('grpc://…', 'name', 'body')`, every Flight client with DoAction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgpack  # type: ignore[import-untyped]  # it ships no types

from lakeport.access import Ability
from lakeport.airport.actions.registry import Desk, Entry
from lakeport.airport.caller import Caller
from lakeport.core.errors import InvalidRequestError
from lakeport.core.foreign import foreign
from lakeport.core.names import quoted, why_unsafe

Handler: TypeAlias = Callable[[Any], Any]


def custom_action(
    name: str, handler: Handler, *, description: str, packed: bool, needs: Ability | None
) -> Entry[bytes, Any]:
    """With `packed` the handler takes what the body holds in msgpack, and its answer is packed again."""
    reason = why_unsafe(name)
    if reason is not None:
        raise InvalidRequestError(f"an action cannot be called {quoted(name)}: {reason}")
    what = f"action {quoted(name)}"

    def handle(desk: Desk, caller: Caller, body: bytes) -> Any:
        del desk
        catalog = caller.visible.wanted()
        if needs is not None:
            caller.identity.require(needs, catalog)
        given = _unpacked(body, what) if packed else body
        with foreign(what):
            return handler(given)

    def encode(answer: Any) -> bytes | None:
        with foreign(what):
            return _packed(answer) if packed else _bytes(answer)

    return Entry(name, description, lambda body, _: body, handle, encode)


def _unpacked(body: bytes, what: str) -> Any:
    try:
        return msgpack.unpackb(body) if body else None
    except (ValueError, msgpack.UnpackException) as error:
        raise InvalidRequestError(f"the body of {what} is no msgpack") from error


def _packed(answer: Any) -> bytes:
    made: bytes = msgpack.packb(answer)
    return made


def _bytes(answer: object) -> bytes | None:
    if isinstance(answer, str):
        return answer.encode()
    if answer is None or isinstance(answer, bytes):
        return answer
    raise RuntimeError(f"it gave {type(answer).__name__}, and an answer is bytes or text")
