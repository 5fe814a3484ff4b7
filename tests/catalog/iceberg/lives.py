"""Lives of an Iceberg table as metadata alone, beside a record of what `main` pointed at, and when.

Every step takes ten seconds. Expiry comes in two manners: Java's drops the log up to the last snapshot
that is gone; PyIceberg's drops single entries and forgets parents.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table.metadata import TableMetadataUtil

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.parts import Source
from lakeport.core.names import TableName
from lakeport.core.timepoint import NANOSECONDS, AtTime

START_MS = 1_700_000_000_000
STEP_MS = 10_000

Manner = Literal["java", "pyiceberg"]


def schema_json(schema_id: int) -> dict[str, Any]:
    """Schema *n* has *n* + 1 columns."""
    fields = [
        {"id": index + 1, "name": f"c{index}", "type": "long", "required": False}
        for index in range(schema_id + 1)
    ]
    return {"type": "struct", "schema-id": schema_id, "fields": fields}


@dataclass
class Life:
    format_version: int = 2
    now: int = START_MS
    commits: int = 0
    sequence: int = 0
    schemas: int = 1
    snapshots: dict[int, dict[str, Any]] = field(default_factory=dict)
    refs: dict[str, dict[str, Any]] = field(default_factory=dict)
    log: list[dict[str, int]] = field(default_factory=list)
    truth: list[tuple[int, int | None]] = field(default_factory=lambda: [(0, None)])

    # -- events ----------------------------------------------------------------------------------

    def commit(self, branch: str = "main", *, with_schema: bool = True) -> int:
        self.now += STEP_MS
        self.commits += 1
        self.sequence += 1
        ident = 1000 + self.commits
        head = self.refs.get(branch) or self.refs.get("main")
        snapshot: dict[str, Any] = {
            "snapshot-id": ident,
            "timestamp-ms": self.now,
            "manifest-list": f"/nowhere/{ident}.avro",
            "summary": {"operation": "append", "added-records": "1"},
        }
        if head is not None:
            snapshot["parent-snapshot-id"] = head["snapshot-id"]
        if with_schema:
            snapshot["schema-id"] = self.schemas - 1
        if self.format_version > 1:
            snapshot["sequence-number"] = self.sequence
        self.snapshots[ident] = snapshot
        self._point(branch, ident)
        return ident

    def roll_back(self, ident: int) -> None:
        """Or forward: `main` is set to any snapshot that is still there."""
        self.now += STEP_MS
        self._point("main", ident)

    def change_schema(self) -> None:
        self.now += STEP_MS
        self.schemas += 1

    def tag(self, name: str, ident: int) -> None:
        self.refs[name] = {"snapshot-id": ident, "type": "tag"}

    def upgrade(self) -> None:
        """What is there gets sequence number 0, which is none."""
        self.format_version = 2
        self.sequence = 0
        self.snapshots = {
            key: {**snapshot, "sequence-number": 0} for key, snapshot in self.snapshots.items()
        }

    def replace(self) -> int:
        """REPLACE TABLE … AS SELECT, as Spark does it."""
        del self.refs["main"]
        self.log.clear()
        return self.commit()

    def expire(self, idents: set[int], manner: Manner) -> None:
        held = {ref["snapshot-id"] for ref in self.refs.values()}
        gone = {ident for ident in idents if ident in self.snapshots and ident not in held}
        self.snapshots = {key: one for key, one in self.snapshots.items() if key not in gone}
        if manner == "java":
            for index, entry in reversed(list(enumerate(self.log))):
                if entry["snapshot-id"] in gone:
                    del self.log[: index + 1]
                    break
            return
        self.log = [entry for entry in self.log if entry["snapshot-id"] not in gone]
        for snapshot in self.snapshots.values():
            if snapshot.get("parent-snapshot-id") in gone:
                del snapshot["parent-snapshot-id"]

    def _point(self, branch: str, ident: int) -> None:
        self.refs[branch] = {"snapshot-id": ident, "type": "branch"}
        if branch == "main":
            self.log.append({"timestamp-ms": self.now, "snapshot-id": ident})
            self.truth.append((self.now, ident))

    # -- questions -------------------------------------------------------------------------------

    def pointed_at(self, milliseconds: int) -> int | None:
        return [ident for since, ident in self.truth if since <= milliseconds][-1]

    @property
    def source(self) -> Source:
        main = self.refs.get("main")
        metadata: dict[str, Any] = {
            "format-version": self.format_version,
            "table-uuid": "00000000-0000-4000-8000-000000000001",
            "location": "/nowhere",
            "last-updated-ms": self.now,
            "last-column-id": self.schemas,
            "schemas": [schema_json(index) for index in range(self.schemas)],
            "current-schema-id": self.schemas - 1,
            "partition-specs": [{"spec-id": 0, "fields": []}],
            "default-spec-id": 0,
            "last-partition-id": 999,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "default-sort-order-id": 0,
            "properties": {},
            "snapshots": list(self.snapshots.values()),
            "snapshot-log": self.log,
            "refs": self.refs,
            "current-snapshot-id": None if main is None else main["snapshot-id"],
        }
        if self.format_version == 1:
            metadata |= {"schema": schema_json(self.schemas - 1), "partition-spec": []}
        else:
            metadata["last-sequence-number"] = self.sequence
        # A copy, so that the life can go on without changing what was read.
        parsed = TableMetadataUtil.parse_obj(metadata).model_copy(deep=True)
        return Source(TableName("shop", "orders"), parsed, PyArrowFileIO(), Caches())


def at(milliseconds: int) -> AtTime:
    return AtTime(milliseconds * NANOSECONDS // 1000)
