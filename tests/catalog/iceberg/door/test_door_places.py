"""Where an engine may have files: in the warehouse and where its table is, unless it is an admin's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakeport.catalog.engines import Engines, TableChange, Terms
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName
from tests.rest.doors import profile_in
from tests.rest.raw import schema, update

NAME = TableName("s", "t")
USER, ADMIN = Terms(), Terms(anywhere=True)


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[Engines]:
    with IcebergCatalog(profile_in(tmp_path)) as catalog:
        engines = catalog.engines()
        engines.create_namespace(["s"], {}, USER)
        engines.create(NAME, creation(), USER)
        yield engines


def creation(**more: Any) -> bytes:
    body = {"name": "t", "schema": schema()}
    return json.dumps({**body, **{key.replace("_", "-"): more[key] for key in more}}).encode()


def change(*updates: dict[str, Any]) -> TableChange:
    return TableChange(NAME, json.dumps({"updates": updates}).encode())


def outside(folder: Path, kind: str) -> dict[str, Any]:
    elsewhere = f"file://{folder}/elsewhere"
    snapshot = {
        "snapshot-id": 1,
        "sequence-number": 1,
        "timestamp-ms": 2_000_000_000_000,
        "manifest-list": f"{elsewhere}/snap.avro",
        "summary": {"operation": "append"},
    }
    return {
        "location": update("set-location", location=elsewhere),
        "climbing": update("set-location", location=f"file://{folder}/warehouse/../elsewhere"),
        "scheme": update("set-location", location=f"s3://{folder}/warehouse/x"),
        "sibling": update("set-location", location=f"file://{folder}/warehouse2"),
        "metadata": update("set-properties", updates={"write.metadata.path": elsewhere}),
        "data": update("set-properties", updates={"write.data.path": elsewhere}),
        "code": update("set-properties", updates={"write.py-location-provider.impl": "os.system"}),
        "storage": update("set-properties", updates={"s3.endpoint": "http://elsewhere"}),
        "snapshot": update("add-snapshot", snapshot=snapshot),
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "location",
        "climbing",
        "scheme",
        "sibling",
        "metadata",
        "data",
        "code",
        "storage",
        "snapshot",
    ],
)
def test_what_lies_elsewhere_is_refused(engines: Engines, tmp_path: Path, kind: str) -> None:
    before = engines.find(NAME).location
    with pytest.raises(InvalidRequestError):
        engines.commit(change(outside(tmp_path, kind)), USER)
    assert engines.find(NAME).location == before


def test_an_admin_may_choose_a_place(engines: Engines, tmp_path: Path) -> None:
    made = engines.commit(change(outside(tmp_path, "location")), ADMIN)
    assert made.location is not None
    assert made.location.startswith(f"file://{tmp_path}/elsewhere/metadata/")
    # Where the table is now, whoever may change it may.
    again = update("set-properties", updates={"write.data.path": f"file://{tmp_path}/elsewhere/d"})
    engines.commit(change(again), USER)


def test_new_tables_and_namespaces_stay_inside(engines: Engines, tmp_path: Path) -> None:
    elsewhere = f"file://{tmp_path}/elsewhere"
    inside = f"file://{tmp_path}/warehouse/chosen"
    new = TableName("s", "new")
    for refused in ({"location": elsewhere}, {"properties": {"write.metadata.path": elsewhere}}):
        with pytest.raises(InvalidRequestError):
            engines.create(new, creation(**refused), USER)
    with pytest.raises(InvalidRequestError):
        engines.create_namespace(["n"], {"location": elsewhere}, USER)
    with pytest.raises(InvalidRequestError):
        engines.change_properties("s", [], {"location": elsewhere}, USER)
    with pytest.raises(InvalidRequestError):
        engines.register(new, f"{elsewhere}/x.metadata.json", USER)
    assert (
        b'"location":"' + inside.encode()
        in engines.create(new, creation(location=f"{inside}/"), USER).metadata
    )
    engines.create_namespace(["n"], {"location": inside}, USER)
    found = engines.create(TableName("n", "t"), creation(), USER).location
    assert found is not None
    assert found.startswith(inside)


def test_a_check_sees_the_schemas_before_anything_is_written(
    engines: Engines, tmp_path: Path
) -> None:
    seen: list[list[list[str]]] = []

    def refuse(*schemas: Any) -> None:
        seen.append([[field["name"] for field in each["fields"]] for each in schemas])
        raise InvalidRequestError("no")

    files = sorted(tmp_path.rglob("*.json"))
    narrower = schema({"id": 1, "name": "k", "type": "long", "required": True})
    updates = update("add-schema", schema=narrower), update("set-current-schema", schema_id=-1)
    with pytest.raises(InvalidRequestError):
        engines.commit(change(*updates), Terms(check=refuse))
    assert seen == [[["k", "v"], ["k"]]]
    assert sorted(tmp_path.rglob("*.json")) == files
