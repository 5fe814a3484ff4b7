"""The examination: every check, in the order a newcomer meets the things. It changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.app.doctor import lake, machine, spark
from lakeport.app.doctor.report import Report

if TYPE_CHECKING:
    from lakeport.app.settings import Settings


def examine(settings: Settings) -> Report:
    return Report(
        (
            lake.project(settings),
            machine.python(),
            *spark.checks(settings),
            *machine.ports(settings.server),
            *machine.certificates(settings.server.tls),
            lake.catalog(settings),
            lake.warehouse(settings),
            machine.disk(settings.root),
        )
    )
