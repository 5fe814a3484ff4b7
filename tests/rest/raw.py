"""Tables made and changed by requests as an engine sends them, without any engine."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from tests.rest.doors import Client, Reply

_numbers = itertools.count(1)

COLUMNS = (
    {"id": 1, "name": "k", "type": "long", "required": True},
    {"id": 2, "name": "v", "type": "string", "required": False},
)


def schema(*fields: dict[str, Any], number: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": "struct", "schema-id": number, "fields": list(fields or COLUMNS), **more}


def column(number: int, name: str, kind: Any = "long", **more: Any) -> dict[str, Any]:
    return {"id": number, "name": name, "type": kind, "required": False, **more}


def update(action: str, **fields: Any) -> dict[str, Any]:
    return {"action": action, **{key.replace("_", "-"): value for key, value in fields.items()}}


def requirement(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **{key.replace("_", "-"): value for key, value in fields.items()}}


VIEW: dict[str, Any] = {
    "name": "v",
    "schema": schema(),
    "view-version": {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        "summary": {},
        "default-namespace": [],
        "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}],
    },
    "properties": {},
}


@dataclass(slots=True)
class RawTable:
    client: Client
    namespace: str
    name: str
    snapshots: list[int] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/v1/lake/namespaces/{self.namespace}/tables/{self.name}"

    def loaded(self) -> dict[str, Any]:
        reply = self.client.get(self.path)
        assert reply.status == 200, reply.body
        metadata: dict[str, Any] = reply.json["metadata"]
        return metadata

    def location(self) -> str:
        return str(self.client.get(self.path).json["metadata-location"])

    def commit(self, *updates: dict[str, Any], requiring: tuple[dict[str, Any], ...] = ()) -> Reply:
        return self.client.post(
            self.path, {"requirements": list(requiring), "updates": list(updates)}
        )

    def changed(
        self, *updates: dict[str, Any], requiring: tuple[dict[str, Any], ...] = ()
    ) -> dict[str, Any]:
        """The metadata after updates that must succeed, as the answer and a new load both have it."""
        reply = self.commit(*updates, requiring=requiring)
        assert reply.status == 200, reply.body
        metadata: dict[str, Any] = reply.json["metadata"]
        assert self.loaded() == metadata
        return metadata

    def refuse(self, *updates: dict[str, Any], requiring: tuple[dict[str, Any], ...] = ()) -> Reply:
        """The answer to updates that must not change anything."""
        before = self.location()
        reply = self.commit(*updates, requiring=requiring)
        assert reply.status >= 400, reply.body
        assert self.location() == before
        return reply

    def snapshot(self, sequence: int, **more: Any) -> dict[str, Any]:
        """One that an engine has written. Nobody opens its manifests here."""
        metadata = self.loaded()
        number = 1_000 + next(_numbers)
        self.snapshots.append(number)
        return {
            "snapshot-id": number,
            "parent-snapshot-id": metadata.get("current-snapshot-id"),
            "sequence-number": sequence,
            "timestamp-ms": metadata["last-updated-ms"] + 1,
            "manifest-list": f"{metadata['location']}/metadata/snap-{number}.avro",
            "summary": {"operation": "append", "added-records": "1"},
            "schema-id": metadata["current-schema-id"],
            **more,
        }

    def append(self) -> int:
        """One more snapshot on main."""
        sequence = self.loaded()["last-sequence-number"] + 1
        snapshot = self.snapshot(sequence)
        number: int = snapshot["snapshot-id"]
        self.changed(
            update("add-snapshot", snapshot=snapshot),
            update("set-snapshot-ref", ref_name="main", type="branch", snapshot_id=number),
        )
        return number


@dataclass(slots=True)
class RawLake:
    client: Client

    def namespace(self, *, properties: dict[str, str] | None = None) -> str:
        name = f"ns{next(_numbers)}"
        body = {"namespace": [name], "properties": properties or {}}
        reply = self.client.post("/v1/lake/namespaces", body)
        assert reply.status == 200, reply.body
        return name

    def table(self, namespace: str | None = None, **body: Any) -> RawTable:
        table = RawTable(self.client, namespace or self.namespace(), f"t{next(_numbers)}")
        more = {key.replace("_", "-"): value for key, value in body.items()}
        asked = {"name": table.name, "schema": schema(), **more}
        reply = self.client.post(f"/v1/lake/namespaces/{table.namespace}/tables", asked)
        assert reply.status == 200, reply.body
        return table
