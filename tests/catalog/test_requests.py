"""Scan requests held against a schema: what they come to, and what is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Compare, Op
from lakeport.catalog.requests import bind_request
from lakeport.core.errors import InvalidRequestError, NotFoundError

COLUMNS: list[Field] = [
    pa.field("id", pa.int64()),
    pa.field("Name", pa.string()),
    pa.field("size", pa.int32()),
]
SCHEMA = pa.schema(COLUMNS, metadata={"k": "v"})


def test_no_columns_named_means_all_in_order() -> None:
    bound = bind_request(ScanRequest(), SCHEMA)
    assert bound.output == bound.needed == (0, 1, 2)
    assert bound.schema.equals(SCHEMA, check_metadata=True)


def test_columns_come_in_the_order_asked_for_and_in_any_spelling() -> None:
    bound = bind_request(ScanRequest(columns=("SIZE", "name")), SCHEMA)
    assert bound.output == (2, 1)
    assert bound.schema.names == ["size", "Name"]


def test_what_conditions_read_is_needed_but_not_shown() -> None:
    request = ScanRequest(
        columns=("id",),
        predicate=Compare("NAME", Op.EQ, pa.scalar("x")),
        expression=parse_expression("size > 1", SCHEMA),
    )
    bound = bind_request(request, SCHEMA)
    assert bound.output == (0,)
    assert bound.needed == (0, 1, 2)
    assert bound.predicate == Compare("Name", Op.EQ, pa.scalar("x"))


def test_no_column_at_all() -> None:
    bound = bind_request(ScanRequest(columns=()), SCHEMA)
    assert bound.output == bound.needed == ()
    assert bound.schema.names == []


def test_the_row_id_comes_last() -> None:
    bound = bind_request(ScanRequest(columns=("id",), row_ids=True), SCHEMA)
    assert bound.schema.names == ["id", ROW_ID_FIELD.name]
    assert bound.output == (0,)


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(NotFoundError, match="did you mean `Name`"):
        bind_request(ScanRequest(columns=("nmae",)), SCHEMA)


def test_a_negative_limit() -> None:
    with pytest.raises(InvalidRequestError, match="cannot be negative, got -1"):
        bind_request(ScanRequest(limit=-1), SCHEMA)
