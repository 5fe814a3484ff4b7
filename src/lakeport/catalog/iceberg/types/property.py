"""The table property that keeps logical types: its name, and its JSON.

`lakeport.types` is an object from field ids to words: `{"1": "uint8", "4": "timestamp[s]"}`. A table may
be written by others and by later versions of us, so what cannot be read is passed over, entry by
entry, and the field is what its Iceberg type says; text that is no such object at all counts as absent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

from lakeport.catalog.iceberg.types.words import Annotation, annotation_from_text

TYPES = "lakeport.types"


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
    """The property's text; entries of `before` that this version does not know are kept."""
    entries: dict[str, object] = {
        key: word
        for key, word in _entries(before).items()
        if not (key.isascii() and key.isdigit()) or int(key) not in annotations
    }
    entries |= {str(field_id): str(annotations[field_id]) for field_id in sorted(annotations)}
    return json.dumps(entries, separators=(",", ":"), ensure_ascii=False)


def _entries(text: str | None) -> dict[str, object]:
    if text is None:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
