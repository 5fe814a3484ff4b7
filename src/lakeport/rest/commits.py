"""Commits to one table, and to several as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lakeport.access import Ability
from lakeport.catalog.decoding import decoded
from lakeport.catalog.engines import EngineHost, TableChange
from lakeport.catalog.ports import Catalog
from lakeport.core.names import TableName
from lakeport.rest import bodies, growth
from lakeport.rest.answers import NOTHING, Answer
from lakeport.rest.described import shown
from lakeport.rest.desk import Desk
from lakeport.rest.naming import naming
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

_ADDED = ("added-records",)
_REMOVED = ("deleted-records", "added-position-deletes", "added-equality-deletes")


def commit_table(desk: Desk) -> Answer:
    name = desk.named_table()
    asked = decoded(desk.body, bodies.Updates)
    _require(desk, name, asked.updates)
    change = TableChange(name, growth.commit(desk, name, desk.body))
    with naming(desk, name, "Table"):
        done = desk.engines.commit(change, desk.terms)
    desk.rows_changed = 0 if done.was_made else rows_in(asked.updates)
    return shown(done)


def commit_transaction(desk: Desk) -> Answer:
    asked = decoded(desk.body, bodies.Transaction)
    changes, rows = [], 0
    for text in asked.table_changes:
        change = decoded(text, bodies.TableUpdates)
        name = change.identifier.table_name
        desk.note(name.namespace, name.table)
        _require(desk, name, change.updates)
        changes.append(TableChange(name, growth.commit(desk, name, bytes(text))))
        rows += rows_in(change.updates)
    desk.rows_changed = rows if desk.engines.commit_all(changes, desk.terms) else 0
    return NOTHING


def rows_in(updates: Iterable[bodies.Action]) -> int:
    """How many rows the engine says that it added or removed, whichever is more."""
    return sum(_rows(update.snapshot.summary) for update in updates if update.snapshot is not None)


def _rows(summary: Mapping[str, object]) -> int:
    if summary.get("operation") == "replace":  # files were rewritten, and rows are what they were
        return 0
    counts = {key: str(summary.get(key, "")) for key in (*_ADDED, *_REMOVED)}
    added, removed = (
        sum(int(counts[key]) for key in keys if counts[key].isdecimal())
        for keys in (_ADDED, _REMOVED)
    )
    return max(added, removed)


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
