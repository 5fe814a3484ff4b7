"""The configuration: which catalog a client gets, and which endpoints there are.

An engine believes that an endpoint is there if no list is given, so the list is always given.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from lakeport.rest.answers import Answer, json
from lakeport.rest.desk import Desk
from lakeport.rest.failures import NO_WAREHOUSE
from lakeport.rest.routes import Route

WAREHOUSE = "warehouse"


def config_route(routes: Sequence[Route]) -> Route:
    """`routes` are those of a catalog."""

    def load_config(desk: Desk) -> Answer:
        catalog = desk.catalog
        _ = desk.engines  # or the reason why there are none
        return json(
            {
                "defaults": {},
                # Clients put it into addresses as it is.
                "overrides": {"prefix": quote(catalog.name, safe="")},
                "endpoints": [route.endpoint for route in routes if route.offered(catalog)],
            }
        )

    return Route("GET", "/v1/config", load_config, NO_WAREHOUSE)
