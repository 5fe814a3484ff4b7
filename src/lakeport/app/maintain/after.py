"""Upkeep right after a run, of the tables that it wrote: what is due by now, and nothing that takes long.

A run has succeeded by then, whatever comes of this: trouble is told in the report and never raised. Files that
nothing names are left to `lakeport maintain`, because finding them means listing everything.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from lakeport.app.maintain.choose import Chosen
from lakeport.app.maintain.leftovers import find_leftovers, remove_leftovers
from lakeport.app.maintain.maintain import maintain_tables
from lakeport.app.maintain.policy import maintains_itself, policy_of
from lakeport.app.maintain.report import Report, TableReport
from lakeport.catalog.upkeep import DAY, Task
from lakeport.core.errors import LakeportError

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.catalog.ports import Catalog
    from lakeport.core.names import TableName
    from lakeport.state import Store

_TASKS = (Task.EXPIRE, Task.COMPACT, Task.MANIFESTS)

LEAST_BYTES = 1 << 20
"""Below it a few files are not written anew by themselves: bench/small_tables.py."""


def maintain_after(
    settings: Settings,
    catalog: Catalog,
    tables: Iterable[TableName],
    *,
    store: Store | None = None,
    actor: str | None = None,
) -> Report | None:
    """None where `maintenance.auto` does not ask for it, or the catalog sees to its tables itself."""
    if not is_automatic(settings):
        return None
    names = tuple(tables)
    policy = replace(policy_of(settings.maintenance), least_bytes=LEAST_BYTES)
    reports: list[TableReport] = []
    for name in names:
        chosen = Chosen(str(name), is_named=False)
        try:
            reports += maintain_tables(catalog, [chosen], _TASKS, policy, actor=actor).tables
        except LakeportError as error:
            reports.append(TableReport(str(name), problem=error.message, hint=error.hint))
    report = Report(dry_run=False, tables=tuple(reports))
    try:
        found = find_leftovers(catalog, store, names, older_than=leftover_age(settings))
        report = replace(report, leftovers=remove_leftovers(catalog, found))
        if store is not None:
            forget_runs(settings, store)
    except LakeportError as error:
        return replace(report, problem=error.message)
    return report


def is_automatic(settings: Settings) -> bool:
    if maintains_itself(settings):
        return False
    given = settings.maintenance.auto
    return given if given is not None else (settings.catalog.type or "embedded") == "embedded"


def leftover_age(settings: Settings) -> int:
    return round(settings.maintenance.leftover_days * DAY)


def forget_runs(settings: Settings, store: Store) -> int:
    """Runs that are too old to be of interest; how many."""
    return store.runs.forget(time.time_ns() - round(settings.state.run_days * DAY))
