"""Keeps the manifest list short, however many small commits there are.

Manifests are in classes by how many files they hold, each class `FAN` times the one below. When a class
has `FAN` of them they become one of the next class. So a list holds a few dozen manifests, and a
file's entry is copied about once per class: three times among 30,000 commits. A table's properties may
ask for another number, or for none of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from pyiceberg.table import TableProperties
from pyiceberg.utils.properties import property_as_bool, property_as_int

from lakeport.catalog.iceberg.commit.entries import EXISTING
from lakeport.catalog.iceberg.commit.listed import ManifestRow
from lakeport.catalog.iceberg.commit.manifests import ManifestFiles, Marked

FAN = 32


def merged(
    files: ManifestFiles,
    new: Sequence[ManifestRow],
    kept: Sequence[ManifestRow],
    properties: Mapping[str, str],
) -> tuple[list[ManifestRow], list[ManifestRow]]:
    """New rows and kept ones. Only kept ones are merged: what this snapshot did stays apart."""
    fan, most_bytes = _asked(properties)
    classes: dict[tuple[int, int, int], list[ManifestRow]] = defaultdict(list)
    for row in kept:
        if row.length < most_bytes:
            classes[row.content, row.spec_id, size_class(row.files, fan)].append(row)
    gone: set[str] = set()
    made: list[ManifestRow] = []
    for (content, spec_id, _), rows in classes.items():
        if len(rows) < fan:
            continue
        together = sorted(rows, key=lambda row: row.min_sequence)
        marked = [Marked(file, EXISTING) for row in together for file in files.entries(row)]
        made.append(files.write(spec_id, content, marked))
        gone.update(row.path for row in together)
    return [*new, *made], [row for row in kept if row.path not in gone]


def size_class(count: int, fan: int = FAN) -> int:
    found = 0
    while count >= fan:
        count //= fan
        found += 1
    return found


def _asked(properties: Mapping[str, str]) -> tuple[int, float]:
    """How many become one, and what is large enough as it is."""
    given = dict(properties)
    if not property_as_bool(given, TableProperties.MANIFEST_MERGE_ENABLED, default=True):
        return FAN, 0
    fan = property_as_int(given, TableProperties.MANIFEST_MIN_MERGE_COUNT, FAN)
    size = TableProperties.MANIFEST_TARGET_SIZE_BYTES
    usual = TableProperties.MANIFEST_TARGET_SIZE_BYTES_DEFAULT
    return max(2, fan or FAN), property_as_int(given, size, usual) or usual
