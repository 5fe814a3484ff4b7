"""Lists what a service holds, with as few requests as its protocol allows.

Each namespace takes a request for what is below it, and one for its properties or for its tables. What is
dropped while we walk is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import (
    NoSuchIdentifierError,
    NoSuchNamespaceError,
    NoSuchPropertyException,
    NoSuchTableError,
)
from pyiceberg.typedef import Identifier

from lakeport.catalog.iceberg.pointers.port import Listing, describe
from lakeport.catalog.ports import NamespaceInfo

# The last is what Glue and Hive say of a table that is not Iceberg's.
MISSING = (
    NoSuchTableError,
    NoSuchNamespaceError,
    NoSuchIdentifierError,
    NoSuchPropertyException,
)


@dataclass(frozen=True, slots=True)
class Namespaces:
    """By dotted name. A level may hold a dot of its own, so `identifiers` are kept as they came."""

    infos: Mapping[str, NamespaceInfo]
    identifiers: Mapping[str, Identifier]


def list_namespaces(catalog: Catalog) -> Namespaces:
    identifiers = _identifiers(catalog)
    infos: dict[str, NamespaceInfo] = {}
    for name, identifier in identifiers.items():
        try:
            infos[name] = describe(name, catalog.load_namespace_properties(identifier))
        except MISSING:
            continue
    return Namespaces(infos, identifiers)


def list_everything(catalog: Catalog) -> Listing:
    """Names alone: what is said of a namespace would take another request for each."""
    tables: dict[tuple[str, str], str] = {}
    identifiers = _identifiers(catalog)
    for name, identifier in identifiers.items():
        try:
            tables.update({(name, table[-1]): "" for table in catalog.list_tables(identifier)})
        except MISSING:
            continue
    return Listing({name: NamespaceInfo(name) for name in identifiers}, tables)


def _identifiers(catalog: Catalog) -> dict[str, Identifier]:
    found: dict[str, Identifier] = {}
    pending = list(catalog.list_namespaces())
    while pending:
        namespace = tuple(pending.pop())
        name = ".".join(namespace)
        if name not in found:
            found[name] = namespace
            pending.extend(_below(catalog, namespace))
    return found


def _below(catalog: Catalog, namespace: Identifier) -> list[Identifier]:
    """Only what really is below: not every server heeds the parent it is asked about."""
    depth = len(namespace)
    try:
        children = [tuple(child) for child in catalog.list_namespaces(namespace)]
    except MISSING:
        return []
    return [child for child in children if child[:depth] == namespace and len(child) > depth]
