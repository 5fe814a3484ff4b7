"""Changes of several tables as one, at a REST service that offers it: PyIceberg knows no such request.

A service says in its configuration which endpoints it has. One that says nothing is taken not to have this
one, because the alternative is to find out after everything was computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from pyiceberg.catalog.rest import Endpoint, RestCatalog
from pyiceberg.catalog.rest.response import _handle_non_200_response
from pyiceberg.exceptions import (
    CommitFailedException,
    CommitStateUnknownException,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from requests import HTTPError

_PATH = "transactions/commit"
_OFFERED = Endpoint.from_string(f"POST /v1/{{prefix}}/{_PATH}")

# Two things are a conflict: a table that somebody changed, and a new name that somebody has.
_TAKEN = "AlreadyExistsException"

# As for a commit to one table.
_REFUSALS: Mapping[int, type[Exception]] = {
    404: NoSuchTableError,
    409: CommitFailedException,
    500: CommitStateUnknownException,
    502: CommitStateUnknownException,
    504: CommitStateUnknownException,
}


class TogetherService:
    def __init__(self, native: RestCatalog) -> None:
        self._native = native

    @property
    def is_offered(self) -> bool:
        known = self._native._supported_endpoints  # noqa: SLF001  nothing public tells
        return _OFFERED in known

    def commit(self, changes: Sequence[Mapping[str, Any]]) -> None:
        """Each with its `identifier`, `requirements` and `updates`, which are passed on as they are."""
        body = msgspec.json.encode({"table-changes": changes})
        answer = self._native._session.post(self._native.url(_PATH), data=body)  # noqa: SLF001  with its token
        try:
            answer.raise_for_status()
        except HTTPError as error:
            is_taken = answer.status_code == 409 and _kind(answer.content) == _TAKEN
            refusals = {**_REFUSALS, 409: TableAlreadyExistsError} if is_taken else _REFUSALS
            _handle_non_200_response(error, dict(refusals))


class _Error(msgspec.Struct):
    type: str = ""


class _Refusal(msgspec.Struct):
    error: _Error


def _kind(body: bytes) -> str:
    """What the service calls it, if this is an answer of one at all."""
    try:
        return msgspec.json.decode(body, type=_Refusal).error.type
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
