"""Bodies of requests as typed values, as far as this door has to understand them."""

from __future__ import annotations

import msgspec
from msgspec import Struct, field


class Identifier(Struct, frozen=True):
    namespace: list[str]
    name: str


class CreateNamespace(Struct, frozen=True):
    namespace: list[str]
    properties: dict[str, str] = field(default_factory=dict)


class UpdateProperties(Struct, frozen=True):
    removals: list[str] = field(default_factory=list)
    updates: dict[str, str] = field(default_factory=dict)


class NamedBody(Struct, frozen=True):
    """Of a request to create something: the rest is for the catalog to read."""

    name: str


class RegisterTable(Struct, frozen=True, rename="kebab"):
    name: str
    metadata_location: str
    overwrite: bool = False


class Rename(Struct, frozen=True):
    source: Identifier
    destination: Identifier


class Action(Struct, frozen=True):
    """Of an update only what kind it is."""

    action: str


class Updates(Struct, frozen=True):
    updates: list[Action] = field(default_factory=list)


class TableUpdates(Struct, frozen=True):
    identifier: Identifier
    updates: list[Action] = field(default_factory=list)


class Transaction(Struct, frozen=True, rename="kebab"):
    table_changes: list[msgspec.Raw]
