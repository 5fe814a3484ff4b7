"""Dropped tables over the wire, for `lakeport undrop --server`: JSON in, JSON out.

Who may change a name may see what was dropped under it, and bring it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from lakeport.access import Ability
from lakeport.airport.actions.registry import Desk
from lakeport.airport.caller import Caller
from lakeport.airport.wire.fields import Fields
from lakeport.airport.wire.questions import TableQuestion
from lakeport.catalog.dropped import DroppedTable
from lakeport.catalog.ports import Catalog, Restoring, require
from lakeport.catalog.reports.dropped import Dropped, report_dropped
from lakeport.catalog.reports.find import name_in
from lakeport.core.errors import NotFoundError
from lakeport.core.names import quoted


@dataclass(frozen=True, slots=True)
class ListDropped:
    catalog: str | None

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        return cls(Fields.of_json(body, what).text("catalog_name") or None)


def list_dropped(desk: Desk, caller: Caller, body: ListDropped) -> tuple[Dropped, ...]:
    del desk
    catalog = caller.visible.catalog(body.catalog)
    return report_dropped(_visible(caller, catalog))


def undrop(desk: Desk, caller: Caller, body: TableQuestion) -> dict[str, str]:
    del desk
    catalog = caller.visible.catalog(body.catalog)
    restoring = _restoring(catalog)
    name = name_in(body.table, lambda: (str(each.name) for each in _visible(caller, catalog)))
    caller.account.note(catalog.name, name)
    caller.identity.require(Ability.DDL, catalog.name, name.namespace, name.table)
    try:
        return {"table": str(restoring.undrop_table(name).name)}
    except NotFoundError as error:
        if caller.identity.may(Ability.DDL, catalog.name):
            raise
        known = {str(each.name) for each in _visible(caller, catalog)}
        raise NotFoundError.among("dropped table", str(name), known) from error


def _visible(caller: Caller, catalog: Catalog) -> list[DroppedTable]:
    return [
        each
        for each in _restoring(catalog).dropped_tables()
        if caller.identity.may(Ability.DDL, catalog.name, each.name.namespace, each.name.table)
    ]


def _restoring(catalog: Catalog) -> Restoring:
    return require(catalog, Restoring, f"catalog {quoted(catalog.name)}")
