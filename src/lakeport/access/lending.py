"""Passes: what a token lends for an hour to clients that insist on exchanging credentials (OAuth2).

A pass is the token's identity under another secret. It dies with the token, so nothing is gained by
keeping one; like a token it is shown once, and the store has its digest alone.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from lakeport.access.authenticate import Authenticator
from lakeport.access.identity import EVERYONE, Identity
from lakeport.access.tokens import PASS_PREFIX, digest_of
from lakeport.core.errors import UnauthenticatedError
from lakeport.core.timepoint import NANOSECONDS
from lakeport.state import StoredPass, TokenTable

PASS_SECONDS = 3_600

_BYTES = 32


@dataclass(frozen=True, slots=True)
class Pass:
    """`identity` is whose it is."""

    secret: str
    seconds: int
    identity: Identity


class Lender:
    def __init__(
        self,
        tokens: TokenTable,
        authenticator: Authenticator,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._tokens = tokens
        self._authenticator = authenticator
        self._now_ns = now_ns

    def lend(self, token: str) -> Pass:
        """For a token, or a pass that is about to expire. While everyone is admin, any word is one."""
        secret = PASS_PREFIX + secrets.token_urlsafe(_BYTES)
        if self._authenticator.is_open:
            return Pass(secret, PASS_SECONDS, EVERYONE)
        identity, owner = self._authenticator.owner_of(token)
        now = self._now_ns()
        lent = StoredPass(digest_of(secret), now + PASS_SECONDS * NANOSECONDS)
        if not self._tokens.lend(owner, lent, now):
            raise UnauthenticatedError("the token was revoked or has expired")
        return Pass(secret, PASS_SECONDS, identity)
