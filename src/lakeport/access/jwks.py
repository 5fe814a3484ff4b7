"""The keys that an issuer publishes (a JWKS document), read from a file or fetched, and kept for a while.

A key that is not known may be new: the issuer is asked again, but not more often than once in half a
minute, whatever tokens are thrown at us. An issuer that does not answer leaves the keys that it gave
before, and who has one of them does not wait for it; one that never answered lets nobody in.
"""

from __future__ import annotations

import http.client
import json
import logging
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeAlias
from urllib.parse import urlsplit

from lakeport.access.exposure import is_loopback
from lakeport.core.errors import ConfigurationError, UnavailableError

_log = logging.getLogger(__name__)

Key: TypeAlias = dict[str, Any]

KEPT_SECONDS = 300.0
AGAIN_SECONDS = 30.0

_MOST_BYTES = 1 << 20
_PIECE_BYTES = 1 << 16
_MOST_KEYS = 100
_TIMEOUT_SECONDS = 5.0
_DISCOVERY = "/.well-known/openid-configuration"


class KeySet:
    """`load` gives the document; it raises `UnavailableError`."""

    def __init__(
        self, load: Callable[[], object], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._load = load
        self._clock = clock
        self._asking = threading.Lock()
        self._keys: tuple[Key, ...] | None = None
        self._asked: float | None = None

    @classmethod
    def of(cls, issuer: str, jwks: str | Path | None) -> Self:
        if isinstance(jwks, Path) or (isinstance(jwks, str) and "://" not in jwks):
            return cls(lambda: _read(Path(jwks)))
        address = jwks or issuer.rstrip("/") + _DISCOVERY
        _private(address)
        if jwks is not None:
            return cls(lambda: _fetched(address))
        return cls(lambda: _discovered(address))

    def find(self, key_id: object, kind: str) -> Key | None:
        """The key of that id; without an id the only one of its kind."""
        if self._keys is not None:
            found = self._among(self._current(KEPT_SECONDS, waits=False), key_id, kind)
            if found is not None:
                return found
        return self._among(self._current(AGAIN_SECONDS, waits=True), key_id, kind)

    @staticmethod
    def _among(keys: tuple[Key, ...], key_id: object, kind: str) -> Key | None:
        fitting = [key for key in keys if key.get("kty") == kind]
        if key_id is not None:
            fitting = [key for key in fitting if key.get("kid") == key_id]
        return fitting[0] if len(fitting) == 1 else None

    def _current(self, most_seconds: float, *, waits: bool) -> tuple[Key, ...]:
        """Not older than that, unless the issuer does not answer or somebody else asks it and `waits` is false."""
        if self._is_due(most_seconds) and self._asking.acquire(blocking=waits):
            try:
                if self._is_due(most_seconds):
                    self._refresh()
                    # After the answer, not before: who waited for it must not ask again.
                    self._asked = self._clock()
            finally:
                self._asking.release()
        keys = self._keys
        if keys is None:
            raise UnavailableError(
                "the keys of the issuer of tokens cannot be had", hint="try again"
            )
        return keys

    def _is_due(self, seconds: float) -> bool:
        asked = self._asked
        return asked is None or not 0 <= self._clock() - asked < seconds

    def _refresh(self) -> None:
        try:
            self._keys = _signing(self._load())
        except (UnavailableError, ConfigurationError) as error:
            _log.warning("jwks.unavailable", extra={"reason": error.message})


def _signing(document: object) -> tuple[Key, ...]:
    keys = document.get("keys") if isinstance(document, Mapping) else None
    if not isinstance(keys, list) or len(keys) > _MOST_KEYS:
        raise UnavailableError("the issuer's keys are no JWKS document")
    return tuple(key for key in keys if isinstance(key, dict) and key.get("use", "sig") == "sig")


def _read(file: Path) -> object:
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise UnavailableError(
            f"the file of keys cannot be read: {type(error).__name__}"
        ) from error


def _discovered(address: str) -> object:
    told = _fetched(address)
    found = told.get("jwks_uri") if isinstance(told, Mapping) else None
    if not isinstance(found, str):
        raise UnavailableError("the issuer does not say where its keys are")
    return _fetched(_private(found))


def _fetched(address: str) -> object:
    try:
        with _opener.open(address, timeout=_TIMEOUT_SECONDS) as answer:
            return json.loads(_body(answer))
    except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
        raise UnavailableError(f"the issuer does not answer: {type(error).__name__}") from error


def _body(answer: http.client.HTTPResponse) -> bytes:
    """In time as a whole: an answer that comes byte by byte never ends."""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    body = bytearray()
    while piece := answer.read1(_PIECE_BYTES):
        body += piece
        if len(body) > _MOST_BYTES:
            raise UnavailableError("the issuer's answer is too long")
        if time.monotonic() > deadline:
            raise UnavailableError("the issuer's answer takes too long")
    return bytes(body)


class _Privately(urllib.request.HTTPRedirectHandler):
    """An issuer may send us on, but not to where anybody listens."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        return super().redirect_request(req, fp, code, msg, headers, _private(newurl))


_opener = urllib.request.build_opener(_Privately)


def _private(address: str) -> str:
    """Keys that anybody on the way could change let anybody in."""
    parts = urlsplit(address)
    local = parts.scheme == "http" and is_loopback(parts.hostname or "")
    if parts.scheme != "https" and not local:
        raise ConfigurationError(
            f"the keys of an issuer are fetched over https, not from {address}",
            hint="give an https address, or a file",
        )
    return address
