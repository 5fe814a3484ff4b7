"""Tokens of an OpenID Connect issuer: JWTs, checked against the keys that it publishes.

Only signatures of key pairs count (RSA, elliptic curves, EdDSA): a token that names no algorithm, or one
where the public key would serve as a password, is refused, and so is one whose algorithm is not its key's.
A token without an end, an issuer or an audience is none. The library for it, PyJWT, is the extra `oidc`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from lakeport.access.identity import Identity
from lakeport.access.jwks import KeySet
from lakeport.access.recognise import Person
from lakeport.core.errors import ConfigurationError

_log = logging.getLogger(__name__)

Claims: TypeAlias = Mapping[str, Any]

_KEYS = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
"""Which kind of key an algorithm signs with."""


@dataclass(frozen=True, slots=True)
class Oidc:
    """A function of a token, for `Server(auth=…)`.

    `jwks` is a file or an address; without one the issuer is asked where its keys are. `identity` makes
    somebody of the claims, or None of who may not come in; without it the claim `name_claim` is the name
    and `abilities`, `on` and `catalogs` are what everybody gets.
    """

    issuer: str
    audience: str
    jwks: str | Path | None = None
    identity: Callable[[Claims], Person | None] | None = None
    name_claim: str = "sub"
    abilities: str = "read"
    on: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()
    leeway_seconds: float = 30.0
    keys: KeySet = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _library()
        if not self.issuer or not self.audience:
            raise ConfigurationError(
                "an issuer and an audience are needed", hint="else any token of anybody would do"
            )
        self.person("nobody")  # grants that make no sense are told at once
        object.__setattr__(self, "keys", KeySet.of(self.issuer, self.jwks))

    def __call__(self, token: str) -> Person | None:
        jwt = _library()
        try:
            header = jwt.get_unverified_header(token)
            algorithm = header.get("alg")
            claims = jwt.decode(
                token,
                self._key(algorithm, header.get("kid")),
                algorithms=[algorithm],
                audience=self.audience,
                issuer=self.issuer,
                leeway=self.leeway_seconds,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.PyJWTError as error:
            # Callers are told the same whatever it is.
            _log.info("oidc.refused", extra={"reason": type(error).__name__})
            return None
        if self.identity is not None:
            return self.identity(claims)
        name = claims.get(self.name_claim)
        return self.person(name) if isinstance(name, str) and name else None

    def _key(self, algorithm: object, key_id: object) -> Any:
        """The one that the token says it is signed with, which it may lie about."""
        jwt = _library()
        kind = _KEYS.get(algorithm) if isinstance(algorithm, str) else None
        found = None if kind is None else self.keys.find(key_id, kind)
        if found is None or found.get("alg", algorithm) != algorithm:
            raise jwt.InvalidKeyError
        return jwt.PyJWK(found, algorithm=algorithm).key

    def person(self, name: str) -> Identity:
        return Identity.of(name, self.abilities, on=self.on, catalogs=self.catalogs)


def _library() -> Any:
    try:
        import jwt  # noqa: PLC0415  an extra
        import jwt.algorithms  # noqa: PLC0415
        from cryptography import x509  # noqa: F401, PLC0415  PyJWT does without, and then checks nothing
    except ImportError:
        raise ConfigurationError(
            "tokens of an issuer need a library that is not installed",
            hint='pip install "lakeport[oidc]"',
        ) from None
    return jwt
