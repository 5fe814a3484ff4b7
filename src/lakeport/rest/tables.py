"""Tables: list, create, load, exists, drop, rename, register, and reports of what engines did with them."""

from __future__ import annotations

import logging

from lakeport.access import Ability
from lakeport.catalog.decoding import decoded
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.rest import bodies, growth
from lakeport.rest.answers import NOTHING, Answer, json
from lakeport.rest.described import shown, unchanged
from lakeport.rest.desk import Desk
from lakeport.rest.failures import NO_NAMESPACE
from lakeport.rest.implied import located, settle, settle_destination
from lakeport.rest.naming import naming
from lakeport.rest.pages import listing
from lakeport.rest.routes import Route

_log = logging.getLogger(__name__)

_NAMESPACE = "/v1/{prefix}/namespaces/{namespace}"
_ALL = f"{_NAMESPACE}/tables"
_ONE = f"{_ALL}/{{table}}"
_TRUE, _FALSE = "true", "false"


def list_tables(desk: Desk) -> Answer:
    levels, found = located(desk, desk.named_namespace())
    names = [] if found is None else desk.readable(found, desk.engines.tables(found))
    return json(listing(levels, names, desk.query))


def create_table(desk: Desk) -> Answer:
    asked = decoded(desk.body, bodies.NamedBody)
    name = desk.about(desk.named_namespace(), asked.name)
    desk.require(Ability.DDL, name)
    settle(desk, name.namespace)
    with naming(desk, name, "Table"):
        return shown(desk.engines.create(name, growth.creation(desk, desk.body), desk.terms))


def load_table(desk: Desk) -> Answer:
    mode = desk.query.get("snapshots", "all").lower()
    if mode not in {"all", "refs"}:
        raise InvalidRequestError(
            f"{quoted(mode)} is no choice of snapshots", hint="it is `all` or `refs`"
        )
    name = desk.named_table()
    desk.require_sight_of(name)
    engines = desk.engines
    found = engines.find(name)
    same = unchanged(found.location, mode, desk.headers.get("if-none-match"))
    return shown(engines.load(found), mode) if same is None else same


def has_table(desk: Desk) -> Answer:
    name = desk.named_table()
    desk.require_sight_of(name)
    desk.engines.find(name)
    return NOTHING


def drop_table(desk: Desk) -> Answer:
    purge = desk.query.get("purgeRequested", _FALSE).lower()
    if purge not in {_TRUE, _FALSE}:
        raise InvalidRequestError(
            f"`purgeRequested` is neither `true` nor `false`: {quoted(purge)}"
        )
    name = desk.named_table()
    desk.require(Ability.DDL, name)
    growth.require_own(desk, name, "drop")
    desk.engines.drop(name, purge=purge == _TRUE)
    return NOTHING


def rename_table(desk: Desk) -> Answer:
    asked = decoded(desk.body, bodies.Rename)
    old, new = asked.source.table_name, asked.destination.table_name
    desk.about(old.namespace, old.table)
    for name in (old, new):
        desk.require(Ability.DDL, name)
    found = desk.engines.find(old).name
    growth.require_own(desk, found, "rename")
    settle_destination(desk, new.namespace)
    with naming(desk, new, "Table", old):
        desk.engines.rename(found, new)
    return NOTHING


def register_table(desk: Desk) -> Answer:
    asked = decoded(desk.body, bodies.RegisterTable)
    name = desk.about(desk.named_namespace(), asked.name)
    desk.require_registrar(name)
    growth.require_new(desk, name, overwrite=asked.overwrite)
    settle(desk, name.namespace)
    with naming(desk, name, "Table"):
        made = desk.engines.register(
            name, asked.metadata_location, desk.terms, overwrite=asked.overwrite
        )
    return shown(made)


def report_metrics(desk: Desk) -> Answer:
    """Engines tell what a scan or a commit cost them. Nobody waits for it, so it is only counted."""
    name = desk.named_table()
    desk.require_sight_of(name)
    report = decoded(desk.body, bodies.Report)
    desk.engines.find(name)
    _log.debug("rest.report", extra={"table": str(name), "type": report.report_type})
    return NOTHING


ROUTES = (
    Route("GET", _ALL, list_tables, NO_NAMESPACE),
    Route("POST", _ALL, create_table, NO_NAMESPACE),
    Route("GET", _ONE, load_table),
    Route("HEAD", _ONE, has_table),
    Route("DELETE", _ONE, drop_table),
    Route("POST", "/v1/{prefix}/tables/rename", rename_table),
    Route("POST", f"{_NAMESPACE}/register", register_table, NO_NAMESPACE),
    Route("POST", f"{_ONE}/metrics", report_metrics),
)
