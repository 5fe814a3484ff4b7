"""Views: list, create, load, exists, replace, drop, rename, register. Their SQL is kept, never run."""

from __future__ import annotations

from typing import Any

from lakeport.access import Ability
from lakeport.catalog.decoding import decoded
from lakeport.catalog.engines import EngineHost
from lakeport.catalog.ports import Catalog, ViewHost
from lakeport.catalog.views import StoredView, Views
from lakeport.core.errors import UnsupportedError
from lakeport.core.names import TableName, quoted
from lakeport.rest import bodies
from lakeport.rest.answers import NOTHING, Answer, json
from lakeport.rest.described import envelope
from lakeport.rest.desk import Desk
from lakeport.rest.failures import NO_NAMESPACE, NO_VIEW
from lakeport.rest.implied import located, settle, settle_destination
from lakeport.rest.naming import naming
from lakeport.rest.pages import listing
from lakeport.rest.routes import Route

_NAMESPACE = "/v1/{prefix}/namespaces/{namespace}"
_ALL = f"{_NAMESPACE}/views"
_ONE = f"{_ALL}/{{view}}"


def list_views(desk: Desk) -> Answer:
    levels, found = located(desk, desk.named_namespace())
    names = [] if found is None else desk.readable(found, _views(desk, found).names())
    return json(listing(levels, names, desk.query))


def create_view(desk: Desk) -> Answer:
    asked = decoded(desk.body, dict[str, Any])
    name = desk.about(desk.named_namespace(), decoded(desk.body, bodies.NamedBody).name)
    desk.require(Ability.DDL, name)
    settle(desk, name.namespace)
    views = _views(desk, name.namespace)
    with naming(desk, name, "View"):
        return _shown(views.create(name.table, asked, anywhere=desk.terms.anywhere))


def load_view(desk: Desk) -> Answer:
    name = _named(desk)
    desk.require_sight_of(name, "view")
    return _shown(_views(desk, name.namespace).load(name.table))


def has_view(desk: Desk) -> Answer:
    name = _named(desk)
    desk.require_sight_of(name, "view")
    _views(desk, name.namespace).load(name.table)
    return NOTHING


def replace_view(desk: Desk) -> Answer:
    name = _named(desk)
    desk.require(Ability.DDL, name)
    asked = decoded(desk.body, bodies.ViewCommit)
    changed = _views(desk, name.namespace).commit(
        name.table, asked.requirements, asked.updates, anywhere=desk.terms.anywhere
    )
    return _shown(changed)


def drop_view(desk: Desk) -> Answer:
    name = _named(desk)
    desk.require(Ability.DDL, name)
    _views(desk, name.namespace).drop(name.table)
    return NOTHING


def rename_view(desk: Desk) -> Answer:
    asked = decoded(desk.body, bodies.Rename)
    new = asked.destination.table_name
    old = asked.source.table_name
    desk.about(old.namespace, old.table)
    for name in (old, new):
        desk.require(Ability.DDL, name)
    views = _views(desk, old.namespace)
    views.load(old.table)
    settle_destination(desk, new.namespace)
    with naming(desk, new, "View", old):
        views.rename(old.table, new)
    return NOTHING


def register_view(desk: Desk) -> Answer:
    asked = decoded(desk.body, bodies.RegisterTable)
    name = desk.about(desk.named_namespace(), asked.name)
    desk.require_registrar(name)
    settle(desk, name.namespace)
    views = _views(desk, name.namespace)
    with naming(desk, name, "View"):
        made = views.register(name.table, asked.metadata_location, anywhere=desk.terms.anywhere)
    return _shown(made)


def _named(desk: Desk) -> TableName:
    return desk.about(desk.named_namespace(), desk.path["view"])


def _views(desk: Desk, namespace: str) -> Views:
    host = desk.catalog.namespace(namespace)
    if not isinstance(host, ViewHost):
        raise UnsupportedError(f"catalog {quoted(desk.catalog.name)} keeps no views")
    return host.views()


def _shown(view: StoredView) -> Answer:
    return Answer(body=envelope(view.location, view.metadata))


def _keeps_views(catalog: Catalog) -> bool:
    return isinstance(catalog, EngineHost) and catalog.engines().keeps_views


ROUTES = (
    Route("GET", _ALL, list_views, NO_NAMESPACE, offered=_keeps_views),
    Route("POST", _ALL, create_view, NO_NAMESPACE, offered=_keeps_views),
    Route("GET", _ONE, load_view, NO_VIEW, offered=_keeps_views),
    Route("HEAD", _ONE, has_view, NO_VIEW, offered=_keeps_views),
    Route("POST", _ONE, replace_view, NO_VIEW, commits=True, offered=_keeps_views),
    Route("DELETE", _ONE, drop_view, NO_VIEW, offered=_keeps_views),
    Route("POST", "/v1/{prefix}/views/rename", rename_view, NO_VIEW, offered=_keeps_views),
    Route("POST", f"{_NAMESPACE}/register-view", register_view, NO_NAMESPACE, offered=_keeps_views),
)
