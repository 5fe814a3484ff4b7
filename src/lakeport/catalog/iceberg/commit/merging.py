"""Keeps the manifest list short, however many small commits there are.

Manifests are in classes by how many files they hold, each class `fan` times the one below. When a class
has `fan` of them they become one of the next class. So a list holds a few dozen manifests, and a
file's entry is copied about once per class: three times among 30,000 commits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from lakeport.catalog.iceberg.commit.entries import EXISTING
from lakeport.catalog.iceberg.commit.listed import ManifestRow
from lakeport.catalog.iceberg.commit.manifests import ManifestFiles, Marked

FAN = 32
_MOST_BYTES = 8 << 20


def merged(
    files: ManifestFiles, new: Sequence[ManifestRow], kept: Sequence[ManifestRow]
) -> tuple[list[ManifestRow], list[ManifestRow]]:
    """New rows and kept ones. Only kept ones are merged: what this snapshot did stays apart."""
    classes: dict[tuple[int, int, int], list[ManifestRow]] = defaultdict(list)
    for row in kept:
        if row.length < _MOST_BYTES:
            classes[row.content, row.spec_id, size_class(row.files)].append(row)
    gone: set[str] = set()
    made: list[ManifestRow] = []
    for (content, spec_id, _), rows in classes.items():
        if len(rows) < FAN:
            continue
        together = sorted(rows, key=lambda row: row.min_sequence)
        marked = [Marked(file, EXISTING) for row in together for file in files.entries(row)]
        made.append(files.write(spec_id, content, marked))
        gone.update(row.path for row in together)
    return [*new, *made], [row for row in kept if row.path not in gone]


def size_class(count: int) -> int:
    found = 0
    while count >= FAN:
        count //= FAN
        found += 1
    return found
