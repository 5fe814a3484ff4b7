"""What both kinds of pointers give: those of a SQL database, asked every time, and those of a service.

Names come in as users spell them and go out as they were written. A nested namespace is one dotted name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pyiceberg.typedef import Identifier, Properties

from lakeport.catalog.iceberg.metadata import Loaded
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.names import TableName

COMMENT = "comment"

# What PyIceberg and Java's JDBC catalog write so that a namespace without properties has a row.
_EXISTS = ("exists", "true")

# Before tags that are called like something else that is kept among the properties.
_TAG = "lakeport.tag."
_TAKEN = frozenset({COMMENT, _EXISTS[0]})


class Pointers(Protocol):
    def namespaces(self) -> Sequence[NamespaceInfo]:
        """All, nested ones too, by name."""
        ...

    def namespace(self, name: str) -> NamespaceInfo:
        """In any spelling; `NotFoundError` otherwise."""
        ...

    def tables(self, namespace: str) -> Sequence[str]:
        """By name; `NotFoundError` when the namespace is gone."""
        ...

    def table(self, namespace: str, name: str) -> TableName:
        """In any spelling; `NotFoundError` otherwise."""
        ...

    def load(self, name: TableName) -> Loaded:
        """The table as fresh as promised; `NotFoundError` once it was dropped."""
        ...

    def where(self, name: TableName) -> str:
        """The table's metadata file, as fresh as promised; see `load`. A service may leave it empty."""
        ...

    def survey(self, namespace: str) -> Mapping[str, str | None]:
        """All tables of a namespace, none when it is gone, and their metadata files where known."""
        ...

    def surveyed(self, name: TableName, location: str | None) -> Loaded:
        """One of them, as it was then where that is known."""
        ...

    def identifier(self, namespace: str) -> Identifier:
        """How PyIceberg wants a namespace named."""
        ...

    def version(self) -> int: ...

    def rows_version(self) -> int | None:
        """Another number once `version` was asked after any table was written to; None if unnoticed."""
        ...

    def forget(self, name: TableName | None = None) -> None:
        """We have changed a table, or which there are: what was remembered of it is wrong."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything a catalog holds, by name. A service does not tell locations: they are empty then.

    Nor which views it has. Those are by namespace, then by name.
    """

    namespaces: Mapping[str, NamespaceInfo] = field(default_factory=dict)
    tables: Mapping[tuple[str, str], str] = field(default_factory=dict)
    views: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def describe(name: str, properties: Mapping[str, str]) -> NamespaceInfo:
    kept = {key: value for key, value in properties.items() if (key, value) != _EXISTS}
    comment = kept.pop(COMMENT, None)
    return NamespaceInfo(name, comment, {key.removeprefix(_TAG): kept[key] for key in kept})


def properties_of(info: NamespaceInfo) -> Properties:
    comment = {} if info.comment is None else {COMMENT: info.comment}
    tags = {_TAG + key if key in _TAKEN else key: info.properties[key] for key in info.properties}
    return {**tags, **comment}


def can_exist(name: str) -> bool:
    """Whether a database or a URL can hold the name at all; if not, asking would be an error."""
    try:
        return b"\x00" not in name.encode()
    except UnicodeEncodeError:
        return False
