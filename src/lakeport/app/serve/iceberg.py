"""The Iceberg door of a running server: the same catalogs, callers and audit as the Flight port has."""

from __future__ import annotations

from collections.abc import Sequence

from lakeport.access import AuditLog, Authenticator, Identity, Pace
from lakeport.access.lending import Lender
from lakeport.app.serve.requests import RequestMetrics
from lakeport.catalog.ports import Catalog
from lakeport.rest import IcebergDoor
from lakeport.rest.account import Done
from lakeport.state import Store

PATH = "/iceberg"
"""Below the HTTP port's address."""


def iceberg_door(  # noqa: PLR0913  one keyword per part
    catalogs: Sequence[Catalog],
    authenticator: Authenticator,
    *,
    store: Store,
    audit: AuditLog,
    metrics: RequestMetrics,
    pace: Pace,
    body_bytes: int,
) -> IcebergDoor:
    def record(done: Done) -> None:
        audit.record(done.entry())

    def enter(authorization: str | None) -> Identity:
        return pace.enter(authenticator.authenticate(authorization))

    return IcebergDoor(
        catalogs,
        enter,
        body_bytes=body_bytes,
        lender=Lender(store.tokens, authenticator),
        watches=(record, metrics.count),
    )
