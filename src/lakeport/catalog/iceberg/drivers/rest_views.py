"""Views of a REST service, as the protocol has them: JSON is passed on as it is, in both directions.

PyIceberg knows no way to change a view or to rename it, and makes objects of what only has to be handed
over. The service decides everything; its refusals are raised as PyIceberg raises them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from pyiceberg.catalog.rest import Capability, IdentifierKind, RestCatalog
from pyiceberg.catalog.rest.response import _handle_non_200_response
from pyiceberg.exceptions import (
    CommitFailedException,
    NoSuchNamespaceError,
    NoSuchViewError,
    TableAlreadyExistsError,
)
from pyiceberg.typedef import Identifier
from requests import HTTPError

_ALL = "namespaces/{namespace}/views"
_ONE = f"{_ALL}/{{view}}"

_NEW: Mapping[int, type[Exception]] = {404: NoSuchNamespaceError, 409: TableAlreadyExistsError}
_CHANGED: Mapping[int, type[Exception]] = {404: NoSuchViewError, 409: CommitFailedException}
_MOVED: Mapping[int, type[Exception]] = {404: NoSuchViewError, 409: TableAlreadyExistsError}


class ViewService:
    """Answers are the bodies of `LoadViewResult`."""

    def __init__(self, native: RestCatalog) -> None:
        self._native = native

    @property
    def keeps_views(self) -> bool:
        """Whether the service says so: not every one has views."""
        known = self._native._supported_endpoints  # noqa: SLF001  nothing public tells
        return Capability.V1_LOAD_VIEW in known

    def names(self, namespace: Identifier) -> list[str]:
        return [found[-1] for found in self._native.list_views(namespace)]

    def load(self, view: Identifier) -> bytes:
        return self._send("GET", self._address(_ONE, view), None, _CHANGED)

    def create(self, view: Identifier, body: Mapping[str, Any]) -> bytes:
        return self._send("POST", self._address(_ALL, view), {**body, "name": view[-1]}, _NEW)

    def commit(self, view: Identifier, body: Mapping[str, Any]) -> bytes:
        return self._send("POST", self._address(_ONE, view), body, _CHANGED)

    def register(self, view: Identifier, location: str) -> bytes:
        address = self._address("namespaces/{namespace}/register-view", view)
        body = {"name": view[-1], "metadata-location": location}
        return self._send("POST", address, body, _NEW)

    def drop(self, view: Identifier) -> None:
        self._send("DELETE", self._address(_ONE, view), None, _CHANGED)

    def rename(self, old: Identifier, new: Identifier) -> None:
        body = {"source": _identified(old), "destination": _identified(new)}
        self._send("POST", self._native.url("views/rename"), body, _MOVED)

    def _address(self, template: str, view: Identifier) -> str:
        split = self._native._split_identifier_for_path  # noqa: SLF001  nothing public encodes names
        return self._native.url(template, **split(view, IdentifierKind.VIEW))

    def _send(
        self,
        method: str,
        address: str,
        body: Mapping[str, Any] | None,
        refusals: Mapping[int, type[Exception]],
    ) -> bytes:
        data = None if body is None else msgspec.json.encode(body)
        answer = self._native._session.request(method, address, data=data)  # noqa: SLF001  with its token
        try:
            answer.raise_for_status()
        except HTTPError as error:
            _handle_non_200_response(error, dict(refusals))
        return answer.content


def _identified(view: Identifier) -> dict[str, Any]:
    *namespace, name = view
    return {"namespace": namespace, "name": name}
