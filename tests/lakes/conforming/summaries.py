"""A snapshot's summary, recomputed from its files and from its parent's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pyiceberg.table.snapshots import Snapshot

from tests.lakes.conforming.manifests import Contents, Entry

DATA, POSITIONS, EQUALITY = 0, 1, 2


def summary_complaints(
    snapshot: Snapshot, contents: Contents, parent: Contents | None
) -> Iterator[str]:
    """`parent` is None where it has expired."""
    summary = snapshot.summary
    if summary is None:
        yield "it has no summary"
        return
    told = dict(summary.additional_properties)
    for key, value in _totals(contents.live.values()).items():
        yield from _compared(told, key, value, missing_is_zero=False)
    for key, value in _changes(contents).items():
        yield from _compared(told, key, value, missing_is_zero=True)
    places = {entry.place for entry in (*contents.added.values(), *contents.deleted.values())}
    if told.get("changed-partition-count", str(len(places))) != str(len(places)):
        yield f"changed-partition-count is {told['changed-partition-count']}, not {len(places)}"
    operation = summary.operation.value
    if operation == "append" and contents.deleted:
        yield "an append that deletes files"
    if operation == "append" and any(map(_is_delete, contents.added.values())):
        yield "an append that deletes rows"
    if operation == "delete" and not all(map(_is_delete, contents.added.values())):
        yield "a delete that adds rows"
    if parent is not None:
        yield from _difference_complaints(contents, parent)


def _difference_complaints(contents: Contents, parent: Contents) -> Iterator[str]:
    new = contents.live.keys() - parent.live.keys()
    gone = parent.live.keys() - contents.live.keys()
    for path in sorted(new - contents.added.keys()):
        yield f"{path} is new and not said to be added"
    for path in sorted(contents.added.keys() - new):
        yield f"{path} is said to be added and was there"
    for path in sorted(gone - contents.deleted.keys()):
        yield f"{path} is gone and not said to be deleted"
    for path in sorted(contents.deleted.keys() - gone):
        yield f"{path} is said to be deleted and is there, or was not"
    for path in contents.live.keys() & parent.live.keys():
        now, before = contents.live[path], parent.live[path]
        if (now.sequence, now.snapshot_id) != (before.sequence, before.snapshot_id):
            yield f"{path} changed its sequence number or snapshot"
        if _facts(now.file) != _facts(before.file):
            yield f"{path} is described in another way than before"


def _facts(file: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without what is missing: a writer may leave out, or add, fields that hold nothing."""
    return {key: repr(value) for key, value in file.items() if value not in (None, [], {})}


def _is_delete(entry: Entry) -> bool:
    return bool(entry.file["content"] != DATA)


def _totals(live: Iterable[Entry]) -> dict[str, int]:
    files = list(live)
    return {
        "total-data-files": _count(files, DATA),
        "total-delete-files": _count(files, POSITIONS, EQUALITY),
        "total-records": _rows(files, DATA),
        "total-position-deletes": _rows(files, POSITIONS),
        "total-equality-deletes": _rows(files, EQUALITY),
        "total-files-size": _bytes(files),
    }


def _changes(contents: Contents) -> dict[str, int]:
    added, deleted = list(contents.added.values()), list(contents.deleted.values())
    return {
        "added-data-files": _count(added, DATA),
        "added-records": _rows(added, DATA),
        "added-delete-files": _count(added, POSITIONS, EQUALITY),
        "added-position-delete-files": _count(added, POSITIONS),
        "added-position-deletes": _rows(added, POSITIONS),
        "added-files-size": _bytes(added),
        "deleted-data-files": _count(deleted, DATA),
        "deleted-records": _rows(deleted, DATA),
        "removed-delete-files": _count(deleted, POSITIONS, EQUALITY),
        "removed-position-deletes": _rows(deleted, POSITIONS),
        "removed-files-size": _bytes(deleted),
    }


def _count(files: list[Entry], *contents: int) -> int:
    return sum(one.file["content"] in contents for one in files)


def _rows(files: list[Entry], content: int) -> int:
    return sum(one.file["record_count"] for one in files if one.file["content"] == content)


def _bytes(files: list[Entry]) -> int:
    return sum(one.file["file_size_in_bytes"] for one in files)


def _compared(
    told: Mapping[str, str], key: str, value: int, *, missing_is_zero: bool
) -> Iterator[str]:
    text = told.get(key, "0" if missing_is_zero else None)
    if text != str(value):
        yield f"{key} is {text}, not {value}"
