"""The Iceberg door of a lake in this process: on loopback, for as long as a `with` block lasts.

That is how Spark reaches a lake that no server serves. The token is made for this door, is known to this
process alone and dies with it. With `growth` it is the door of a pipeline's run: tables lose nothing by it.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.routing import Mount

from lakeport.access import Identity
from lakeport.access.authenticate import token_in
from lakeport.access.grants import EVERY_GRANT
from lakeport.access.tokens import PREFIX
from lakeport.app.http import HttpServer
from lakeport.app.settings.values import Address
from lakeport.catalog.iceberg.attachment import Attachment
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import Catalog
from lakeport.core.closing import Closing
from lakeport.core.errors import UnauthenticatedError
from lakeport.rest import IcebergDoor

_PATH = "/iceberg"
_ANY_PORT = Address("127.0.0.1", 0)
_BYTES = 32


@dataclass(frozen=True, slots=True)
class _Only:
    """Whoever knows the token of this door."""

    identity: Identity
    token: str = field(default_factory=lambda: PREFIX + secrets.token_urlsafe(_BYTES), repr=False)

    def authenticate(self, authorization: str | None) -> Identity:
        given = token_in(authorization).encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(given, self.token.encode()):
            raise UnauthenticatedError(
                "a valid token is needed", hint="this door has a token of its own: `door.token`"
            )
        return self.identity


class LocalDoor(Closing):
    """`uri` and `token` are what an engine is given; the `for_…` methods say it in its own words."""

    def __init__(self, catalog: Catalog, name: str, *, growth: bool = False) -> None:
        only = _Only(Identity(name, EVERY_GRANT, growth=growth))
        door = IcebergDoor([catalog], only.authenticate)
        self._server = HttpServer(Starlette(routes=[Mount(_PATH, door)]), _ANY_PORT)
        self.token = only.token
        self.uri = f"{self._server.address}{_PATH}"
        files = catalog.profile.properties if isinstance(catalog, IcebergCatalog) else None
        self.attachment = Attachment.to_door(catalog.name, self.uri, self.token, files)
        self._server.start()

    def __repr__(self) -> str:
        return f"<lakeport door {self.uri}>"

    def for_spark(self) -> dict[str, str]:
        """Settings of a Spark session. The extensions among them must be there when its JVM starts."""
        return self.attachment.for_spark()

    def for_pyiceberg(self) -> dict[str, str]:
        """Properties for `pyiceberg.catalog.load_catalog`."""
        return self.attachment.for_pyiceberg()

    def for_duckdb(self) -> tuple[str, ...]:
        """Statements, in order."""
        return self.attachment.for_duckdb()

    def close(self) -> None:
        """Requests that run may end, and no new ones come in."""
        self._server.stop()
