"""Refusals: their codes, their texts, their trailers, and who is not let in."""

from __future__ import annotations

import re
from dataclasses import replace

from lakeport.conformance.attached import Attached, RefusedError
from lakeport.conformance.check import Check, Family
from lakeport.conformance.exchange import Exchange
from lakeport.conformance.ground import Ground
from lakeport.conformance.scan import endpoints
from lakeport.conformance.verdicts import NotOfferedError, advice, broken
from lakeport.conformance.workshop import PLAIN
from lakeport.core.status import GrpcCode
from lakeport.flight.call import Method
from lakeport.flight.messages import Ticket
from lakeport.flight.probe import CallFailedError

FAMILY = Family("errors", "refusals")

_ACTIONS = (
    "create_schema",
    "drop_schema",
    "create_table",
    "drop_table",
    "add_column",
    "remove_column",
    "rename_column",
    "rename_table",
    "change_column_type",
    "set_default",
    "set_not_null",
    "drop_not_null",
    "add_field",
    "remove_field",
    "rename_field",
    "endpoints",
    "flight_info",
    "table_function_flight_info",
    "column_statistics",
)
_GARBAGE = b"\xc1\xff not msgpack \x00"

# What an exception of a server's own looks like in a text that only its author should read.
_INSIDES = re.compile(
    r"Traceback \(most recent call last\)"
    r'|File "[^"]+", line \d+'
    r"|site-packages"
    r"|goroutine \d+ \["
    r"|\.(?:py|go|cc|cpp|rs|java):\d+"
    r"|\bat 0x[0-9a-f]{6,}"
)
# Arrow calls these IOErrors, and the client reads the answer five times more.
_SLOW = {
    GrpcCode.UNAUTHENTICATED,
    GrpcCode.PERMISSION_DENIED,
    GrpcCode.INTERNAL,
    GrpcCode.ABORTED,
    GrpcCode.DATA_LOSS,
    GrpcCode.UNAVAILABLE,
    GrpcCode.DEADLINE_EXCEEDED,
}
_IO_ERROR = "5"


@FAMILY.check("8", "an action that is none is UNIMPLEMENTED")
def unknown_action(ground: Ground) -> None:
    refusal = ground.refusal("no_such_action_by_this_name", {})
    if refusal is None:
        raise broken("8", "the action `no_such_action_by_this_name` is answered")
    if refusal.code in {GrpcCode.NOT_FOUND, GrpcCode.INVALID_ARGUMENT}:
        raise advice("8", f"an unknown action is {refusal.code.name}, not UNIMPLEMENTED")
    if refusal.code is not GrpcCode.UNIMPLEMENTED:
        raise broken("8", f"an unknown action is {refusal.failure}")


def _malformed(action: str) -> Check:
    def ask(ground: Ground) -> None:
        for body, case in (
            (_GARBAGE, "that is no msgpack"),
            (b"\x93\x01\x02\x03", "that is no map"),
        ):
            refusal = ground.refusal(action, body)
            if refusal is None:
                raise broken("8", f"`{action}` with a body {case} is answered")
            if refusal.code is GrpcCode.UNIMPLEMENTED:
                raise refusal
            if refusal.code is not GrpcCode.INVALID_ARGUMENT:
                raise broken("8", f"`{action}` with a body {case} is {refusal.failure}")

    title = f"{action}: a malformed body is INVALID_ARGUMENT"
    return Check(FAMILY.named(f"malformed_{action}"), "8", title, ask)


FAMILY.checks.extend(_malformed(action) for action in _ACTIONS)


@FAMILY.check("8", "a ticket that means nothing is refused")
def malformed_ticket(ground: Ground) -> None:
    refusal = _get(ground.attached, b"\x00 no ticket \xff")
    if refusal is None:
        raise broken("8", "DoGet of a ticket that means nothing gives rows")
    if refusal.code not in {
        GrpcCode.INVALID_ARGUMENT,
        GrpcCode.NOT_FOUND,
        GrpcCode.UNAUTHENTICATED,
    }:
        raise broken("8", f"DoGet of a ticket that means nothing is {refusal.failure}")


def _get(attached: Attached, ticket: bytes) -> RefusedError | None:
    call = attached.get(Ticket(ticket).encode(), None)
    try:
        while call.hear() is not None:
            pass
    except CallFailedError as failure:
        if failure.is_overdue:
            raise broken("1.6", "DoGet stood still", "the query hangs") from None
        return attached.refused("DoGet", failure)
    finally:
        call.cancel()
    return None


