"""Bodies of requests as typed values, as far as this door has to understand them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct, field

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName


def dotted(levels: Iterable[str]) -> str:
    """A nested namespace as one name."""
    name = ".".join(levels)
    if not name.strip("."):
        raise InvalidRequestError("the namespace has no name")
    return name


class Identifier(Struct, frozen=True):
    namespace: list[str]
    name: str

    @property
    def table_name(self) -> TableName:
        return TableName(dotted(self.namespace), self.name)


class CreateNamespace(Struct, frozen=True):
    namespace: list[str]
    properties: dict[str, str] | None = None


class UpdateProperties(Struct, frozen=True):
    """Clients in Go write a list or a map of nothing as `null`."""

    removals: list[str] | None = None
    updates: dict[str, str] | None = None


class NamedBody(Struct, frozen=True):
    """Of a request to create something: the rest is for the catalog to read."""

    name: str


class RegisterTable(Struct, frozen=True, rename="kebab"):
    name: str
    metadata_location: str
    overwrite: bool = False


class Report(Struct, frozen=True, rename="kebab"):
    """Of what an engine tells of its work only which kind it is."""

    report_type: str


class Rename(Struct, frozen=True):
    source: Identifier
    destination: Identifier


class ViewCommit(Struct, frozen=True):
    """What a view's updates say is for the catalog to read."""

    requirements: list[dict[str, Any]] = field(default_factory=list)
    updates: list[dict[str, Any]] = field(default_factory=list)


class Snapshot(Struct, frozen=True):
    summary: dict[str, Any] = field(default_factory=dict)


class Action(Struct, frozen=True):
    """Of an update only what kind it is, and how much a snapshot changes."""

    action: str
    snapshot: Snapshot | None = None


class Updates(Struct, frozen=True):
    updates: list[Action] = field(default_factory=list)


class TableUpdates(Struct, frozen=True):
    identifier: Identifier
    updates: list[Action] = field(default_factory=list)


class Transaction(Struct, frozen=True, rename="kebab"):
    table_changes: list[msgspec.Raw]
