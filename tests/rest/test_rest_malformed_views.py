"""Damaged requests about views: refused with the reason, or a view that everybody can read."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.catalog.iceberg.views.bodies import creation, replacement, version
from tests.rest.damage import SEEDS, damaged
from tests.rest.doors import Client
from tests.rest.raw import RawLake

REFUSALS = {(400, "BadRequestException"), (400, "IllegalArgumentException")}


def commits(uuid: str) -> list[dict[str, Any]]:
    """One of every kind."""
    updates = [
        {"action": "assign-uuid", "uuid": uuid},
        {"action": "upgrade-format-version", "format-version": 1},
        *replacement("SELECT 2 AS b", "b"),
        {"action": "add-view-version", "view-version": version(7, "SELECT 7", schema_id=0)},
        {"action": "set-properties", "updates": {"a": "1"}},
        {"action": "remove-properties", "removals": ["a"]},
    ]
    same = {"type": "assert-view-uuid", "uuid": uuid}
    return [{"requirements": [same], "updates": updates[:5]}, {"updates": updates[5:]}]


def made(client: Client, path: str) -> str:
    answer = client.post(path, creation())
    assert answer.status == 200, answer.body
    return str(answer.json["metadata"]["view-uuid"])


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_changes_of_a_view(
    raw: RawLake, lake: IcebergCatalog, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311  no secret
    namespace = raw.namespace()
    path = f"/v1/lake/namespaces/{namespace}/views"
    uuid = made(raw.client, path)
    for _ in range(40):
        for commit in commits(uuid):
            before = raw.client.get(f"{path}/v").json
            reply = raw.client.post(f"{path}/v", damaged(commit, chance))
            if reply.status == 200:
                lake.namespace(namespace).views().view("v")
                raw.client.send("DELETE", f"{path}/v")
                uuid = made(raw.client, path)
            else:
                conflict = {(409, "CommitFailedException")}
                assert reply.error in REFUSALS | conflict, reply.body
                assert raw.client.get(f"{path}/v").json == before
    assert "rest.unexpected" not in caplog.text


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_requests_to_create_a_view(
    raw: RawLake, lake: IcebergCatalog, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311  no secret
    namespace = raw.namespace()
    path = f"/v1/lake/namespaces/{namespace}/views"
    text = json.dumps(creation()).encode()
    for _ in range(60):
        data = bytearray(json.dumps(damaged(creation(), chance)).encode())
        if chance.random() < 0.3:
            data = bytearray(text)
            data[chance.randrange(len(data))] = chance.randrange(256)
        reply = raw.client.send("POST", path, data=bytes(data))
        views = lake.namespace(namespace).views()
        if reply.status == 200:
            (name,) = views.names()
            views.view(name)
            views.drop(name)
        else:
            assert reply.error in REFUSALS, reply.body
            assert list(views.names()) == []
    assert "rest.unexpected" not in caplog.text
