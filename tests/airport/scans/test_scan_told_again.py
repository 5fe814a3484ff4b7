"""GetFlightInfo, asked again: what was told before is told again only if it is still true."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.access import Ability, Identity, grants_for
from lakeport.airport.requested import Requested
from lakeport.airport.scans.readings import Reading
from lakeport.airport.told import Question, Told
from lakeport.airport.visible import Found
from lakeport.catalog.changes import AddColumn, SetComment, SetDefault
from lakeport.catalog.definition import comment_of, default_of
from lakeport.catalog.ports import TableState
from lakeport.flight.messages import FlightInfo
from tests.airport.scans.duck import Door, Duck, path, serve
from tests.behaviours.lake import Lake, Subject

ITEMS = path("shop", "items")


def _read(info: fl.FlightInfo, plain: Duck) -> int:
    (endpoint,) = info.endpoints
    return plain.get(endpoint.ticket.ticket).num_rows


def test_the_same_question_has_the_same_answer(items: Subject, plain: Duck) -> None:
    del items
    assert plain.info(ITEMS).serialize() == plain.info(ITEMS).serialize()


def test_rows_that_came_meanwhile_are_counted(items: Subject, plain: Duck) -> None:
    assert plain.info(ITEMS).total_records == 3
    items.insert(pa.table({"k": [4], "name": ["fig"], "price": [4.0]}, items.schema))
    told = plain.info(ITEMS)
    assert told.total_records == 4
    assert _read(told, plain) == 4


def test_what_only_arrow_metadata_says_is_told_anew(items: Subject, plain: Duck) -> None:
    """Arrow calls the schema before and the one after equal."""
    plain.info(ITEMS)
    items.alter(SetComment("name", "of the fruit"), SetDefault("price", "1.5"))
    schema = plain.info(ITEMS).schema
    assert comment_of(schema.field("name")) == "of the fruit"
    assert default_of(schema.field("price")) == "1.5"


def test_a_table_made_anew_is_another_one(lake: Lake, items: Subject, plain: Duck) -> None:
    plain.info(ITEMS)
    schema = items.schema
    lake.namespace().drop_table("items")
    lake.create(schema, name="items")
    told = plain.info(ITEMS)
    assert told.total_records == 0
    assert _read(told, plain) == 0


def test_the_head_and_the_past_are_two_questions(items: Subject, plain: Duck) -> None:
    then = items.travelable.history()[0].timestamp_ns
    asked = {"schema_name": "shop", "table_name": "items"}
    past = fl.FlightDescriptor.for_command(json.dumps({**asked, "ts_ns": then}))
    head = fl.FlightDescriptor.for_command(json.dumps(asked))
    for _ in range(2):
        assert plain.flight.get_flight_info(past).total_records == 2
        assert plain.flight.get_flight_info(head).total_records == 3


def test_a_client_with_older_columns_keeps_being_told_them(items: Subject, duck: Duck) -> None:
    layout = duck.flight_info(ITEMS, "VERSION", "2").descriptor.path or []
    held = path(*(part.decode() for part in layout))
    items.alter(AddColumn(pa.field("weight", pa.float64())))
    plain = Duck(duck.flight)
    for _ in range(2):
        assert "weight" not in plain.info(held).schema.names
        assert "weight" in plain.info(ITEMS).schema.names


def test_each_caller_is_told_the_catalog_as_they_call_it(items: Subject, plain: Duck) -> None:
    del items
    for called in ("lake", "LAKE", "lake"):
        headers = [("airport-user-agent", "airport/20250723"), ("airport-catalog", called)]
        told = Duck(plain.flight, headers=headers).info(ITEMS)
        assert msgpack.unpackb(told.app_metadata)["catalog"] == called


def test_what_others_were_told_is_not_told_to_who_may_not_read(lake: Lake, items: Subject) -> None:
    del items
    door = Door()
    with serve(lake.catalog, door=door) as server, fl.connect(server.address) as client:
        Duck(client).info(ITEMS)
        door.identity = Identity("ann", grants_for([Ability.READ], ["other.*"]))
        with pytest.raises(fl.FlightUnauthorizedError):
            Duck(client).info(ITEMS)


@dataclass
class Asked:
    """Answers that say which question they were made for."""

    lake: Lake
    items: Subject
    told: Told = field(default_factory=lambda: Told(capacity=10_000))
    made: list[str] = field(default_factory=list)

    def ask(self, called: str, state: TableState) -> str:
        reading = Reading(Found(self.lake.catalog, self.items.table), state, state)

        def describe() -> FlightInfo:
            self.made.append(called)
            return FlightInfo(b"", app_metadata=str(state.definition.comment).encode())

        question = Question(Requested(state.name), ITEMS, called, ())
        return self.told.get(reading, question, describe).app_metadata.decode()


def test_an_answer_is_kept_until_others_crowd_it_out(lake: Lake, items: Subject) -> None:
    asked, state = Asked(lake, items), items.state
    for called in ("a", "a", "b", "a", "c", "b"):
        asked.ask(called, state)
    assert asked.made == ["a", "b", "c", "b"]


def test_a_definition_that_changed_without_a_new_version_is_told(
    lake: Lake, items: Subject
) -> None:
    """A user's own catalog may do that."""
    asked, state = Asked(lake, items), items.state
    asked.ask("lake", state)
    commented = replace(state, definition=replace(state.definition, comment="fruit"))
    assert asked.ask("lake", commented) == "fruit"
