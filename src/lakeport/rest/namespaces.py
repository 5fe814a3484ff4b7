"""Namespaces: list, create, load, exists, drop, and their properties.

A namespace that only holds others (`a`, of `a.b`) is listed as well, or nobody would find those below.
The system namespace is no part of the catalog, and not to be had here.
"""

from __future__ import annotations

from collections.abc import Mapping

from lakeport.access import Ability, visible_namespaces
from lakeport.catalog.decoding import decoded
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import fold, quoted
from lakeport.rest import bodies
from lakeport.rest.answers import NOTHING, Answer, json
from lakeport.rest.bodies import dotted
from lakeport.rest.desk import SEPARATOR, Desk
from lakeport.rest.failures import NO_NAMESPACE, NOT_EMPTY, NamedError
from lakeport.rest.implied import holds_others, located, settle
from lakeport.rest.pages import page_of
from lakeport.rest.routes import Route
from lakeport.system import NAMESPACE

_ALL = "/v1/{prefix}/namespaces"
_ONE = "/v1/{prefix}/namespaces/{namespace}"
_CONFLICT, _UNPROCESSABLE = 409, 422


def list_namespaces(desk: Desk) -> Answer:
    parent = desk.query.get("parent")
    above = tuple(parent.split(SEPARATOR)) if parent else ()
    engines = desk.engines
    known = [engines.levels(info.name) for info in visible_namespaces(desk.identity, desk.catalog)]
    folded = tuple(map(fold, above))
    below = {
        levels[: len(above) + 1]
        for levels in known
        if len(levels) > len(above) and tuple(map(fold, levels[: len(above)])) == folded
    }
    if above and not below and not any(tuple(map(fold, levels)) == folded for levels in known):
        desk.note(dotted(above))
        raise NotFoundError(f"there is no namespace {quoted(dotted(above))}")
    by_name = {SEPARATOR.join(levels): levels for levels in below}
    page, token = page_of(sorted(by_name), desk.query)
    return json({"namespaces": [by_name[name] for name in page], "next-page-token": token})


def create_namespace(desk: Desk) -> Answer:
    asked = decoded(desk.body, bodies.CreateNamespace)
    name = dotted(asked.namespace)
    desk.note(name)
    desk.require_namespace(Ability.DDL, name)
    if fold(name) == NAMESPACE:
        raise AlreadyExistsError(
            f"there is already a namespace {quoted(NAMESPACE)}", hint="it is Lakeport's own"
        )
    properties = asked.properties or {}
    desk.engines.create_namespace(asked.namespace, properties, desk.terms)
    return json({"namespace": asked.namespace, "properties": properties})


def load_namespace(desk: Desk) -> Answer:
    levels, properties = _seen(desk)
    return json({"namespace": levels, "properties": properties})


def has_namespace(desk: Desk) -> Answer:
    _seen(desk)
    return NOTHING


def drop_namespace(desk: Desk) -> Answer:
    name = desk.named_namespace()
    desk.require_namespace(Ability.DDL, name)
    if holds_others(desk, name):
        error = PreconditionError(
            f"namespace {quoted(name)} still holds namespaces", hint="drop those below it first"
        )
        raise NamedError(error, _CONFLICT, NOT_EMPTY)
    try:
        desk.engines.drop_namespace(name)
    except PreconditionError as error:
        raise NamedError(error, _CONFLICT, NOT_EMPTY) from error
    return NOTHING


def update_properties(desk: Desk) -> Answer:
    name = desk.named_namespace()
    desk.require_namespace(Ability.DDL, name)
    asked = decoded(desk.body, bodies.UpdateProperties)
    removals, updates = asked.removals or [], asked.updates or {}
    both = set(removals) & set(updates)
    if both:
        error = InvalidRequestError(f"{quoted(min(both))} is to be set and to be removed")
        raise NamedError(error, _UNPROCESSABLE, "UnprocessableEntityException")
    settle(desk, name)
    done = desk.engines.change_properties(name, removals, updates, desk.terms)
    return json({"updated": done.updated, "removed": done.removed, "missing": done.missing})


def _seen(desk: Desk) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """The levels of a namespace and its properties."""
    levels, found = located(desk, desk.named_namespace())
    return levels, {} if found is None else desk.engines.properties(found)


ROUTES = (
    Route("GET", _ALL, list_namespaces, NO_NAMESPACE),
    Route("POST", _ALL, create_namespace, NO_NAMESPACE),
    Route("GET", _ONE, load_namespace, NO_NAMESPACE),
    Route("HEAD", _ONE, has_namespace, NO_NAMESPACE),
    Route("DELETE", _ONE, drop_namespace, NO_NAMESPACE),
    Route("POST", f"{_ONE}/properties", update_properties, NO_NAMESPACE),
)
