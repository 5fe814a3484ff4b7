"""The examination: every check, in the order a newcomer meets the things. It changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from lakeport.app.doctor import functions, lake, machine, spark, tables
from lakeport.app.doctor.report import Check, Report, State

if TYPE_CHECKING:
    from lakeport.app.settings import Settings


def examine(settings: Settings, *, deep: bool = False) -> Report:
    """`deep` reads the rows of tables that have constraints; otherwise metadata has to do."""
    return Report(
        (
            lake.project(settings),
            machine.python(),
            *spark.checks(settings),
            *machine.ports(settings.server),
            *machine.certificates(settings.server.tls),
            *(check for each in settings.each_catalog() for check in _catalog(each, deep=deep)),
            *functions.checks(settings),
            machine.disk(settings.root),
        )
    )


def _catalog(settings: Settings, *, deep: bool) -> Iterator[Check]:
    """What concerns one catalog; of those beside the first, with its name."""
    catalog = lake.catalog(settings)
    checks = (
        catalog,
        lake.warehouse(settings),
        *(tables.checks(settings, deep=deep) if catalog.state is State.OK else ()),
    )
    is_first = settings.catalog.name == settings.catalogs[0].name
    for check in checks:
        yield check if is_first else replace(check, name=f"{check.name} ({settings.catalog.name})")