def _stranger(ground: Ground, token: str | None) -> Attached:
    """The same, with another token; refusals of its own, for they are no refusals of the suite."""
    if ground.attached.token is None:
        raise NotOfferedError("no --token was given: whether one is needed is not known")
    return replace(ground.attached, token=token, refusals=[])


def _turned_away(stranger: Attached, action: str, who: str) -> None:
    try:
        stranger.results(action, stranger.named())
    except RefusedError as refusal:
        if refusal.code is GrpcCode.UNAUTHENTICATED:
            return
        said = f"`{action}` {who} is {refusal.code.name}, not UNAUTHENTICATED"
        raise broken("1.3", said) from None
    if token_free(stranger):
        raise NotOfferedError("the server asks for no token")
    raise broken("1.3", f"`{action}` {who} is answered")


def token_free(stranger: Attached) -> bool:
    """A server that lets everybody in protects nothing, and breaks no rule."""
    try:
        stranger.as_(token=None).results("list_schemas", stranger.named())
    except RefusedError:
        return False
    return True


@FAMILY.check("1.3", "who shows no token is UNAUTHENTICATED")
def no_token(ground: Ground) -> None:
    stranger = _stranger(ground, None)
    for action in ("list_schemas", "catalog_version", "create_transaction", "no_such_action"):
        _turned_away(stranger, action, "without a token")


@FAMILY.check("1.3", "who shows a wrong token is UNAUTHENTICATED")
def wrong_token(ground: Ground) -> None:
    stranger = _stranger(ground, "no-such-token-by-this-name")
    _turned_away(stranger, "list_schemas", "with a wrong token")


@FAMILY.check("1.3", "scans and exchanges are guarded as actions are")
def guarded_streams(ground: Ground) -> None:
    stranger = _stranger(ground, None)
    if token_free(stranger):
        raise NotOfferedError("the server asks for no token")
    entry = ground.shared
    for endpoint in endpoints(ground.catalog, entry):
        _must_be_unknown(_get(stranger, endpoint.ticket), "DoGet")
    try:
        Exchange(stranger, "insert", entry.descriptor, PLAIN).cancel()
    except RefusedError as refusal:
        _must_be_unknown(refusal, "DoExchange")
    else:
        _must_be_unknown(None, "DoExchange")
    try:
        stranger.ask(Method.LIST_FLIGHTS, b"", stranger.headers(), "ListFlights")
    except RefusedError as refusal:
        if refusal.code is not GrpcCode.UNIMPLEMENTED:
            _must_be_unknown(refusal, "ListFlights")
    else:
        _must_be_unknown(None, "ListFlights")


def _must_be_unknown(refusal: RefusedError | None, what: str) -> None:
    if refusal is None:
        raise broken("1.3", f"{what} without a token is answered")
    if refusal.code is not GrpcCode.UNAUTHENTICATED:
        raise broken("1.3", f"{what} without a token is {refusal.code.name}")


@FAMILY.check("1.6", "no text of a refusal shows the server's insides", "its user sees a traceback")
def texts(ground: Ground) -> None:
    for refusal in ground.attached.refusals:
        found = _INSIDES.search(refusal.failure.text)
        if found is not None:
            raise broken("1.6", f"the refusal of `{refusal.what}` says {found.group()!r}")


@FAMILY.check("1.6", "every refusal says something")
def said(ground: Ground) -> None:
    for refusal in ground.attached.refusals:
        if not refusal.failure.text.strip():
            raise advice(
                "1.6", f"the refusal of `{refusal.what}` by {refusal.code.name} has no text"
            )


@FAMILY.check("1.6", "the trailers of refusals are such that no client waits")
def trailers(ground: Ground) -> None:
    for refusal in ground.attached.refusals:
        number = refusal.failure.trailers.get("x-arrow-status")
        if number is None and refusal.code not in _SLOW:
            continue
        if number is None or _text(number) == _IO_ERROR:
            told = f"`{refusal.what}` is refused by {refusal.code.name} and no x-arrow-status but 5"
            raise advice("1.6", told, "it reads the answer six times: three seconds of waiting")


def _text(value: str | bytes) -> str:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else value
