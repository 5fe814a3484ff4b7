"""Commits of other engines on Postgres: several tables as one, in whatever order they are named."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lakeport.catalog.engines import Engines, TableChange, Terms
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import AlreadyExistsError, ConflictError, NotFoundError
from lakeport.core.names import TableName
from tests.rest.raw import requirement, schema, update

TERMS = Terms()
FIRST, SECOND = TableName("a", "t"), TableName("b", "t")


def prepared(engines: Engines) -> None:
    for name in (FIRST, SECOND):
        engines.create_namespace([name.namespace], {}, TERMS)
        body = {"name": name.table, "schema": schema()}
        engines.create(name, json.dumps(body).encode(), TERMS)


def change(name: TableName, key: str, *requirements: dict[str, Any]) -> TableChange:
    updates = [update("set-properties", updates={key: "x"})]
    body = {"requirements": requirements, "updates": updates}
    return TableChange(name, json.dumps(body).encode())


def properties(engines: Engines, name: TableName) -> dict[str, str]:
    found: dict[str, str] = json.loads(engines.load(engines.find(name)).metadata)["properties"]
    return found


def test_tables_named_in_either_order_never_wait_for_each_other(profile: Profile) -> None:
    with IcebergCatalog(profile) as one, IcebergCatalog(profile) as two:
        prepared(one.engines())

        def write(number: int) -> None:
            engines = (one, two)[number % 2].engines()
            names = (FIRST, SECOND) if number % 2 else (SECOND, FIRST)
            engines.commit_all([change(name, f"p{number}") for name in names], TERMS)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(12)))
        for name in (FIRST, SECOND):
            assert {f"p{number}" for number in range(12)} <= properties(one.engines(), name).keys()


def test_all_or_none(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog:
        engines = catalog.engines()
        prepared(engines)
        before = [engines.find(name) for name in (FIRST, SECOND)]
        never = requirement("assert-current-schema-id", current_schema_id=9)
        with pytest.raises(ConflictError):
            engines.commit_all([change(FIRST, "p"), change(SECOND, "p", never)], TERMS)
        assert [engines.find(name) for name in (FIRST, SECOND)] == before


def test_names_across_namespaces(profile: Profile) -> None:
    with IcebergCatalog(profile) as catalog:
        engines = catalog.engines()
        prepared(engines)
        with pytest.raises(AlreadyExistsError):
            engines.rename(FIRST, TableName("b", "T"))
        with pytest.raises(NotFoundError):
            engines.rename(FIRST, TableName("nowhere", "t"))
        location = engines.find(FIRST).location
        engines.rename(FIRST, TableName("b", "moved"))
        assert engines.find(TableName("B", "Moved")).location == location
        engines.register(TableName("b", "t"), location, Terms(anywhere=True), overwrite=True)
        assert engines.find(SECOND).location == location
