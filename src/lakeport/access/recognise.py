"""Who calls, by whatever a program knows of tokens: a mapping, a function, or an issuer's keys.

What a function says of a token is believed for a second, so that a long stream, which asks before each
of its chunks, does not ask it a thousand times; a token that was withdrawn is refused a second later.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from lakeport.access.authenticate import token_in
from lakeport.access.identity import EVERYONE, Identity, Judge, Judged
from lakeport.access.tokens import digest_of
from lakeport.core.errors import (
    ConfigurationError,
    FunctionError,
    LakeportError,
    UnauthenticatedError,
)

_log = logging.getLogger(__name__)

BELIEVED_SECONDS = 1.0
_MOST = 4_096
_LONGEST = 64 * 1024

Person: TypeAlias = "Identity | str"
"""A name alone may do anything, as far as an authoriser lets it."""


@runtime_checkable
class Recognises(Protocol):
    """What a door asks. `bearer` is the header to send from now on, after a handshake."""

    def authenticate(self, authorization: str | None) -> Identity: ...

    def bearer(self, authorization: str | None) -> str: ...


Auth: TypeAlias = "Recognises | Mapping[str, Person] | Callable[[str], Person | None] | None"
"""None is everyone; a mapping has tokens as its keys; a function gives None for a token it does not know."""


def recognising(auth: Auth, judge: Judge | None = None) -> Recognises:
    found = _asking(auth)
    return found if judge is None else _Judging(found, judge)


def _asking(auth: Auth) -> Recognises:
    if auth is None:
        return _Everyone()
    if isinstance(auth, Recognises):
        return auth
    if isinstance(auth, Mapping):
        return Asking(static_tokens(auth))
    if callable(auth):
        return Asking(auth)
    raise ConfigurationError(
        "`auth` is a mapping of tokens, a function of a token, or has `authenticate` and `bearer`",
        hint='for one token: `auth={"a long secret": "alice"}`',
    )


def static_tokens(people: Mapping[str, Person]) -> Callable[[str], Person | None]:
    """Looked up by digest: how long that takes tells nothing of a token."""
    if not people or not all(people):
        raise ConfigurationError("there is no token, or an empty one, so anybody could come in")
    known = {digest_of(token): person for token, person in people.items()}
    return lambda token: known.get(digest_of(token))


@dataclass(frozen=True, slots=True)
class _Everyone:
    def authenticate(self, authorization: str | None) -> Identity:
        del authorization
        return EVERYONE

    def bearer(self, authorization: str | None) -> str:
        return f"Bearer {token_in(authorization)}"


class Asking:
    """Asks a function, which may be slow and may fail."""

    def __init__(
        self,
        find: Callable[[str], Person | None],
        *,
        believed_seconds: float = BELIEVED_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._find = find
        self._believed_seconds = believed_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, tuple[float, Identity | None]] = OrderedDict()

    def authenticate(self, authorization: str | None) -> Identity:
        token = token_in(authorization)
        found = self._found(token) if 0 < len(token) <= _LONGEST else None
        if found is None:
            raise UnauthenticatedError(
                "a valid token is needed",
                hint="send it in the header `authorization`, after the word `Bearer`",
            )
        return found

    def bearer(self, authorization: str | None) -> str:
        self.authenticate(authorization)
        return f"Bearer {token_in(authorization)}"

    def _found(self, token: str) -> Identity | None:
        digest, now = digest_of(token), self._clock()
        with self._lock:
            known = self._known.get(digest)
            if known is not None and 0 <= now - known[0] < self._believed_seconds:
                return known[1]
        said = self._asked(token)
        found = Identity.of(said) if isinstance(said, str) else said
        if found is not None and not isinstance(found, Identity):
            raise FunctionError(
                f"the authenticator gave {type(found).__name__} for a token",
                hint="its author must return an Identity, a name, or None",
            )
        with self._lock:
            self._known[digest] = (self._clock(), found)
            self._known.move_to_end(digest)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return found

    def _asked(self, token: str) -> Person | None:
        """What it raises is told to a stranger, so that the author's words are for the log alone."""
        try:
            return self._find(token)
        except (LakeportError, KeyboardInterrupt):
            raise
        except BaseException:  # noqa: BLE001  even SystemExit ends one call alone
            _log.warning("authenticator.raised", exc_info=True)
            raise FunctionError(
                "the authenticator failed", hint="the log of the server says why"
            ) from None


@dataclass(frozen=True, slots=True)
class _Judging:
    inner: Recognises
    judge: Judge

    def authenticate(self, authorization: str | None) -> Identity:
        return Judged.by(self.judge, self.inner.authenticate(authorization))

    def bearer(self, authorization: str | None) -> str:
        return self.inner.bearer(authorization)
