"""The growth door: by a run's token tables gain columns, and lose none, whatever the request."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import BadRequestError
from pyiceberg.types import LongType, StringType

from lakeport.access import Ability
from tests.rest.doors import Client, Reply
from tests.rest.guarded import Guarded, guarded
from tests.rest.raw import column, schema

_numbers = itertools.count(1)

STRUCT = {"type": "struct", "fields": [column(5, "x", "int"), column(6, "y", "string")]}
COLUMNS = (
    {"id": 1, "name": "k", "type": "long", "required": True},
    column(2, "n", "int"),
    column(3, "amount", "decimal(9, 2)"),
    column(4, "s", STRUCT),
)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with guarded(tmp_path_factory.mktemp("guarded")) as made:
        yield made


@pytest.fixture(scope="module")
def tokens(door: Guarded) -> dict[str, str]:
    abilities = [Ability.ADMIN]
    return {
        "run": door.token("nightly", abilities, growth=True),
        "other": door.token("weekly", abilities, growth=True),
        "person": door.token("ann", abilities),
    }


@pytest.fixture
def run(door: Guarded, tokens: dict[str, str]) -> Iterator[Client]:
    client = door.client(tokens["run"])
    yield client
    client.close()


@pytest.fixture
def person(door: Guarded, tokens: dict[str, str]) -> Iterator[Client]:
    client = door.client(tokens["person"])
    yield client
    client.close()


def create(client: Client, **more: Any) -> str:
    """The path of a new table."""
    name = f"t{next(_numbers)}"
    body = {"name": name, "schema": schema(*COLUMNS), **more}
    reply = client.post("/v1/lake/namespaces/shop/tables", body)
    assert reply.status == 200, reply.body
    return f"/v1/lake/namespaces/shop/tables/{name}"


def evolve(client: Client, path: str, *columns: dict[str, Any]) -> Reply:
    updates = [
        {"action": "add-schema", "schema": schema(*columns, number=1), "last-column-id": 20},
        {"action": "set-current-schema", "schema-id": -1},
    ]
    return client.post(path, {"requirements": [], "updates": updates})


def grown(place: int, **changes: Any) -> tuple[dict[str, Any], ...]:
    return tuple(
        {**each, **changes} if number == place else each for number, each in enumerate(COLUMNS)
    )


def without(place: int) -> tuple[dict[str, Any], ...]:
    return COLUMNS[:place] + COLUMNS[place + 1 :]


NARROW = {"type": "struct", "fields": [column(5, "x", "int")]}


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        (without(1), "column `n` would be dropped"),
        (grown(1, name="m"), "column `n` would be renamed to `m`"),
        ((*without(1), column(9, "n", "int")), "column `n` would be dropped"),
        (grown(2, type="decimal(8, 2)"), "column `amount` would turn"),
        (grown(1, required=True), "column `n` would no longer allow NULL"),
        (grown(3, type=NARROW), r"column `s.y` would be dropped"),
    ],
)
def test_a_commit_by_which_a_column_would_be_lost_is_refused_by_name(
    run: Client, person: Client, columns: tuple[dict[str, Any], ...], reason: str
) -> None:
    path = create(person)
    before = person.get(path).json
    refused = evolve(run, path, *columns)
    assert refused.error == (400, "BadRequestException")
    assert reason in refused.message
    assert person.get(path).json == before


def test_growth_goes_through(run: Client, person: Client) -> None:
    path = create(person)
    wider = {
        "type": "struct",
        "fields": [column(7, "z"), column(5, "x"), column(6, "y", "string")],
    }
    columns = (
        {**COLUMNS[0], "required": False},
        column(2, "n", "long"),
        column(3, "amount", "decimal(12, 2)"),
        column(4, "s", wider),
        column(8, "new", "string"),
    )
    assert evolve(run, path, *columns).status == 200
    assert len(person.get(path).json["metadata"]["schemas"][-1]["fields"]) == 5


def test_an_older_schema_is_a_loss_too(run: Client, person: Client) -> None:
    path = create(person)
    assert evolve(run, path, *COLUMNS, column(8, "new")).status == 200
    back = {"requirements": [], "updates": [{"action": "set-current-schema", "schema-id": 0}]}
    refused = run.post(path, back)
    assert "column `new` would be dropped" in refused.message
    assert person.post(path, back).status == 200


def test_one_loss_in_a_transaction_stops_all_of_it(run: Client, person: Client) -> None:
    first, second = create(person), create(person)
    before = [person.get(each).json for each in (first, second)]

    def change(path: str, *columns: dict[str, Any]) -> dict[str, Any]:
        updates = [
            {"action": "add-schema", "schema": schema(*columns, number=1)},
            {"action": "set-current-schema", "schema-id": -1},
        ]
        identifier = {"namespace": ["shop"], "name": path.rpartition("/")[2]}
        return {"identifier": identifier, "requirements": [], "updates": updates}

    changes = [change(first, *COLUMNS, column(8, "new")), change(second, *without(1))]
    refused = run.post("/v1/lake/transactions/commit", {"table-changes": changes})
    assert "column `n` would be dropped" in refused.message
    assert [person.get(each).json for each in (first, second)] == before


def test_only_its_own_tables_are_dropped_or_renamed(
    run: Client, person: Client, door: Guarded, tokens: dict[str, str]
) -> None:
    other = door.client(tokens["other"])
    mine, theirs, persons = create(run), create(other), create(person)
    other.close()
    for path in (theirs, persons):
        refused = run.send("DELETE", path)
        assert refused.error == (400, "BadRequestException")
        assert "was not made by `nightly`" in refused.message
        assert "cannot rename" in rename(run, path, "moved").message
        assert person.get(path).status == 200
    assert rename(run, mine, "renamed").status == 204
    assert run.send("DELETE", mine.rpartition("/")[0] + "/renamed").status == 204


def rename(client: Client, path: str, to: str) -> Reply:
    source = {"namespace": ["shop"], "name": path.rpartition("/")[2]}
    body = {"source": source, "destination": {"namespace": ["shop"], "name": to}}
    return client.post("/v1/lake/tables/rename", body)


def test_nobody_becomes_the_maker_of_a_table_afterwards(run: Client, person: Client) -> None:
    path = create(person)
    for update in (
        {"action": "set-properties", "updates": {"lakeport.run": "nightly"}},
        {"action": "remove-properties", "removals": ["lakeport.run"]},
    ):
        refused = run.post(path, {"requirements": [], "updates": [update]})
        assert refused.error == (400, "BadRequestException")
        assert "says who made it" in refused.message
    assert run.send("DELETE", path).status == 400


def test_a_staged_table_belongs_to_the_run_that_commits_it(run: Client) -> None:
    name = f"t{next(_numbers)}"
    tables = "/v1/lake/namespaces/shop/tables"
    staged = run.post(tables, {"name": name, "schema": schema(*COLUMNS), "stage-create": True})
    metadata = staged.json["metadata"]
    updates = [
        {"action": "assign-uuid", "uuid": metadata["table-uuid"]},
        {"action": "upgrade-format-version", "format-version": 2},
        {"action": "add-schema", "schema": metadata["schemas"][0], "last-column-id": 6},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": metadata["partition-specs"][0]},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": metadata["sort-orders"][0]},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": metadata["location"]},
    ]
    body = {"requirements": [{"type": "assert-create"}], "updates": updates}
    made = run.post(f"{tables}/{name}", body)
    assert made.status == 200, made.body
    assert made.json["metadata"]["properties"]["lakeport.run"] == "nightly"
    assert run.send("DELETE", f"{tables}/{name}").status == 204


def test_no_table_takes_another_ones_place(run: Client, person: Client) -> None:
    path, other = create(person), create(person)
    location = person.get(other).json["metadata-location"]
    body = {"name": path.rpartition("/")[2], "metadata-location": location, "overwrite": True}
    refused = run.post("/v1/lake/namespaces/shop/register", body)
    assert refused.error == (400, "BadRequestException")
    assert "cannot be replaced" in refused.message


def test_pyiceberg_appends_and_grows_and_cannot_drop_a_column(
    door: Guarded, tokens: dict[str, str], person: Client
) -> None:
    path = create(person)
    name = ("shop", path.rpartition("/")[2])
    with RestCatalog("x", uri=door.uri, warehouse="lake", token=tokens["run"]) as catalog:
        table = catalog.load_table(name)
        with table.update_schema() as change:
            change.add_column("note", StringType())
            change.update_column("n", field_type=LongType())
        written = table.schema().select("k", "note").as_arrow()
        table.append(pa.Table.from_pylist([{"k": 1, "note": "x"}], schema=written))
        with (
            pytest.raises(BadRequestError, match="column `note` would be dropped"),
            table.update_schema(allow_incompatible_changes=True) as change,
        ):
            change.delete_column("note")
        assert catalog.load_table(name).scan(
            selected_fields=("k", "note")
        ).to_arrow().to_pylist() == [{"k": 1, "note": "x"}]
