"""From the header `authorization` to an identity.

All tokens are kept in memory; the store is asked at most once a second whether they changed, so a
revoked one is refused a second later at most, and a flood of wrong ones costs the store nothing. A pass
that is not known may have been lent by another server a moment ago: then the store is asked sooner. No
token, a wrong one, an expired and a revoked one are refused in the same words.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lakeport.access.identity import EVERYONE, Identity
from lakeport.access.tokens import PASS_PREFIX, digest_of, grants_of, limits_of
from lakeport.core.errors import UnauthenticatedError, UnavailableError
from lakeport.state import StoredToken, TokenTable

PROBE_SECONDS = 1.0
_EAGER = 50  # questions for passes that are not known, between two of these

# A digest is looked up by its first bytes alone and compared in full, in constant time.
_PREFIX_BYTES = 4
_NO_DIGEST = bytes(32)

_DOTS_OF_JWT = 2


class _Held(NamedTuple):
    """A token, or a pass of it; `owner` is the token's digest."""

    digest: bytes
    expires_ns: int | None
    identity: Identity
    owner: bytes


_NOBODY = _Held(_NO_DIGEST, 0, Identity("", frozenset()), _NO_DIGEST)


@dataclass(frozen=True, slots=True)
class _Known:
    """The tokens that were not revoked, and whether there ever was one."""

    changes: int = -1
    any_ever: bool = True
    held: dict[bytes, list[_Held]] = field(default_factory=dict)

    @classmethod
    def of(cls, changes: int, tokens: Iterable[StoredToken]) -> _Known:
        every = list(tokens)
        held: defaultdict[bytes, list[_Held]] = defaultdict(list)
        for token in every:
            if token.revoked_ns is None:
                for one in _held(token):
                    held[one.digest[:_PREFIX_BYTES]].append(one)
        return cls(changes, bool(every), dict(held))

    def find(self, digest: bytes) -> _Held | None:
        found = None
        for one in self.held.get(digest[:_PREFIX_BYTES], (_NOBODY,)):
            if hmac.compare_digest(one.digest, digest):
                found = one
        return found


def _held(token: StoredToken) -> Iterator[_Held]:
    identity = Identity(
        token.name, grants_of(token), limits_of(token), token.growth, pace=token.max_calls
    )
    yield _Held(token.digest, token.expires_ns, identity, token.digest)
    for lent in token.passes:
        expires = min(lent.expires_ns, token.expires_ns or lent.expires_ns)
        yield _Held(lent.digest, expires, identity, token.digest)


class Authenticator:
    """`open_at_first`: everyone is admin while no token was ever made (`exposure.opens_at_first`).

    `issued` knows the tokens of an issuer, which have two dots, as none of ours has.
    """

    def __init__(
        self,
        tokens: TokenTable,
        *,
        open_at_first: bool,
        issued: Callable[[str | None], Identity] | None = None,
        probe_seconds: float = PROBE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._tokens = tokens
        self._open_at_first = open_at_first
        self._issued = issued
        self._probe_seconds = probe_seconds
        self._clock = clock
        self._now_ns = now_ns
        self._lock = threading.Lock()
        self._known = _Known()
        self._probed: float | None = None
        self._trouble: str | None = None
        self._eager = _EAGER

    @property
    def is_open(self) -> bool:
        """Whether everyone is admin, for now."""
        return self._open_at_first and not self._current().any_ever

    def authenticate(self, authorization: str | None) -> Identity:
        if self.is_open:
            return EVERYONE
        token = token_in(authorization)
        if self._issued is not None and token.count(".") == _DOTS_OF_JWT:
            return self._issued(authorization)
        return self._found(token).identity

    def owner_of(self, token: str) -> tuple[Identity, bytes]:
        """Whose it is, and the digest of the token that this is, or that lent it as a pass."""
        found = self._found(token)
        return found.identity, found.owner

    def bearer(self, authorization: str | None) -> str:
        """The header to send from now on, for who presented a token in another way (a handshake)."""
        self.authenticate(authorization)
        return f"Bearer {token_in(authorization)}"

    def _found(self, token: str) -> _Held:
        digest = digest_of(token)
        found = self._current().find(digest)
        if found is None and token.startswith(PASS_PREFIX):
            found = self._current(eagerly=True).find(digest)
        if found is None or (found.expires_ns is not None and self._now_ns() >= found.expires_ns):
            raise UnauthenticatedError(
                "a valid token is needed",
                # Worded so that masking of secrets, on the way out, finds nothing to hide in it.
                hint="send it in the header `authorization`, after the word `Bearer`; "
                "`lakeport token create NAME` makes one",
            )
        return found

    def _current(self, *, eagerly: bool = False) -> _Known:
        with self._lock:
            now = self._clock()
            is_due = self._probed is None or not 0 <= now - self._probed < self._probe_seconds
            if is_due or (eagerly and self._eager > 0):
                self._eager = _EAGER if is_due else self._eager - 1
                self._refresh()
                # After the answer, not before: callers that waited for it must not ask again.
                self._probed = self._clock()
            if self._trouble is not None:
                # Without the store nobody knows who was revoked, so nobody comes in.
                raise UnavailableError(self._trouble, hint="try again")
            return self._known

    def _refresh(self) -> None:
        try:
            if self._tokens.changes() != self._known.changes:
                copy = self._tokens.copy()
                self._known = _Known.of(copy.changes, copy.tokens)
        except UnavailableError as error:
            self._trouble = error.message
        else:
            self._trouble = None


def token_in(authorization: str | None) -> str:
    """Of `Bearer TOKEN`, or of `Basic`, where the token is the password; empty if there is none."""
    scheme, _, given = (authorization or "").strip().partition(" ")
    match scheme.lower():
        case "bearer":
            return given.strip()
        case "basic":
            try:
                pair = base64.b64decode(given.strip(), validate=True).decode("utf-8")
            except (binascii.Error, UnicodeDecodeError):
                return ""
            return pair.partition(":")[2]
        case _:
            return ""
