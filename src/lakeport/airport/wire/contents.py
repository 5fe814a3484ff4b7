"""What `list_schemas` answers, in shape A: every namespace's objects inline, hashed as delivered.

Numbers and flags are always written: to the client a missing one is uninitialised memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from lakeport.airport.wire.packing import pack, wrap
from lakeport.catalog.ports import CatalogVersion


@dataclass(frozen=True, slots=True)
class SchemaRecord:
    """One namespace, with its objects as `schema_contents` packs them."""

    name: str
    contents: bytes
    description: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    is_default: bool = False


def schema_contents(infos: Sequence[bytes]) -> bytes:
    """Of FlightInfos as they are encoded."""
    return wrap(pack(infos))


def contents_record(contents: bytes) -> dict[str, object]:
    """Inline contents; the client checks the hash of exactly these bytes."""
    return {"sha256": sha256(contents).hexdigest(), "url": None, "serialized": contents}


def version_record(version: CatalogVersion) -> dict[str, object]:
    """The client plans a prepared statement anew once the number is another.

    A plan holds statistics of the rows of then, so the number grows with rows, too, where anybody counts.
    """
    return {
        "catalog_version": version.number + (version.rows or 0),
        "is_fixed": version.is_fixed,
    }


def list_schemas_answer(schemas: Sequence[SchemaRecord], version: CatalogVersion) -> bytes:
    root = {
        "contents": {"sha256": "", "url": None, "serialized": None},
        "schemas": [
            {
                "name": schema.name,
                "description": schema.description,
                "tags": dict(schema.tags),
                "is_default": schema.is_default,
                "contents": contents_record(schema.contents),
            }
            for schema in schemas
        ],
        "version_info": version_record(version),
    }
    return wrap(pack(root))
