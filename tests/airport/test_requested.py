from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.airport.requested import Layout, from_json, from_path, path_of, requested
from lakeport.catalog.definition import Definition
from lakeport.catalog.ports import TableState
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName
from lakeport.core.timepoint import AtTime, AtVersion
from lakeport.flight.messages import FlightDescriptor


def test_two_names_are_namespace_and_table() -> None:
    wanted = from_path(("shop", "orders"))
    assert wanted.name == TableName("shop", "orders")
    assert wanted.catalog is None


def test_three_names_start_with_the_catalog() -> None:
    wanted = from_path(("lake", "shop", "orders"))
    assert (wanted.catalog, wanted.name) == ("lake", TableName("shop", "orders"))


@pytest.mark.parametrize("prefix", [(), ("lake",)])
def test_a_last_element_with_an_at_sign_is_the_layout(prefix: tuple[str, ...]) -> None:
    wanted = from_path((*prefix, "shop", "orders", "@3.0123abcd"))
    assert wanted.layout == Layout(3, "0123abcd")
    assert wanted.name == TableName("shop", "orders")
    assert wanted.catalog == (prefix[0] if prefix else None)


@pytest.mark.parametrize(
    "layout", ["@", "@3", "@x.0123abcd", "@3.0123ABCD", "@3.0123abcd0", "@-1.0123abcd"]
)
def test_a_layout_that_nobody_gave_out_is_refused(layout: str) -> None:
    with pytest.raises(InvalidRequestError, match="layout"):
        from_path(("shop", "orders", layout))


@pytest.mark.parametrize("made", ["0123abcd-0000-4000-8000-000000000000", "orders-1", "", "ß"])
def test_a_layout_is_read_back_whatever_a_catalog_calls_its_tables(made: str) -> None:
    name = TableName("shop", "orders")
    state = TableState(made, name, Definition(pa.schema([("id", pa.int64())])), 3, None, 0)
    layout = Layout.of(state)
    assert from_path(path_of(name, layout)).layout == layout


@pytest.mark.parametrize("path", [("orders",), ("a", "b", "c", "d")])
def test_paths_of_another_length_are_refused(path: tuple[str, ...]) -> None:
    with pytest.raises(InvalidRequestError, match="two or three names"):
        from_path(path)


@pytest.mark.parametrize("path", [("shop", ""), ("", "orders"), ("lake", "", "orders")])
def test_paths_with_empty_names_are_refused(path: tuple[str, ...]) -> None:
    with pytest.raises(InvalidRequestError, match="is empty"):
        from_path(path)


def test_a_catalog_without_a_name_is_the_one_that_a_call_without_one_means() -> None:
    """DuckDB may attach a catalog by the empty name."""
    assert from_path(("", "shop", "orders")) == from_path(("shop", "orders"))


@given(st.text(min_size=1), st.text(min_size=1))
def test_every_name_survives_a_path_that_is_printable_ascii(namespace: str, table: str) -> None:
    name = TableName(namespace, table)
    path = path_of(name)
    assert all(" " <= character <= "~" for part in path for character in part)
    assert not any("/" in part or part.startswith("@") for part in path)
    assert from_path(path).name == name


def test_a_name_that_was_sent_raw_is_remembered_as_spelled() -> None:
    wanted = from_path(("shop", "100%41"))
    assert wanted.name == TableName("shop", "100A")
    assert wanted.spelled == TableName("shop", "100%41")


def test_an_empty_descriptor_names_no_table() -> None:
    with pytest.raises(InvalidRequestError, match="names no table"):
        requested(FlightDescriptor())


def read(**members: Any) -> Any:
    body = {"schema_name": "shop", "table_name": "orders", **members}
    return from_json(json.dumps(body).encode(), "the command")


def test_json_carries_names_moment_and_scan_options() -> None:
    wanted = read(catalog_name="lake", ts=7, columns=["id"], filter={"filters": []}, limit=3)
    assert (wanted.catalog, wanted.name) == ("lake", TableName("shop", "orders"))
    assert wanted.at == AtTime(7_000_000_000)
    assert (wanted.columns, wanted.limit) == (("id",), 3)
    assert json.loads(wanted.filter) == {"filters": []}


def test_a_filter_may_be_the_documents_text() -> None:
    assert read(filter='{"filters": []}').filter == '{"filters": []}'


def test_null_members_are_absent() -> None:
    wanted = read(ts=None, ts_ns=None, columns=None, filter=None, limit=None)
    assert wanted == read()
    assert wanted.at is None


def test_nanoseconds_are_taken_as_they_are() -> None:
    assert read(ts_ns=5).at == AtTime(5)


@pytest.mark.parametrize("value", ["7", 1.5, 1.0, True, -1, 2**63, [], {}])
@pytest.mark.parametrize("member", ["ts", "ts_ns"])
def test_a_moment_that_is_no_int64_is_refused(member: str, value: object) -> None:
    with pytest.raises(InvalidRequestError):
        read(**{member: value})


def test_two_moments_are_refused() -> None:
    with pytest.raises(InvalidRequestError, match="at most one"):
        read(ts=1, ts_ns=1)


@pytest.mark.parametrize("value", ["1", -1, 1.5, True, 2**63])
def test_a_limit_that_is_no_count_is_refused(value: object) -> None:
    with pytest.raises(InvalidRequestError, match="limit"):
        read(limit=value)


@pytest.mark.parametrize("body", [b"", b"[]", b"1", b"{", b"\xff", b"{}", b'{"schema_name":"s"}'])
def test_json_that_names_no_table_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidRequestError):
        from_json(body, "the command")


def test_deep_json_is_refused() -> None:
    with pytest.raises(InvalidRequestError):
        from_json(b'{"schema_name":' + b"[" * 100_000, "the command")


def test_the_point_of_an_action_is_put_in() -> None:
    wanted = from_path(("shop", "orders"))
    assert wanted.at_point("VERSION", "2").at == AtVersion(2)
    assert wanted.at_point("", "") is wanted
