"""OAuth2 for clients that insist on it: one of our tokens, as the client's secret, lends a pass for an hour.

The client's id is not looked at: the token says who calls. A pass that is about to expire can be exchanged for
the next one. Errors have the form that OAuth2 has for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from lakeport.access.authenticate import token_in
from lakeport.core.errors import UnauthenticatedError, UnsupportedError
from lakeport.core.status import GrpcCode
from lakeport.rest.answers import OK, Answer, json
from lakeport.rest.desk import Desk
from lakeport.rest.failures import NO_ENDPOINT
from lakeport.rest.routes import Route

_CREDENTIALS = "client_credentials"
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105  the name of a type
_BAD_REQUEST, _UNAUTHORIZED = 400, 401
_NOT_KEPT = {"cache-control": "no-store", "pragma": "no-cache"}


def get_token(desk: Desk) -> Answer:
    if desk.lender is None:
        raise UnsupportedError(
            "there are no tokens here to exchange",
            hint="call without one, or send the one you have",
        )
    form = dict(parse_qsl(desk.body.decode("utf-8", "replace"), keep_blank_values=True))
    match form.get("grant_type"):
        case grant if grant == _CREDENTIALS:
            secret = form.get("client_secret") or token_in(desk.headers.get("authorization"))
        case grant if grant == _EXCHANGE:
            secret = form.get("subject_token", "")
        case _:
            hint = f"the grant types are {_CREDENTIALS} and {_EXCHANGE}"
            return _refused(desk, "unsupported_grant_type", hint)
    try:
        lent = desk.lender.lend(secret)
    except UnauthenticatedError as error:
        return _refused(desk, "invalid_client", error.message)
    desk.identity = lent.identity
    return json(
        {
            "access_token": lent.secret,
            "token_type": "bearer",
            "expires_in": lent.seconds,
            "issued_token_type": _ACCESS_TOKEN,
            **_scope(form),
        },
        OK,
        _NOT_KEPT,
    )


def _scope(form: Mapping[str, str]) -> dict[str, str]:
    """Said back: a pass has its token's grants, whichever scope was asked for."""
    return {"scope": form["scope"]} if form.get("scope") else {}


def _refused(desk: Desk, name: str, reason: str) -> Answer:
    is_unknown = name == "invalid_client"
    desk.outcome = GrpcCode.UNAUTHENTICATED if is_unknown else GrpcCode.INVALID_ARGUMENT
    status = _UNAUTHORIZED if is_unknown else _BAD_REQUEST
    return json({"error": name, "error_description": reason}, status, _NOT_KEPT)


ROUTE = Route("POST", "/v1/oauth/tokens", get_token, NO_ENDPOINT, is_open=True)
