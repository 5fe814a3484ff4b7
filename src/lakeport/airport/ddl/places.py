"""Where a change is made: the catalog, the namespace, the table, as far as the caller may change them.

Grants are asked by name before anything is looked up, so a refusal tells nobody what exists; what is
missing is reported in names the caller may read. What lacks the ability is UNIMPLEMENTED.
"""

from __future__ import annotations

from lakeport.access import Ability, find_namespace, open_table
from lakeport.airport.caller import Caller
from lakeport.airport.visible import Found
from lakeport.catalog.ports import (
    Catalog,
    DynamicCatalog,
    DynamicNamespace,
    WriteContext,
    require,
)
from lakeport.core.names import TableName, quoted


def catalog_to_change(caller: Caller, catalog: Catalog, namespace: str) -> DynamicCatalog:
    """For `namespace` to be made or dropped in it."""
    caller.account.note_namespace(catalog.name, namespace)
    caller.identity.require(Ability.DDL, catalog.name, namespace)
    return require(catalog, DynamicCatalog, f"catalog {quoted(catalog.name)}")


def namespace_to_change(caller: Caller, catalog: Catalog, name: TableName) -> DynamicNamespace:
    """For the table `name` to be made, renamed or dropped in it."""
    caller.account.note(catalog.name, name)
    caller.identity.require(Ability.DDL, catalog.name, name.namespace, name.table)
    found = find_namespace(caller.identity, catalog, name.namespace)
    return require(found, DynamicNamespace, f"namespace {quoted(found.info.name)}")


def table_to_change(caller: Caller, catalog: Catalog, name: TableName) -> Found:
    caller.account.note(catalog.name, name)  # what was tried is of interest, too
    table = open_table(caller.identity, catalog, name, Ability.DDL)
    caller.account.note(catalog.name, table.name)
    return Found(catalog, table)


def context_of(caller: Caller) -> WriteContext:
    """Who did it and by which action, for the summary of the snapshot."""
    return WriteContext(caller.identity.name, caller.account.action)
