"""PyIceberg's REST catalog with a time limit on every request.

`requests` waits for ever unless told otherwise, and PyIceberg does not tell it. The limit sits in the
session's adapters, around whatever signs a request, and holds for tokens too. It is the time without a
single byte, not that of the whole answer: a listing of 10,000 tables may take its time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import requests
from pyiceberg.catalog.rest import RestCatalog, TableResponse
from pyiceberg.catalog.rest.auth import OAuth2AuthManager, OAuth2TokenProvider
from pyiceberg.exceptions import OAuthError
from pyiceberg.table import Table
from requests.adapters import BaseAdapter, HTTPAdapter

from lakeport.catalog.iceberg.drivers.patience import Patience

_TOKEN_PATH = "v1/oauth/tokens"  # noqa: S105  an address

# Properties that PyIceberg wants as tables within the table; a plain setting is written with dots.
_NESTED = ("auth", "ssl")


class PatientRestCatalog(RestCatalog):
    def __init__(self, name: str, patience: Patience, **properties: str) -> None:
        self._patience = patience
        # PyIceberg would wait ten times longer for a service whose requests are signed.
        properties.setdefault("rest.sigv4.max-retries", "1")
        super().__init__(name, **_with_token_address(_nested(properties)))

    def _config_headers(self, session: requests.Session) -> None:
        """The first thing PyIceberg does with a new session, before it fetches a token."""
        for prefix in ("http://", "https://"):
            session.mount(prefix, _Limited(HTTPAdapter(), self._patience))
        super()._config_headers(session)

    def _create_session(self) -> requests.Session:
        session = super()._create_session()
        for prefix, adapter in list(session.adapters.items()):
            if not isinstance(adapter, _Limited):  # the one that signs for AWS
                session.mount(prefix, _Limited(adapter, self._patience))
        manager = self._auth_manager
        if isinstance(manager, OAuth2AuthManager):
            manager.token_provider = _LimitedTokens(manager.token_provider, self._patience)
        return session

    def _response_to_table(
        self, identifier_tuple: tuple[str, ...], table_response: TableResponse
    ) -> Table:
        """Files are reached as the service says, and not as the table's own properties would have it."""
        location = table_response.metadata_location
        lent = self._resolve_storage_credentials(table_response.storage_credentials, location)
        return Table(
            identifier_tuple,
            table_response.metadata,
            location or "",
            self._load_file_io({**table_response.config, **lent}, location),
            self,
            table_response.config,
        )

    def close(self) -> None:
        self._session.close()


class _Limited(BaseAdapter):
    """Another adapter, with a limit for requests that bring none."""

    def __init__(self, adapter: BaseAdapter, patience: Patience) -> None:
        super().__init__()
        self._adapter = adapter
        self._limit = (patience.connect, patience.answer)

    def send(
        self, request: requests.PreparedRequest, *arguments: Any, **options: Any
    ) -> requests.Response:
        options["timeout"] = options.get("timeout") or self._limit
        return self._adapter.send(request, *arguments, **options)

    def close(self) -> None:
        self._adapter.close()


class _LimitedTokens(OAuth2TokenProvider):
    """The same provider; its own request for a token knows no limit."""

    def __init__(self, plain: OAuth2TokenProvider, patience: Patience) -> None:
        super().__init__(
            plain.client_id,
            plain.client_secret,
            plain.token_url,
            plain.scope,
            int(plain.refresh_margin),
            None if plain.expires_in is None else int(plain.expires_in),
        )
        self._limit = (patience.connect, patience.answer)

    def _refresh_token(self) -> None:
        grant = {"grant_type": "client_credentials"}
        if self.scope:
            grant["scope"] = self.scope
        response = requests.post(
            self.token_url,
            data=grant,
            auth=(self.client_id, self.client_secret),
            timeout=self._limit,
        )
        if response.status_code in {400, 401, 403}:
            raise OAuthError(f"{self.token_url} refused the client's id or secret")
        response.raise_for_status()
        answer = response.json()
        lifetime = answer.get("expires_in", self.expires_in)
        if "access_token" not in answer or lifetime is None:
            raise OAuthError(f"{self.token_url} gave no token, or none with an end")
        self._token = str(answer["access_token"])
        self._expires_at = int(time.monotonic() + float(lifetime) - self.refresh_margin)


def _with_token_address(properties: Mapping[str, Any]) -> dict[str, Any]:
    """PyIceberg's own guess of where tokens come from, said aloud: guessing is deprecated there."""
    given = dict(properties)
    wants_token = "credential" in given or "token" in given
    if wants_token and "oauth2-server-uri" not in given:
        given["oauth2-server-uri"] = f"{given['uri'].rstrip('/')}/{_TOKEN_PATH}"
    return given


def _nested(properties: Mapping[str, str]) -> dict[str, Any]:
    """`auth.basic.username = x` as `{"auth": {"basic": {"username": x}}}`."""
    given: dict[str, Any] = {}
    for key, value in properties.items():
        *path, last = key.split(".") if key.partition(".")[0] in _NESTED else [key]
        place = given
        for word in path:
            place = place.setdefault(word, {})
        place[last] = value
    return given
