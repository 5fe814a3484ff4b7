"""The one translation of errors for this door: status, Iceberg's name for the error, and our sentence.

The status decides what an engine does with a commit: 409 means that it was not applied and can be tried
anew, 429 that it is worth waiting, 500 and above that nobody knows. So whatever is sure not to have been
applied is never answered with the latter. What is missing or there already is said in the words of Iceberg's
reference implementation, which engines and their tests look for; our hint follows.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from lakeport.catalog.engines import OutcomeUnknownError
from lakeport.catalog.views import InvalidViewError
from lakeport.core import errors
from lakeport.core.secrets import mask_text
from lakeport.rest.answers import Answer, json

_log = logging.getLogger(__name__)

_SERVER_ERROR = 500
_UNAUTHORIZED, _TOO_MANY = 401, 429

_TABLE: dict[type[errors.LakeportError], tuple[int, str]] = {
    errors.InvalidRequestError: (400, "BadRequestException"),
    InvalidViewError: (400, "IllegalArgumentException"),
    errors.ConflictError: (409, "CommitFailedException"),
    errors.PreconditionError: (422, "UnprocessableEntityException"),
    errors.UnsupportedError: (406, "UnsupportedOperationException"),
    errors.UnauthenticatedError: (401, "NotAuthorizedException"),
    errors.PermissionDeniedError: (403, "ForbiddenException"),
    errors.LimitError: (429, "SlowDownException"),
    OutcomeUnknownError: (500, "CommitStateUnknownException"),
    errors.UnavailableError: (503, "ServiceUnavailableException"),
    errors.DeadlineError: (504, "ServiceUnavailableException"),
    errors.CorruptDataError: (500, "InternalServerError"),
}
_LOST = (409, "CommitFailedException")
_BROKEN = (422, "UnprocessableEntityException")
_INTERNAL = (_SERVER_ERROR, "InternalServerError")

NO_NAMESPACE = "NoSuchNamespaceException"
NO_TABLE = "NoSuchTableException"
NO_VIEW = "NoSuchViewException"
NO_WAREHOUSE = "NoSuchWarehouseException"
NO_ENDPOINT = "NoSuchEndpointException"
NOT_EMPTY = "NamespaceNotEmptyException"
TAKEN = "AlreadyExistsException"


_MISSING = {
    NO_NAMESPACE: "Namespace does not exist",
    NO_TABLE: "Table does not exist",
    NO_VIEW: "View does not exist",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What a request is about: a namespace, or a table or view in it (`kind`)."""

    namespace: str | None = None
    name: str | None = None
    kind: str = "Table"

    def __str__(self) -> str:
        return ".".join(filter(None, (self.namespace, self.name)))


NOTHING_KNOWN = Subject()


class NamedError(Exception):
    """An error that Iceberg has a name of its own for; `about` what it is about, if not the request's."""

    def __init__(
        self,
        error: errors.LakeportError,
        status: int,
        name: str,
        about: Subject | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.status = status
        self.name = name
        self.about = about
        self.headers = headers or {}


def refused(
    error: Exception, missing: str, about: Subject = NOTHING_KNOWN, *, commits: bool
) -> Answer:
    """`missing` is what is not there, if something is not; `commits` whether a commit was asked for."""
    if isinstance(error, NamedError):
        worded = _worded(error.error, error.name, error.about or about)
        return _told(worded, error.status, error.name, error.headers)
    if isinstance(error, errors.NotFoundError):
        return _told(_worded(error, missing, about), 404, missing)
    if isinstance(error, errors.AlreadyExistsError):
        return _told(_worded(error, TAKEN, about), 409, TAKEN)
    if not isinstance(error, errors.LakeportError) or isinstance(error, errors.InternalError):
        return _unexpected(error)
    status, name = _looked_up(error)
    if commits and status >= _SERVER_ERROR and not isinstance(error, OutcomeUnknownError):
        status, name = _LOST if isinstance(error, errors.UnavailableError) else _BROKEN
    return _told(error, status, name)


def _worded(error: errors.LakeportError, name: str, about: Subject) -> errors.LakeportError:
    """In Iceberg's words, where it has some."""
    if about.namespace is None:
        return error
    if name == TAKEN:
        kind = "Namespace" if about.name is None else about.kind
        return type(error)(f"{kind} already exists: {about}", hint=error.hint)
    if name == NOT_EMPTY:
        return type(error)(f"Namespace {about.namespace} is not empty", hint=error.hint)
    if name not in _MISSING:
        return error
    what = about.namespace if name == NO_NAMESPACE else about
    return type(error)(f"{_MISSING[name]}: {what}", hint=error.hint)


def _looked_up(error: errors.LakeportError) -> tuple[int, str]:
    for kind in type(error).__mro__:
        found = _TABLE.get(kind)
        if found is not None:
            return found
    return _INTERNAL


def _told(
    error: errors.LakeportError, status: int, name: str, more: Mapping[str, str] | None = None
) -> Answer:
    text = str(error) if error.outside is None else error.outside
    if error.outside is not None and status >= _SERVER_ERROR:
        _log.warning("rest.failed", extra={"reason": error.message})
    headers = dict(more or {})
    if status == _UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    if status == _TOO_MANY:
        headers["retry-after"] = "1"
    return _shown(mask_text(text), status, name, headers)


def _unexpected(error: Exception) -> Answer:
    """A bug of ours: the reason goes to the log, its number to the caller."""
    number = uuid.uuid4().hex[:12]
    _log.error("rest.unexpected", extra={"incident": number}, exc_info=error)
    text = f"something went wrong here (the server's log tells more about incident {number})"
    return _shown(text, *_INTERNAL, {})


def _shown(message: str, status: int, name: str, headers: dict[str, str]) -> Answer:
    told = {"error": {"message": message, "type": name, "code": status}}
    return json(told, status, headers)
