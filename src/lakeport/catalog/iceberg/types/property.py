"""The table properties that keep logical types: their names, and their JSON.

`lakeport.types` is an object from field ids to words: `{"1": "uint8", "4": "timestamp[s]"}`. A table may
be written by others and by later versions of us, so what cannot be read is passed over, entry by
entry, and the field is what its Iceberg type says; text that is no such object at all counts as absent.

Schemas have a history and properties have none, so `lakeport.types.past` says what words changed:
`[{"before": 7, "types": {"1": "uint8", "2": null}}]` is how fields 1 and 2 were described until version 7.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

from lakeport.catalog.iceberg.types.words import Annotation, annotation_from_text

TYPES = "lakeport.types"
PAST = "lakeport.types.past"


@lru_cache(maxsize=1024)
def read_annotations(text: str | None) -> Mapping[int, Annotation]:
    """By field id. Never fails: a table stays readable whatever somebody wrote there."""
    found: dict[int, Annotation] = {}
    for key, word in _entries(text).items():
        if isinstance(word, str) and key.isascii() and key.isdigit():
            try:
                found[int(key)] = annotation_from_text(word)
            except ValueError:
                continue  # from a later version, or nobody's
    return found


def write_annotations(annotations: Mapping[int, Annotation], before: str | None = None) -> str:
    """The property's text; entries of `before` that this version cannot read are kept."""
    known = read_annotations(before)
    entries: dict[str, object] = {
        key: word
        for key, word in _entries(before).items()
        if not (key.isascii() and key.isdigit())
        or (int(key) not in annotations and int(key) not in known)
    }
    entries |= {str(field_id): str(annotations[field_id]) for field_id in sorted(annotations)}
    return _written(entries)


def types_at(types: str | None, past: str | None, version: int) -> str | None:
    """The text of `lakeport.types` as it was for the snapshot with this version."""
    later = [changed for until, changed in _records(past) if until > version]
    if not later:
        return types
    entries = _entries(types)
    for changed in reversed(later):
        for key, word in changed.items():
            if word is None:
                entries.pop(key, None)
            else:
                entries[key] = word
    return _written(entries)


def remember_types(
    past: str | None, version: int, before: str | None, after: str | None, last_id: int
) -> str | None:
    """`lakeport.types.past` once `version` changes the words of fields up to `last_id`."""
    old, new = _entries(before), _entries(after)
    changed = {
        key: old.get(key)
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key) and key.isascii() and key.isdigit() and int(key) <= last_id
    }
    if not changed:
        return past
    records = [{"before": until, "types": types} for until, types in _records(past)]
    return _written([*records, {"before": version, "types": changed}])


def _records(text: str | None) -> list[tuple[int, dict[str, object]]]:
    found = _read(text)
    records: list[tuple[int, dict[str, object]]] = []
    for record in found if isinstance(found, list) else ():
        match record:
            case {"before": int(until), "types": dict(changed)}:
                records.append((until, changed))
    return sorted(records, key=lambda record: record[0])


def _entries(text: str | None) -> dict[str, object]:
    found = _read(text)
    return found if isinstance(found, dict) else {}


def _read(text: str | None) -> object:
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None


def _written(found: object) -> str:
    return json.dumps(found, separators=(",", ":"), ensure_ascii=False)
