"""The other side of `flight/status.py`: what a failed call means to the client that made it.

A Lakeport server tells our own clients the whole error in a trailer, so that a command says the same
whether its lake is here or there. Of other servers, and of proxies between, the gRPC code is left.
"""

from __future__ import annotations

import re
from typing import Any

import grpc
import msgspec

from lakeport.core import errors
from lakeport.core.errors import LakeportError, UnavailableError
from lakeport.core.secrets import mask_text
from lakeport.core.status import GrpcCode, error_for
from lakeport.flight.dial import Target
from lakeport.flight.status import ERROR_TRAILER, ToldError

_KINDS: dict[str, type[LakeportError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, LakeportError)
}
_DNS = re.compile(r"resolv|lookup|Domain name not found", re.IGNORECASE)
_REFUSED = re.compile(r"connection refused", re.IGNORECASE)
_UNTRUSTED = re.compile(
    r"CERTIFICATE_VERIFY_FAILED|certificate verify failed|hostname verification", re.IGNORECASE
)
_NOT_TLS = re.compile(r"WRONG_VERSION_NUMBER|wrong version number", re.IGNORECASE)
_NOT_GRPC = re.compile(r"http1\.x|Expected SETTINGS frame", re.IGNORECASE)
_CLOSED = re.compile(r"socket closed|connection reset|broken pipe|GOAWAY|EOF", re.IGNORECASE)


def told(failure: grpc.RpcError, target: Target) -> LakeportError:
    call: Any = failure  # grpc.Call by contract, which its own types do not say
    for name, value in call.trailing_metadata() or ():
        found = _sent(value) if name == ERROR_TRAILER else None
        if found is not None:
            return found
    code, text = GrpcCode(call.code().value[0]), mask_text(call.details() or "")
    if code is GrpcCode.UNAVAILABLE:
        return _unreachable(text, target)
    return error_for(code)(text or f"{target} answered {code.name}")


def _sent(trailer: bytes) -> LakeportError | None:
    try:
        sent = msgspec.json.decode(trailer, type=ToldError)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    kind = _KINDS.get(sent.code)
    return None if kind is None else kind(sent.message, hint=sent.hint)


def _unreachable(text: str, target: Target) -> UnavailableError:
    reason, hint = _reason(text, target)
    return UnavailableError(f"{target} cannot be reached: {reason}", hint=hint)


def _reason(text: str, target: Target) -> tuple[str, str | None]:
    if _DNS.search(text):
        return "its name is not known", "is it spelled right?"
    if _REFUSED.search(text):
        return "connection refused", "does `lakeport serve` run there, and on this port?"
    if _NOT_TLS.search(text):
        return "it does not speak TLS", f"write grpc://{target.authority}"
    if _NOT_GRPC.search(text):
        return "it does not speak gRPC", "`lakeport serve` prints two addresses: take grpc://…"
    if _UNTRUSTED.search(text):
        return "its certificate is not trusted", "name the authority that signed it: --ca FILE"
    if _CLOSED.search(text) and target.is_encrypted:
        return "it closed the connection", "it may want a certificate of yours: --cert, --key"
    if _CLOSED.search(text):
        return "it closed the connection", f"if it speaks TLS, write grpc+tls://{target.authority}"
    return text or "no reason was given", None
