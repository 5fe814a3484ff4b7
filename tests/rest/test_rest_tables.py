"""Tables over the door: their names, their making and their end, as engines ask for it."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote, unquote, urlparse

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.core.names import TableName
from tests.rest.doors import Client
from tests.rest.raw import RawLake, RawTable, column, requirement, schema, update

NO_TABLE = (404, "NoSuchTableException")
NO_NAMESPACE = (404, "NoSuchNamespaceException")
TAKEN = (409, "AlreadyExistsException")
BAD = (400, "BadRequestException")


def names(client: Client, namespace: str, query: str = "") -> list[str]:
    found = client.get(f"/v1/lake/namespaces/{namespace}/tables{query}").json
    assert all(each["namespace"] == [namespace] for each in found["identifiers"])
    return [each["name"] for each in found["identifiers"]]


def place(uri: str) -> Path:
    return Path(unquote(urlparse(uri).path))


def test_a_table_is_created_listed_loaded_and_dropped(raw: RawLake, client: Client) -> None:
    table = raw.table()
    assert names(client, table.namespace) == [table.name]
    assert client.send("HEAD", table.path).status == 204
    assert [each["name"] for each in table.loaded()["schemas"][0]["fields"]] == ["k", "v"]
    assert client.send("DELETE", table.path).status == 204
    assert client.send("HEAD", table.path).status == 404
    assert client.get(table.path).error == NO_TABLE
    assert client.send("DELETE", table.path).error == NO_TABLE
    assert names(client, table.namespace) == []


def test_field_ids_are_given_anew(raw: RawLake) -> None:
    struct = {"type": "struct", "fields": [column(30, "x"), column(40, "y")]}
    field = {"source-id": 20, "field-id": 5, "transform": "identity", "name": "k"}
    order = {"source-id": 20, "transform": "identity", "direction": "desc"}
    table = raw.table(
        schema=schema(column(10, "s", struct), column(20, "k")),
        partition_spec={"spec-id": 3, "fields": [field]},
        write_order={"order-id": 9, "fields": [order]},
    )
    after = table.loaded()
    assert [each["id"] for each in after["schemas"][0]["fields"]] == [1, 2]
    assert after["last-column-id"] == 4
    assert after["partition-specs"][0]["fields"][0]["source-id"] == 2
    assert after["default-sort-order-id"] == 1
    assert after["sort-orders"][0]["fields"][0]["null-order"] == "nulls-last"


def test_two_spellings_are_one_name(raw: RawLake, client: Client) -> None:
    table = raw.table()
    loud = table.name.upper()
    assert client.get(table.path.replace(table.name, loud)).json["metadata"] == table.loaded()
    path = f"/v1/lake/namespaces/{table.namespace.upper()}/tables"
    assert client.post(path, {"name": loud, "schema": schema()}).error == TAKEN
    assert names(client, table.namespace) == [table.name]


def test_the_prefix_may_be_left_out(raw: RawLake, client: Client) -> None:
    table = raw.table()
    assert client.get(table.path.replace("/v1/lake/", "/v1/")).json["metadata"] == table.loaded()


@pytest.mark.parametrize("name", ["a b", "a+b", "é", "100%", "a&b=c", "v1", "namespaces"])
def test_names_are_as_they_are_written(raw: RawLake, client: Client, name: str) -> None:
    namespace = raw.namespace()
    path = f"/v1/lake/namespaces/{namespace}/tables"
    assert client.post(path, {"name": name, "schema": schema()}).status == 200
    assert names(client, namespace) == [name]
    assert client.get(f"{path}/{quote(name, safe='')}").status == 200
    # Java writes a blank as a plus.
    assert client.get(f"{path}/{quote(name, safe=' ').replace(' ', '+')}").status == 200


@pytest.mark.parametrize("name", ["", "a.b", "a\\b", " a", "__lakeport_x", "a\n"])
def test_names_that_cannot_be_are_refused(raw: RawLake, client: Client, name: str) -> None:
    path = f"/v1/lake/namespaces/{raw.namespace()}/tables"
    assert client.post(path, {"name": name, "schema": schema()}).error == BAD


def test_a_namespace_that_is_not_there_holds_nothing(client: Client) -> None:
    path = "/v1/lake/namespaces/nowhere/tables"
    assert client.get(path).error == NO_NAMESPACE
    assert client.post(path, {"name": "t", "schema": schema()}).error == NO_NAMESPACE
    assert client.get(f"{path}/t").error[0] == 404
    assert client.send("HEAD", f"{path}/t").status == 404


def test_what_spark_asks_of_a_branch_is_no_table(raw: RawLake, client: Client) -> None:
    table = raw.table()
    path = f"/v1/lake/namespaces/{table.namespace}%1F{table.name}/tables/branch_x"
    assert client.get(path).error == NO_TABLE


def test_a_format_that_cannot_be_written_is_refused(raw: RawLake, client: Client) -> None:
    body = {"name": "t", "schema": schema(), "properties": {"format-version": "3"}}
    namespace = raw.namespace()
    reply = client.post(f"/v1/lake/namespaces/{namespace}/tables", body)
    assert reply.error == BAD
    assert "format 3" in reply.message
    assert names(client, namespace) == []


def test_a_staged_table_is_there_once_it_is_committed(raw: RawLake, client: Client) -> None:
    namespace = raw.namespace()
    path = f"/v1/lake/namespaces/{namespace}/tables"
    body = {"name": "t", "schema": schema(), "stage-create": True, "properties": {"a": "1"}}
    staged = client.post(path, body).json
    assert staged["metadata-location"] is None
    assert names(client, namespace) == []
    metadata = staged["metadata"]
    assert place(f"{metadata['location']}/metadata").is_dir()
    table = RawTable(client, namespace, "t")
    reply = table.commit(
        update("assign-uuid", uuid=metadata["table-uuid"]),
        update("upgrade-format-version", format_version=2),
        update("add-schema", schema=metadata["schemas"][0], last_column_id=2),
        update("set-current-schema", schema_id=-1),
        update("add-spec", spec=metadata["partition-specs"][0]),
        update("set-default-spec", spec_id=-1),
        update("add-sort-order", sort_order=metadata["sort-orders"][0]),
        update("set-default-sort-order", sort_order_id=-1),
        update("set-location", location=metadata["location"]),
        update("set-properties", updates=metadata["properties"]),
        requiring=(requirement("assert-create"),),
    )
    assert reply.status == 200, reply.body
    after = table.loaded()
    assert after["table-uuid"] == metadata["table-uuid"]
    assert after["schemas"] == metadata["schemas"]
    assert after["properties"]["a"] == "1"
    assert table.append()
    again = client.post(path, body)
    assert again.error == TAKEN


def test_a_staged_table_needs_all_its_parts(raw: RawLake, client: Client) -> None:
    table = RawTable(client, raw.namespace(), "t")
    create = (requirement("assert-create"),)
    assert table.commit(update("set-properties", updates={}), requiring=create).error == BAD
    added = update("add-schema", schema=schema()), update("set-current-schema", schema_id=-1)
    assert table.commit(*added, requiring=create).error == BAD
    assert table.commit(requiring=create).error == BAD
    assert names(client, table.namespace) == []


def test_a_dropped_table_can_be_brought_back_and_a_purged_one_is_gone(
    raw: RawLake, client: Client, lake: IcebergCatalog
) -> None:
    kept, gone = raw.table(), raw.table()
    kept_at, gone_at = place(kept.location()), place(gone.location())
    assert client.send("DELETE", kept.path).status == 204
    assert client.send("DELETE", f"{gone.path}?purgeRequested=true").status == 204
    assert kept_at.exists()
    assert not gone_at.exists()
    assert client.send("DELETE", f"{kept.path}?purgeRequested=perhaps").error == BAD
    assert TableName(gone.namespace, gone.name) not in [each.name for each in lake.dropped_tables()]


def test_a_table_is_renamed_within_and_across_namespaces(raw: RawLake, client: Client) -> None:
    table, elsewhere = raw.table(), raw.namespace()
    uuid = table.loaded()["table-uuid"]

    def rename(to_namespace: str, to_name: str) -> int:
        body = {
            "source": {"namespace": [table.namespace], "name": table.name},
            "destination": {"namespace": [to_namespace], "name": to_name},
        }
        reply = client.post("/v1/lake/tables/rename", body)
        if reply.status == 204:
            table.namespace, table.name = to_namespace, to_name
        return reply.status

    assert rename(table.namespace, "Other") == 204
    assert rename(table.namespace, "OTHER") == 204
    assert rename(elsewhere, "moved") == 204
    assert table.loaded()["table-uuid"] == uuid
    assert rename(elsewhere, "moved") == 204
    assert table.append()


def test_a_rename_is_refused_where_it_cannot_be(raw: RawLake, client: Client) -> None:
    table = raw.table()
    other = raw.table(raw.namespace())

    def rename(source: list[str], destination: list[str]) -> tuple[int, str]:
        body = {
            "source": {"namespace": source[:-1], "name": source[-1]},
            "destination": {"namespace": destination[:-1], "name": destination[-1]},
        }
        return client.post("/v1/lake/tables/rename", body).error

    mine, taken = [table.namespace, table.name], [other.namespace, other.name]
    assert rename(mine, taken) == TAKEN
    assert rename(mine, [other.namespace, other.name.upper()]) == TAKEN
    assert rename(mine, ["nowhere", "t"]) == NO_NAMESPACE
    assert rename([table.namespace, "nothing"], [table.namespace, "t"]) == NO_TABLE
    assert rename(mine, [table.namespace, "a.b"]) == BAD
    assert names(client, table.namespace) == [table.name]


def test_a_table_is_registered_by_its_metadata(raw: RawLake, client: Client) -> None:
    table = raw.table()
    table.append()
    path = f"/v1/lake/namespaces/{table.namespace}/register"
    body = {"name": "again", "metadata-location": table.location()}
    reply = client.post(path, body)
    assert reply.status == 200
    assert reply.json["metadata"] == table.loaded()
    assert names(client, table.namespace) == sorted(["again", table.name])
    assert client.post(path, body).error == TAKEN


def test_registering_over_a_table_replaces_it(raw: RawLake, client: Client) -> None:
    table, other = raw.table(), raw.table()
    path = f"/v1/lake/namespaces/{table.namespace}/register"
    body = {"name": table.name, "metadata-location": other.location(), "overwrite": True}
    assert client.post(path, body).json["metadata"] == other.loaded()
    assert table.loaded() == other.loaded()
    fresh = {**body, "name": "fresh"}
    assert client.post(path, fresh).status == 200


def test_what_is_no_metadata_cannot_be_registered(
    raw: RawLake, client: Client, folder: Path
) -> None:
    namespace = raw.namespace()
    path = f"/v1/lake/namespaces/{namespace}/register"
    inside = folder / "warehouse" / "not.metadata.json"
    inside.parent.mkdir(exist_ok=True)  # no other test may have made a table yet
    inside.write_text('{"format-version": 2}')
    for location in (f"file://{inside}", f"file://{folder}/warehouse/missing.metadata.json"):
        reply = client.post(path, {"name": "t", "metadata-location": location})
        assert reply.status in {400, 404, 422}, reply.body
        assert str(folder) not in reply.message
    assert names(client, namespace) == []


def test_a_table_of_format_3_is_not_registered(raw: RawLake, client: Client) -> None:
    table = raw.table()
    newer = place(table.location()).with_name("00001-newer.metadata.json")
    newer.write_text(json.dumps({**table.loaded(), "format-version": 3, "next-row-id": 0}))
    body = {"name": "newer", "metadata-location": f"file://{newer}"}
    reply = client.post(f"/v1/lake/namespaces/{table.namespace}/register", body)
    assert reply.error == BAD
    assert "format 3" in reply.message
    assert names(client, table.namespace) == [table.name]


def test_long_listings_come_in_pages(raw: RawLake, client: Client) -> None:
    namespace = raw.namespace()
    made = sorted(raw.table(namespace).name for _ in range(5))
    assert names(client, namespace) == made
    assert names(client, namespace, "?pageToken=") == made
    found: list[str] = []
    token = ""
    while True:
        query = f"?pageToken={token}&pageSize=2"
        reply = client.get(f"/v1/lake/namespaces/{namespace}/tables{query}").json
        assert len(reply["identifiers"]) <= 2
        found += [each["name"] for each in reply["identifiers"]]
        token = reply["next-page-token"]
        if token is None:
            break
    assert found == made
    path = f"/v1/lake/namespaces/{namespace}/tables"
    for query in ("?pageSize=0", "?pageSize=x", "?pageSize=-1", "?pageToken=%C3%A9&pageSize=1"):
        assert client.get(path + query).error == BAD


def test_reports_are_taken(raw: RawLake, client: Client) -> None:
    report = {"report-type": "scan-report", "table-name": "t", "metrics": {}}
    path = raw.table().path
    assert client.post(f"{path}/metrics", report).status == 204
    assert client.post(f"{path}/metrics", {**report, "report-type": "of-tomorrow"}).status == 204
    assert client.post(f"{path}-not/metrics", report).error == NO_TABLE
    bodies: tuple[object, ...] = ([], {}, {"report-type": 5})
    for body in bodies:
        assert client.post(f"{path}/metrics", body).error == BAD


def test_who_has_the_newest_gets_no_second_copy(raw: RawLake, client: Client) -> None:
    table = raw.table()
    first = client.get(table.path)
    tag = first.headers["etag"]
    same = client.get(table.path, **{"if-none-match": f'"x", W/{tag}'})
    assert (same.status, same.body, same.headers["etag"]) == (304, b"", tag)
    trimmed = client.get(f"{table.path}?snapshots=refs", **{"if-none-match": tag})
    assert trimmed.status == 200
    table.append()
    newer = client.get(table.path, **{"if-none-match": tag})
    assert newer.status == 200
    assert newer.headers["etag"] != tag


def test_snapshots_that_no_reference_is_at_can_be_left_out(raw: RawLake, client: Client) -> None:
    table = raw.table()
    first, second, third = table.append(), table.append(), table.append()
    table.changed(update("set-snapshot-ref", ref_name="old", type="tag", snapshot_id=first))
    whole = client.get(f"{table.path}?snapshots=all").json["metadata"]
    some = client.get(f"{table.path}?snapshots=refs").json["metadata"]
    assert [each["snapshot-id"] for each in whole["snapshots"]] == [first, second, third]
    assert [each["snapshot-id"] for each in some["snapshots"]] == [first, third]
    assert {**some, "snapshots": whole["snapshots"]} == whole
    assert client.get(f"{table.path}?snapshots=some").error == BAD
