"""The conformance suite against the server that an address and the settings name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakeport.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.conformance.report import Report, Result


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person chose; the settings know the token and the certificates."""

    catalog: str = ""
    namespace: str | None = None
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    read_rows: int = 0
    seconds: float = 30.0


def check_server(settings: Settings, asked: Asked, listener: Callable[[Result], None]) -> Report:
    # gRPC's core logs what fails on stderr by itself; what it means is said by the report.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from lakeport.conformance.examine import Request, examine  # noqa: PLC0415  loads gRPC
    from lakeport.flight.dial import Proof, Target  # noqa: PLC0415  so does this

    remote = settings.remote
    request = Request(
        Target.parse(remote.url or ""),
        catalog=asked.catalog,
        token=remote.token,
        proof=Proof(remote.ca, remote.cert, remote.key),
        namespace=asked.namespace,
        only=asked.only,
        skip=asked.skip,
        read_rows=asked.read_rows,
        seconds=asked.seconds,
    )
    report = examine(request, listener)
    if not report.results:
        raise InvalidRequestError(
            "no check is called so",
            hint="--only and --skip take names, families or rules: 'scans.*', 0.3",
        )
    return report
