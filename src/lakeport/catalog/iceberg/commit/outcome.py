"""What a catalog's answer to a commit means: refused for certain, worth another try, or not known.

Repeating a commit whose outcome is not known could apply it twice, and removing its files could destroy
the table. So only what is sure not to have been applied counts as refused; all else is not known.
"""

from __future__ import annotations

from enum import Enum, auto

from pyiceberg.exceptions import (
    AuthorizationExpiredError,
    BadRequestError,
    CommitFailedException,
    CommitStateUnknownException,
    ForbiddenError,
    NoSuchNamespaceError,
    NoSuchTableError,
    OAuthError,
    RESTError,
    ServerError,
    ServiceUnavailableError,
    TooManyRequestsError,
    UnauthorizedError,
    WaitingForLockException,
)

from lakeport.core.errors import LakeportError


class Outcome(Enum):
    LOST = auto()
    """Somebody else was faster, or the service has too much to do: it can be tried again."""

    REFUSED = auto()
    UNKNOWN = auto()


_LOST = (
    CommitFailedException,
    ServiceUnavailableError,
    TooManyRequestsError,
)
_REFUSED = (
    WaitingForLockException,  # raised after all patience
    NoSuchTableError,
    NoSuchNamespaceError,
    BadRequestError,
    UnauthorizedError,
    ForbiddenError,
    OAuthError,
    AuthorizationExpiredError,
    NotImplementedError,
    LakeportError,
)

# By name, as the HTTP client is not loaded for every catalog: no connection, so nothing was sent.
_NOT_SENT = {"NewConnectionError", "ConnectTimeoutError", "ConnectTimeout", "NameResolutionError"}


def outcome_of(error: BaseException, *, is_local: bool) -> Outcome:
    """`is_local` catalogs are our own code, which says it when it does not know."""
    if isinstance(error, _LOST):
        return Outcome.LOST
    if isinstance(error, CommitStateUnknownException | ServerError):
        return Outcome.UNKNOWN
    if isinstance(error, _REFUSED) or is_local or _was_not_sent(error):
        return Outcome.REFUSED
    if isinstance(error, RESTError):  # the rest of the statuses from 400 on
        return Outcome.REFUSED
    return Outcome.UNKNOWN


def _was_not_sent(error: BaseException | None) -> bool:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        inner = [error, *error.args]
        inner += [getattr(each, "reason", None) for each in inner]
        if any(type(each).__name__ in _NOT_SENT for each in inner):
            return True
        error = error.__cause__ or error.__context__
    return False
