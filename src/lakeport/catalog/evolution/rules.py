"""The rules that rows were held against, as a word that a commit can carry.

An engine that adds rows to a table knows nothing of its constraints, so whoever checked the rows for it
names what they were checked by in the snapshot's summary. A door of ours then refuses that snapshot while
the table's rules are others: rows that nobody looked at are never committed under a new rule.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

RULES = "lakeport.rules"
"""The key in a snapshot's summary."""

CONSTRAINTS = "lakeport.constraints"
"""The table property that constraints are kept in."""


def rules_of(schema: Mapping[str, Any], properties: Mapping[str, str]) -> str:
    """`schema` is Iceberg's JSON. Columns that come, or may be NULL, change no rule."""
    rules = [sorted(_required(schema)), properties.get(CONSTRAINTS)]
    return hashlib.sha256(json.dumps(rules).encode()).hexdigest()[:16]


def _required(found: Any) -> Iterator[int]:
    """The ids of fields, elements and values that must not be NULL, at any depth."""
    if not isinstance(found, Mapping):
        return
    for field in found.get("fields", ()):
        if field.get("required"):
            yield field["id"]
        yield from _required(field["type"])
    for part in ("element", "value"):
        if found.get(f"{part}-required"):
            yield found[f"{part}-id"]
        yield from _required(found.get(part))
    yield from _required(found.get("key"))
