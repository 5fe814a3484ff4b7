"""Lists what a service holds, with as few requests as its protocol allows.

Namespaces take two requests each (what is below, and the properties), tables one per namespace. What is
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
    infos: dict[str, NamespaceInfo] = {}
    identifiers: dict[str, Identifier] = {}
    pending = list(catalog.list_namespaces())
    while pending:
        namespace = tuple(pending.pop())
        name = ".".join(namespace)
        if name in infos:
            continue
        try:
            infos[name] = describe(name, catalog.load_namespace_properties(namespace))
            identifiers[name] = namespace
            pending.extend(_below(catalog, namespace))
        except MISSING:
            infos.pop(name, None)
    return Namespaces(infos, identifiers)


def _below(catalog: Catalog, namespace: Identifier) -> list[Identifier]:
    """Only what really is below: not every server heeds the parent it is asked about."""
    depth = len(namespace)
    children = (tuple(child) for child in catalog.list_namespaces(namespace))
    return [child for child in children if child[:depth] == namespace and len(child) > depth]


def list_everything(catalog: Catalog) -> tuple[Namespaces, Listing]:
    namespaces = list_namespaces(catalog)
    tables: dict[tuple[str, str], str] = {}
    for name, identifier in namespaces.identifiers.items():
        try:
            tables.update({(name, table[-1]): "" for table in catalog.list_tables(identifier)})
        except MISSING:
            continue
    return namespaces, Listing(namespaces.infos, tables)
