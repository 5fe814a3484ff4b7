"""Commits to one table, and to several as one."""

from __future__ import annotations

from collections.abc import Iterable

from lakeport.access import Ability
from lakeport.catalog.decoding import decoded
from lakeport.catalog.engines import EngineHost, TableChange
from lakeport.catalog.ports import Catalog
from lakeport.core.names import TableName
from lakeport.rest import bodies
from lakeport.rest.answers import NOTHING, Answer
from lakeport.rest.described import shown
from lakeport.rest.desk import Desk, dotted
from lakeport.rest.routes import Route

# What changes rows or their history; everything else changes what the table is.
_WRITES = frozenset(
    {
        "add-snapshot",
        "set-snapshot-ref",
        "remove-snapshots",
        "remove-snapshot-ref",
        "set-statistics",
        "remove-statistics",
        "set-partition-statistics",
        "remove-partition-statistics",
    }
)


def commit_table(desk: Desk) -> Answer:
    name = desk.named_table()
    asked = decoded(desk.body, bodies.Updates)
    _require(desk, name, asked.updates)
    return shown(desk.engines.commit(TableChange(name, desk.body), desk.terms))


def commit_transaction(desk: Desk) -> Answer:
    asked = decoded(desk.body, bodies.Transaction)
    changes = []
    for text in asked.table_changes:
        change = decoded(text, bodies.TableUpdates)
        name = TableName(dotted(change.identifier.namespace), change.identifier.name)
        desk.note(name.namespace, name.table)
        _require(desk, name, change.updates)
        changes.append(TableChange(name, bytes(text)))
    desk.engines.commit_all(changes, desk.terms)
    return NOTHING


def _require(desk: Desk, name: TableName, updates: Iterable[bodies.Action]) -> None:
    actions = {update.action for update in updates}
    if actions & _WRITES or not actions:
        desk.require(Ability.WRITE, name)
    if actions - _WRITES:
        desk.require(Ability.DDL, name)


def _commits_together(catalog: Catalog) -> bool:
    return isinstance(catalog, EngineHost) and catalog.engines().commits_together


ROUTES = (
    Route("POST", "/v1/{prefix}/namespaces/{namespace}/tables/{table}", commit_table, commits=True),
    Route(
        "POST",
        "/v1/{prefix}/transactions/commit",
        commit_transaction,
        commits=True,
        offered=_commits_together,
    ),
)
