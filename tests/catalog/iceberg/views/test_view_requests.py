"""A view's next metadata, by what is asked of it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.view.metadata import ViewMetadata

from lakeport.catalog.iceberg.views.requests import check_requirements, new_view, next_view
from lakeport.core.errors import InvalidRequestError
from tests.catalog.iceberg.views.bodies import creation, replacement, schema, version

NOW = 1_800_000_000_000


def made(**more: Any) -> ViewMetadata:
    return new_view(creation(**more), "file:///w/v", uuid.uuid4(), NOW)


def changed(view: ViewMetadata, *updates: dict[str, Any]) -> ViewMetadata:
    return next_view(view, updates, NOW)


def test_an_older_version_that_comes_back_is_logged_now() -> None:
    view = changed(made(), *replacement("SELECT 2 AS b", "b"))
    back = changed(view, {"action": "set-current-view-version", "view-version-id": 1})
    assert back.current_version_id == 1
    assert [(each.version_id, each.timestamp_ms) for each in back.version_log] == [
        (1, 1_700_000_000_001),
        (2, 1_700_000_000_001),
        (1, NOW),
    ]


def test_the_same_definition_is_not_stored_twice() -> None:
    view = made()
    again = changed(view, *replacement("SELECT 1 AS a", "a"))
    assert again == view


def test_a_schema_that_is_known_keeps_its_id() -> None:
    view = changed(made(), *replacement("SELECT 2 AS a", "a"))
    assert [each.schema_id for each in view.schemas] == [0]
    assert [each.schema_id for each in view.versions] == [0, 0]


def test_only_the_last_versions_are_kept_and_the_log_from_there_on() -> None:
    view = made(properties={"version.history.num-entries": "2"})
    for number in range(2, 5):
        view = changed(view, *replacement(f"SELECT {number} AS a", "a"))
    assert [each.version_id for each in view.versions] == [3, 4]
    assert [each.version_id for each in view.version_log] == [3, 4]


def test_the_current_version_is_kept_though_it_is_old() -> None:
    view = made(properties={"version.history.num-entries": "2"})
    view = changed(view, {"action": "add-view-version", "view-version": version(2, "SELECT 2")})
    view = changed(view, {"action": "add-view-version", "view-version": version(3, "SELECT 3")})
    assert [each.version_id for each in view.versions] == [1, 3]
    assert view.current_version_id == 1


def test_a_dialect_is_lost_only_if_the_view_allows_it() -> None:
    view = made()
    with pytest.raises(InvalidRequestError, match="lose its query for `spark`"):
        changed(view, *replacement("SELECT 2", "a", dialect="trino"))
    allowed = {
        "action": "set-properties",
        "updates": {"replace.drop-dialect.allowed": "true"},
    }
    view = changed(view, allowed, *replacement("SELECT 2", "a", dialect="trino"))
    assert view.current_version_id == 2


def test_properties_are_set_and_removed() -> None:
    view = changed(
        made(),
        {"action": "set-properties", "updates": {"a": "1", "b": "2"}},
        {"action": "remove-properties", "removals": ["a", "never there"]},
    )
    assert view.properties == {"comment": "Ones.", "b": "2"}


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        ({"action": "add-snapshot"}, "cannot take the update `add-snapshot`"),
        ({"action": ["x"]}, "cannot take the update"),
        ({}, "cannot take the update `None`"),
        ("x", "cannot take the update"),
        ({"action": "upgrade-format-version", "format-version": 2}, "have format 1, not 2"),
        ({"action": "assign-uuid", "uuid": "x"}, "no uuid"),
        ({"action": "assign-uuid", "uuid": str(uuid.uuid4())}, "cannot be changed"),
        ({"action": "add-schema"}, "`schema` is missing"),
        ({"action": "add-schema", "schema": {"type": "struct", "fields": 1}}, "`schema` is not"),
        ({"action": "add-view-version", "view-version": {"schema-id": 0}}, "representations"),
        (
            {"action": "add-view-version", "view-version": version(2, "x", schema_id=7)},
            "no schema 7",
        ),
        (
            {"action": "add-view-version", "view-version": version(2, "x", schema_id=-1)},
            "no schema was added",
        ),
        (
            {
                "action": "add-view-version",
                "view-version": {**version(2, "x"), "representations": []},
            },
            "needs a query",
        ),
        (
            {
                "action": "add-view-version",
                "view-version": {
                    **version(2, "x"),
                    "representations": 2 * version(2, "x")["representations"],
                },
            },
            "multiple queries for dialect spark",
        ),
        (
            {
                "action": "add-view-version",
                "view-version": {
                    **version(2, "x"),
                    "representations": [{"type": "binary", "sql": "x", "dialect": "y"}],
                },
            },
            "type",
        ),
        ({"action": "set-current-view-version", "view-version-id": 9}, "no version 9"),
        ({"action": "set-current-view-version", "view-version-id": -1}, "no version was added"),
        ({"action": "set-current-view-version", "view-version-id": True}, "must be a number"),
        ({"action": "set-properties", "updates": {"a": 1}}, "object of texts"),
        ({"action": "remove-properties", "removals": "a"}, "list of names"),
        ({"action": "set-location", "location": 1}, "must be a text"),
        (
            {"action": "set-properties", "updates": {"version.history.num-entries": "0"}},
            "number above zero",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(update: Any, reason: str) -> None:
    with pytest.raises(InvalidRequestError, match=reason):
        changed(made(), update)


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"schema": schema("a")},
        {"view-version": version(1, "SELECT 1")},
        {**creation(), "properties": {"a": 1}},
        {**creation(), "properties": []},
    ],
)
def test_a_creation_that_lacks_something_is_refused(wanted: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequestError):
        new_view(wanted, "file:///w/v", uuid.uuid4(), NOW)


@pytest.mark.parametrize("requirement", [{}, {"type": "assert-create"}, "x"])
def test_a_requirement_of_tables_is_refused(requirement: Any) -> None:
    with pytest.raises(InvalidRequestError, match="assert-view-uuid"):
        check_requirements(made(), [requirement])


CHANGES = st.one_of(
    st.builds(
        lambda number, names: replacement(f"SELECT {number}", *names),
        st.integers(1, 4),
        st.sampled_from([("a",), ("b",), ("a", "b")]),
    ),
    st.integers(1, 6).map(
        lambda number: [{"action": "set-current-view-version", "view-version-id": number}]
    ),
    st.integers(1, 3).map(
        lambda most: [
            {
                "action": "set-properties",
                "updates": {"version.history.num-entries": str(most)},
            }
        ]
    ),
    st.just([{"action": "remove-properties", "removals": ["version.history.num-entries"]}]),
)


@given(st.lists(CHANGES, max_size=12))
def test_whatever_is_asked_the_metadata_makes_sense(asked: list[list[dict[str, Any]]]) -> None:
    view = made()
    for updates in asked:
        try:
            view = changed(view, *updates)
        except InvalidRequestError:
            continue  # a version that is not there, or no longer
        numbers = [version.version_id for version in view.versions]
        ids = [each.schema_id for each in view.schemas]
        assert len(set(numbers)) == len(numbers)
        assert view.current_version_id in numbers
        assert len(set(ids)) == len(ids)
        assert {version.schema_id for version in view.versions} <= set(ids)
        assert view.version_log[-1].version_id == view.current_version_id
        assert {entry.version_id for entry in view.version_log} <= set(numbers)
        kept = int(view.properties.get("version.history.num-entries", "10"))
        assert len(numbers) <= kept
        assert ViewMetadata.model_validate_json(view.model_dump_json()) == view
