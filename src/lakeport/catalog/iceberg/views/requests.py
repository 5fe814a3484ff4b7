"""What engines send about views, as JSON, and what comes of it. Nothing is believed that is not checked."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from pydantic import ValidationError
from pyiceberg.schema import Schema
from pyiceberg.typedef import IcebergBaseModel
from pyiceberg.view.metadata import ViewMetadata, ViewVersion

from lakeport.catalog.iceberg.views.draft import FORMAT, Draft
from lakeport.catalog.views import Json
from lakeport.core.errors import ConflictError, InvalidRequestError
from lakeport.core.names import quoted

M = TypeVar("M", bound=IcebergBaseModel)


def new_view(wanted: Json, location: str, uuid: uuids.UUID, now: int) -> ViewMetadata:
    """From the body of a create request."""
    draft = Draft(now, str(uuid), location)
    properties = wanted.get("properties")
    draft.properties.update({} if properties is None else _texts(properties, "properties"))
    schema_id = draft.add_schema(_parsed(Schema, wanted, "schema"))
    version = _parsed(ViewVersion, wanted, "view-version")
    draft.set_current(draft.add_version(version.model_copy(update={"schema_id": schema_id})))
    return draft.finish()


def next_view(before: ViewMetadata, updates: Iterable[Json], now: int) -> ViewMetadata:
    draft = Draft.of(before, now)
    for update in updates:
        action = _asked(update, "action")
        apply = _UPDATES.get(action) if isinstance(action, str) else None
        if apply is None:
            raise InvalidRequestError(
                f"a view cannot take the update {quoted(str(action))}",
                hint=f"updates of views: {', '.join(_UPDATES)}",
            )
        apply(draft, update)
    return draft.finish()


def check_requirements(before: ViewMetadata, requirements: Iterable[Json]) -> None:
    for requirement in requirements:
        kind = _asked(requirement, "type")
        if kind != "assert-view-uuid":
            raise InvalidRequestError(
                f"a view cannot be held to the requirement {quoted(str(kind))}",
                hint="requirements of views: assert-view-uuid",
            )
        if _text(requirement, "uuid").lower() != before.view_uuid.lower():
            raise ConflictError(
                "it is another view by now: somebody dropped the one that was meant",
                hint="load it again",
            )


class _Apply(Protocol):
    def __call__(self, draft: Draft, update: Json, /) -> object: ...


def _upgrade(_draft: Draft, update: Json) -> None:
    wanted = update.get("format-version")
    if wanted != FORMAT:
        raise InvalidRequestError(f"views have format {FORMAT}, not {wanted}")


def _set_location(draft: Draft, update: Json) -> None:
    draft.location = _text(update, "location").rstrip("/")


def _set_properties(draft: Draft, update: Json) -> None:
    draft.properties.update(_texts(update.get("updates"), "updates"))


def _remove_properties(draft: Draft, update: Json) -> None:
    removals = update.get("removals")
    if not isinstance(removals, list):
        raise InvalidRequestError("`removals` must be a list of names")
    for key in removals:
        draft.properties.pop(str(key), None)


def _set_current(draft: Draft, update: Json) -> None:
    number = update.get("view-version-id")
    if not isinstance(number, int) or isinstance(number, bool):
        raise InvalidRequestError("`view-version-id` must be a number")
    draft.set_current(number)


_UPDATES: Mapping[str, _Apply] = {
    "assign-uuid": lambda draft, update: draft.assign_uuid(_text(update, "uuid")),
    "upgrade-format-version": _upgrade,
    "add-schema": lambda draft, update: draft.add_schema(_parsed(Schema, update, "schema")),
    "set-location": _set_location,
    "set-properties": _set_properties,
    "remove-properties": _remove_properties,
    "add-view-version": lambda draft, update: draft.add_version(
        _parsed(ViewVersion, update, "view-version")
    ),
    "set-current-view-version": _set_current,
}


def _asked(given: object, key: str) -> object:
    """What an item of a list is, which need not be an object at all."""
    return given.get(key) if isinstance(given, Mapping) else None


def _parsed(model: type[M], body: Json, key: str) -> M:
    given = body.get(key)
    if not isinstance(given, Mapping):
        raise InvalidRequestError(f"{quoted(key)} is missing, or no object")
    try:
        return model.model_validate(given)
    except (ValidationError, ValueError, TypeError) as error:
        raise InvalidRequestError(f"{quoted(key)} is not Iceberg's: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error).partition("\n")[0]
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def _text(body: Json, key: str) -> str:
    given = body.get(key)
    if not isinstance(given, str) or not given:
        raise InvalidRequestError(f"{quoted(key)} must be a text")
    return given


def _texts(given: object, key: str) -> dict[str, str]:
    if not isinstance(given, Mapping) or not all(isinstance(each, str) for each in given.values()):
        raise InvalidRequestError(f"{quoted(key)} must be an object of texts")
    return dict(given)
