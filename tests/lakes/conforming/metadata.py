"""A table's metadata file on its own: ids, logs, references, as the specification and Java's reader want them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from tests.lakes.conforming.avro import local_path

_MINUTE = 60_000
"""How far Java lets clocks of two writers differ."""


def metadata_complaints(location: str) -> Iterator[str]:
    raw = json.loads(local_path(location).read_text(encoding="utf-8"))
    if raw["format-version"] != 2:
        yield f"its format is {raw['format-version']}"
    yield from _schema_complaints(raw)
    yield from _layout_complaints(raw)
    yield from _snapshot_complaints(raw)
    yield from _log_complaints(raw)


def _schema_complaints(raw: Mapping[str, Any]) -> Iterator[str]:
    schemas = {schema["schema-id"]: schema for schema in raw["schemas"]}
    if len(schemas) != len(raw["schemas"]):
        yield "two schemas have one id"
    if raw["current-schema-id"] not in schemas:
        yield "its current schema does not exist"
    kinds: dict[int, Any] = {}
    for ident, schema in sorted(schemas.items()):
        fields = list(_fields(schema))
        ids = [field["id"] for field in fields]
        if len(ids) != len(set(ids)):
            yield f"a field id comes twice in schema {ident}"
        if max(ids, default=0) > raw["last-column-id"]:
            yield f"schema {ident} has an id above the last one, {raw['last-column-id']}"
        for field in fields:
            before = kinds.setdefault(field["id"], field["type"])
            if not _may_become(before, field["type"]) and not _may_become(field["type"], before):
                yield f"field {field['id']} was {before} and is {field['type']}"
        yield from _name_complaints(schema, ident)


def _name_complaints(kind: Mapping[str, Any], ident: int) -> Iterator[str]:
    names = [field["name"] for field in kind["fields"]]
    if len(names) != len(set(names)):
        yield f"two fields have one name in schema {ident}: {names}"


def _fields(kind: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(kind, dict):
        return
    inside = [
        *kind.get("fields", []),
        *(
            {"id": kind[f"{part}-id"], "type": kind[part], "name": part}
            for part in ("element", "key", "value")
            if part in kind
        ),
    ]
    for field in inside:
        yield field
        yield from _fields(field["type"])


def _may_become(before: Any, after: Any) -> bool:
    if isinstance(before, dict) or isinstance(after, dict):
        return isinstance(before, dict) and isinstance(after, dict)
    if before == after or (before, after) in {("int", "long"), ("float", "double")}:
        return True
    if before.startswith("decimal") and after.startswith("decimal"):
        (digits, scale), (wider, same) = _decimal(before), _decimal(after)
        return scale == same and digits <= wider
    return False


def _decimal(text: str) -> tuple[int, int]:
    digits, scale = text[len("decimal(") : -1].split(",")
    return int(digits), int(scale)


def _layout_complaints(raw: Mapping[str, Any]) -> Iterator[str]:
    specs = {spec["spec-id"]: spec["fields"] for spec in raw["partition-specs"]}
    orders = {order["order-id"]: order["fields"] for order in raw["sort-orders"]}
    known = {field["id"] for schema in raw["schemas"] for field in _fields(schema)}
    fields = [field for spec in specs.values() for field in spec]
    if max((field["field-id"] for field in fields), default=0) > raw["last-partition-id"]:
        yield f"a partition field has an id above the last one, {raw['last-partition-id']}"
    if not {field["source-id"] for field in fields} <= known:
        yield "a spec is about a field that never was"
    (current,) = (one for one in raw["schemas"] if one["schema-id"] == raw["current-schema-id"])
    there = {field["id"] for field in _fields(current)}
    for name, ident, held in (
        ("partitioned", raw["default-spec-id"], specs),
        ("sorted", raw["default-sort-order-id"], {0: [], **orders}),
    ):
        if ident not in held:
            yield f"the table is {name} by {ident}, which does not exist"
            continue
        used = {one["source-id"] for one in held[ident] if one["transform"] != "void"}
        if not used <= there:
            yield f"the table is {name} by fields that are gone: {used - there}"


def _snapshot_complaints(raw: Mapping[str, Any]) -> Iterator[str]:
    listed = raw.get("snapshots", [])
    snapshots = {snapshot["snapshot-id"]: snapshot for snapshot in listed}
    numbers = {snapshot["sequence-number"] for snapshot in listed}
    if not len(snapshots) == len(numbers) == len(listed):
        yield "two snapshots have one id or one sequence number"
    if max(numbers, default=0) > raw["last-sequence-number"]:
        yield f"its last sequence number is {raw['last-sequence-number']}"
    schemas = {schema["schema-id"] for schema in raw["schemas"]}
    for ident, snapshot in snapshots.items():
        if snapshot.get("schema-id") not in schemas:
            yield f"snapshot {ident} has no schema"
        parent = snapshots.get(snapshot.get("parent-snapshot-id"), {})
        if parent.get("sequence-number", -1) >= snapshot["sequence-number"]:
            yield f"snapshot {ident} has no later sequence number than its parent"
        if parent.get("timestamp-ms", 0) > snapshot["timestamp-ms"]:
            yield f"snapshot {ident} is older than its parent"
    yield from _ref_complaints(raw, snapshots)


def _ref_complaints(raw: Mapping[str, Any], snapshots: Mapping[int, Any]) -> Iterator[str]:
    refs = {name: ref["snapshot-id"] for name, ref in raw.get("refs", {}).items()}
    current = raw.get("current-snapshot-id")
    if refs.get("main") != (None if current == -1 else current):
        yield f"its current snapshot is {current}, main is {refs.get('main')}"
    for name, ident in refs.items():
        if ident not in snapshots:
            yield f"{name} is about a snapshot that does not exist"


def _log_complaints(raw: Mapping[str, Any]) -> Iterator[str]:
    log = raw.get("snapshot-log", [])
    snapshots = {snapshot["snapshot-id"] for snapshot in raw.get("snapshots", [])}
    current = raw.get("current-snapshot-id")
    if log and current not in {None, -1} and log[-1]["snapshot-id"] != current:
        yield "its snapshot log ends with another snapshot than the current one"
    if any(entry["snapshot-id"] not in snapshots for entry in log):
        yield "its snapshot log names a snapshot that does not exist"
    yield from _order_complaints("snapshot log", log, raw["last-updated-ms"])
    files = raw.get("metadata-log", [])
    yield from _order_complaints("metadata log", files, raw["last-updated-ms"])
    missing = [
        entry["metadata-file"] for entry in files if not local_path(entry["metadata-file"]).exists()
    ]
    if missing:
        yield f"its metadata log names files that do not exist: {missing}"


def _order_complaints(name: str, log: Sequence[Mapping[str, Any]], now: int) -> Iterator[str]:
    times = [entry["timestamp-ms"] for entry in log]
    if any(later < earlier - _MINUTE for earlier, later in pairwise([*times, now])):
        yield f"its {name} is not in order, or the table was changed before its end"
