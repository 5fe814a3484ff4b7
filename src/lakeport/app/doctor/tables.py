"""The tables, and what programs that know nothing of our constraints did to them.

Iceberg has no CHECK, PRIMARY KEY or UNIQUE: another engine writes what it likes, and drops the columns
that a constraint is about. What metadata tells is always told. Whether rows break a constraint only
reading them tells, which may take long: so it is done when asked for, and otherwise suggested for tables
that somebody else has written to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from lakeport.airport.listing import explain_unusable
from lakeport.app import wiring
from lakeport.app.doctor.report import Check, fail, ok, warn
from lakeport.app.doctor.rules import violations
from lakeport.app.lake.find import find_table, table_names
from lakeport.catalog.evolution.dependents import named
from lakeport.catalog.ports import Auditable, Table, TableState, Travelable
from lakeport.core.errors import LakeportError, NotFoundError
from lakeport.system import explain_hidden

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.catalog.ports import Catalog

_SECONDS = 10.0
_OURS = "lakeport"
_ENGINE = "engine-name"
_WRITING = frozenset({"append", "overwrite"})


def checks(settings: Settings, *, deep: bool) -> tuple[Check, ...]:
    """One for each table that something is wrong with, and one for all others."""
    try:
        if wiring.probe_catalog(settings, seconds=_SECONDS).namespaces is None:
            return ()
        with closing(wiring.open_catalog(settings)) as catalog:
            return (*_names(catalog), *_checked(catalog, deep=deep))
    except LakeportError as error:
        return (fail("tables", error.message, error.hint or "`lakeport tables`"),)


def _names(catalog: Catalog) -> Iterator[Check]:
    """Namespaces that some clients of a server would look for in vain."""
    namespaces = catalog.namespaces()
    for notice in (explain_unusable(namespaces), explain_hidden(namespaces)):
        if notice is not None:
            yield warn("namespaces", notice, "give the namespace another name to serve it to all")


def _checked(catalog: Catalog, *, deep: bool) -> Iterator[Check]:
    sound = with_rules = 0
    for name in sorted(table_names(catalog)):
        try:
            table = find_table(catalog, name)
            state = table.state()
            found = list(_troubles(name, table, state, deep=deep))
        except NotFoundError:
            continue  # dropped since it was listed
        except LakeportError as error:
            found = [fail(_called(name), error.message, error.hint or "`lakeport show`")]
            state = None
        yield from found
        sound += not found
        with_rules += not found and state is not None and _has_rules(state)
    if sound:
        yield ok("tables", _told(sound, with_rules, deep=deep))


def _troubles(name: str, table: Table, state: TableState, *, deep: bool) -> Iterator[Check]:
    what = _called(name)
    broken = table.broken_rules() if isinstance(table, Auditable) else ()
    for rule, reason in broken:
        remedy = "drop the constraint, or bring its columns back: until then nothing is written"
        yield fail(what, f"{named(rule)} cannot be checked: {reason}", remedy)
    if deep and _has_rules(state):
        for violation in violations(table, state.definition, but={rule for rule, _ in broken}):
            yield fail(what, violation, "correct or delete those rows, or drop the constraint")
    elif not deep and _has_rules(state) and (writers := _strangers(table)):
        yield warn(
            what,
            f"has constraints, and was written to by {', '.join(writers)}",
            "`lakeport doctor --deep` reads its rows and checks them",
        )


def _has_rules(state: TableState) -> bool:
    definition = state.definition
    return bool(definition.constraints) or any(not column.nullable for column in definition.schema)


def _strangers(table: Table) -> list[str]:
    """Engines that added rows, as far as the history goes back."""
    if not isinstance(table, Travelable):
        return []
    writers = {
        snapshot.summary.get(_ENGINE, "another program")
        for snapshot in table.history()
        if snapshot.operation in _WRITING
    }
    return sorted(writers - {_OURS})


def _called(name: str) -> str:
    return f"table {name}"


def _told(sound: int, with_rules: int, *, deep: bool) -> str:
    tables = "1 table" if sound == 1 else f"{sound:,} tables"
    if not with_rules:
        return f"{tables}, none has constraints"
    if deep:
        return f"{tables}, all rows keep the constraints of {with_rules:,}"
    return f"{tables}, {with_rules:,} with constraints that can be kept"
