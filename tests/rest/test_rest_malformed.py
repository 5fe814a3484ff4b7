"""Whatever is sent, the answer is 400 with the reason, and nothing has changed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.rest.damage import SEEDS, damaged
from tests.rest.doors import Client
from tests.rest.raw import RawLake, RawTable, column, requirement, schema, update

BAD = (400, "BadRequestException")
DEEP = 100_000


def nested(depth: int) -> Any:
    kind: Any = "long"
    for number in range(depth):
        kind = {
            "type": "list",
            "element-id": number + 2,
            "element": kind,
            "element-required": False,
        }
    return schema(column(1, "k", kind))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'"text"',
        b"\xff\xfe",
        b'{"updates": null}',
        b'{"updates": {}}',
        b'{"updates": [null]}',
        b'{"updates": [{}]}',
        b'{"updates": [{"action": 5}]}',
        b'{"updates": [{"action": "invent-something"}]}',
        b'{"updates": [], "requirements": [{"type": "assert-nonsense"}]}',
        b'{"updates": [{"action": "set-current-schema", "schema-id": "0"}]}',
        b'{"updates": [{"action": "set-current-schema", "schema-id": 1e99}]}',
        b'{"updates": [{"action": "set-properties", "updates": {"a": 1}}]}',
        b'{"updates": [{"action": "add-schema", "schema": []}]}',
        b'{"updates": [{"action": "add-snapshot", "snapshot": {}}]}',
        b'{"updates": [{"action": "assign-uuid", "uuid": "x"}]}',
        b'{"updates": [{"action": "set-statistics"}]}',
        b'{"updates":' + b"[" * DEEP + b"]" * DEEP + b"}",
        b'{"updates": [{"action": "add-schema", "schema":' + b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    ],
)
def test_a_commit_that_cannot_be_read_is_refused(raw: RawLake, data: bytes) -> None:
    table = raw.table()
    before = table.location()
    reply = table.client.send("POST", table.path, data=data)
    assert reply.error == BAD
    assert len(reply.message) < 1_000
    assert table.location() == before


@pytest.mark.parametrize("depth", [60, 200, 900])
def test_a_type_that_is_nested_too_deep_is_refused(raw: RawLake, depth: int) -> None:
    table = raw.table()
    reply = table.commit(update("add-schema", schema=nested(depth)))
    assert reply.error == BAD
    assert table.append()


def test_addresses_that_are_not_there(client: Client) -> None:
    for path in ("/", "/v1", "/v2/config", "/v1/lake/nothing", "/v1/lake/namespaces/a/tables/b/c"):
        assert client.get(path).error == (404, "NoSuchEndpointException"), path
    put = client.send("PUT", "/v1/config")
    assert put.error == (405, "UnsupportedOperationException")
    assert put.headers["allow"] == "GET"
    assert client.send("PATCH", "/v1/lake/namespaces").error[0] == 405
    assert client.get("/v1/lake/namespaces/%FF").error == BAD
    assert client.get("/v1/other/namespaces").error == (404, "NoSuchWarehouseException")
    assert client.get("/v1/config?warehouse=other").error == (404, "NoSuchWarehouseException")


def test_a_namespace_without_a_name_is_refused(client: Client) -> None:
    assert client.get("/v1/lake/namespaces/%1F/tables").error == BAD
    assert client.get("/v1/lake/namespaces/%00/tables").error[0] in {400, 404}
    assert client.get("/v1/lake/namespaces/a/tables/%00").error[0] in {400, 404}


def commits(table: RawTable) -> Iterator[dict[str, Any]]:
    """One of every kind, most of them good."""
    snapshot = table.snapshot(table.loaded()["last-sequence-number"] + 1)
    number = snapshot["snapshot-id"]
    statistics = {"snapshot-id": number, "statistics-path": "a", "file-size-in-bytes": 1}
    field = {"source-id": 1, "field-id": 1000, "transform": "bucket[4]", "name": "b"}
    order = {
        "source-id": 1,
        "transform": "identity",
        "direction": "asc",
        "null-order": "nulls-last",
    }
    struct = {"type": "struct", "fields": [column(4, "x"), column(5, "y", "decimal(9, 2)")]}
    wider = schema(column(1, "k"), column(2, "v", "string"), column(3, "s", struct))
    yield {
        "requirements": [
            requirement("assert-table-uuid", uuid=table.loaded()["table-uuid"]),
            requirement("assert-ref-snapshot-id", ref="dev", snapshot_id=None),
            requirement("assert-default-spec-id", default_spec_id=0),
        ],
        "updates": [
            update("add-schema", schema=wider, last_column_id=5),
            update("set-current-schema", schema_id=-1),
            update("add-spec", spec={"spec-id": 1, "fields": [field]}),
            update("set-default-spec", spec_id=-1),
            update("add-sort-order", sort_order={"order-id": 1, "fields": [order]}),
            update("set-default-sort-order", sort_order_id=-1),
        ],
    }
    yield {
        "requirements": [],
        "updates": [
            update("add-snapshot", snapshot=snapshot),
            update("set-snapshot-ref", ref_name="main", type="branch", snapshot_id=number),
            update("set-partition-statistics", partition_statistics=statistics),
            update("set-properties", updates={"a": "1"}),
            update("remove-properties", removals=["b"]),
            update("remove-snapshots", snapshot_ids=[1, 2]),
        ],
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_commits_are_refused_or_make_a_table_that_can_be_read(
    raw: RawLake, lake: IcebergCatalog, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311  no secret
    table = raw.table()
    for _ in range(25):
        for commit in list(commits(table)):
            before = table.location()
            reply = table.client.post(table.path, damaged(commit, chance))
            if reply.status == 200:
                # Whatever was understood is a table for everybody.
                lake.namespace(table.namespace).table(table.name).state()
                table = raw.table(table.namespace)
            else:
                assert reply.error[0] in {400, 409}, reply.body
                assert table.location() == before
    assert "rest.unexpected" not in caplog.text


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_bytes_are_refused(
    raw: RawLake, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311  no secret
    table = raw.table()
    texts = [json.dumps(commit).encode() for commit in commits(table)]
    for _ in range(60):
        data = bytearray(chance.choice(texts))
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        reply = table.client.send("POST", table.path, data=bytes(data))
        if reply.status == 200:
            table = raw.table(table.namespace)
            texts = [json.dumps(commit).encode() for commit in commits(table)]
        else:
            assert reply.error[0] in {400, 409}, reply.body
    assert "rest.unexpected" not in caplog.text


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_requests_to_create_are_refused(
    raw: RawLake, lake: IcebergCatalog, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311  no secret
    namespace = raw.namespace()
    field = {"source-id": 1, "field-id": 1000, "transform": "bucket[4]", "name": "b"}
    order = {
        "source-id": 1,
        "transform": "identity",
        "direction": "asc",
        "null-order": "nulls-last",
    }
    body = {
        "name": "t",
        "schema": schema(),
        "partition-spec": {"spec-id": 1, "fields": [field]},
        "write-order": {"order-id": 1, "fields": [order]},
        "properties": {"a": "1", "format-version": "2"},
        "stage-create": False,
    }
    path = f"/v1/lake/namespaces/{namespace}/tables"
    for _ in range(40):
        reply = raw.client.post(path, damaged(body, chance))
        if reply.status == 200:
            for name in lake.namespace(namespace).tables():
                lake.namespace(namespace).table(name).state()
                assert raw.client.send("DELETE", f"{path}/{name}").status == 204
        else:
            assert reply.error == BAD, reply.body
    assert "rest.unexpected" not in caplog.text
