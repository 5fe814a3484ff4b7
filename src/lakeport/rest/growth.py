"""The growth door: what a run of a pipeline may not do to a table, whatever it was granted.

Tables lose no column by it, at any depth (`catalog/evolution/growing.py`), and only those that the run made
itself are dropped or renamed. A table knows who made it by a property, which no run may touch afterwards.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lakeport.catalog.decoding import decoded
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName, quoted
from lakeport.rest.desk import Desk

RUN = "lakeport.run"

_OTHERWISE = "a run lets tables grow and takes nothing away; use a token without `--growth`"


class _Update(msgspec.Struct):
    """Of an update only what it says about properties."""

    action: str
    updates: dict[str, Any] | None = None
    updated: dict[str, Any] | None = None
    removals: list[str] | None = None
    removed: list[str] | None = None

    @property
    def keys(self) -> set[str]:
        given = (self.updates, self.updated, self.removals, self.removed)
        return {key for keys in given if keys is not None for key in keys}


class _Requirement(msgspec.Struct):
    type: str


class _Commit(msgspec.Struct):
    requirements: list[_Requirement] = msgspec.field(default_factory=list)
    updates: list[_Update] = msgspec.field(default_factory=list)


class _Owned(msgspec.Struct):
    properties: dict[str, str] = msgspec.field(default_factory=dict)


def creation(desk: Desk, body: bytes) -> bytes:
    """The request to make a table, which will say that the run made it."""
    if not desk.identity.growth:
        return body
    asked = decoded(body, dict[str, Any])
    properties = asked.get("properties") or {}
    if not isinstance(properties, dict):
        return body  # refused by whoever reads all of it
    return msgspec.json.encode({**asked, "properties": {**properties, RUN: desk.identity.name}})


def commit(desk: Desk, name: TableName, body: bytes) -> bytes:
    """The commit to a table; one that makes it says by whom."""
    if not desk.identity.growth:
        return body
    asked = decoded(body, _Commit)
    if any(each.type == "assert-create" for each in asked.requirements):
        whole = decoded(body, dict[str, Any])
        made = {"action": "set-properties", "updates": {RUN: desk.identity.name}}
        return msgspec.json.encode({**whole, "updates": [*whole.get("updates", ()), made]})
    if any(RUN in update.keys for update in asked.updates):
        raise InvalidRequestError(
            f"{quoted(RUN)} of table {quoted(str(name))} says who made it, and stays",
            hint=_OTHERWISE,
        )
    return body


def require_own(desk: Desk, name: TableName, what: str) -> None:
    """Before a table is dropped or renamed: it was made by this very run."""
    if not desk.identity.growth:
        return
    engines = desk.engines
    stored = engines.load(engines.find(name)).metadata
    if decoded(stored, _Owned).properties.get(RUN) != desk.identity.name:
        raise InvalidRequestError(
            f"table {quoted(str(name))} was not made by {quoted(desk.identity.name)}, "
            f"which therefore cannot {what} it",
            hint=_OTHERWISE,
        )


def require_new(desk: Desk, name: TableName, *, overwrite: bool) -> None:
    """Before a table is registered: it takes no other one's place."""
    if desk.identity.growth and overwrite:
        raise InvalidRequestError(
            f"table {quoted(str(name))} cannot be replaced by another one", hint=_OTHERWISE
        )
