"""The examination: every check, in the order a newcomer meets the things. It changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.app.doctor import lake, machine, spark, tables
from lakeport.app.doctor.report import Report, State

if TYPE_CHECKING:
    from lakeport.app.settings import Settings


def examine(settings: Settings, *, deep: bool = False) -> Report:
    """`deep` reads the rows of tables that have constraints; otherwise metadata has to do."""
    catalog = lake.catalog(settings)
    return Report(
        (
            lake.project(settings),
            machine.python(),
            *spark.checks(settings),
            *machine.ports(settings.server),
            *machine.certificates(settings.server.tls),
            catalog,
            lake.warehouse(settings),
            machine.disk(settings.root),
            *(tables.checks(settings, deep=deep) if catalog.state is State.OK else ()),
        )
    )
