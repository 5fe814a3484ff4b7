from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.evolution.layout import parse_term
from lakeport.core.errors import InvalidRequestError, NotFoundError
from tests.catalog.tables import columns

_TYPES: dict[str, pa.DataType] = {
    "Region": pa.string(),
    "ts": pa.timestamp("us"),
    "order date": pa.date32(),
    "address": pa.struct([("city", pa.string())]),
}
SCHEMA = columns(**_TYPES)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("region", ("Region",)),
        ("day(ts)", ("ts",)),
        ("bucket(16, REGION)", ("Region",)),
        ("truncate(region, 4)", ("Region",)),
        ("ts desc nulls last", ("ts",)),
        ("order date", ("order date",)),
        ('month("order date")', ("order date",)),
        ("address.city asc", ("address", "city")),
    ],
)
def test_a_term_mentions_one_column(text: str, path: tuple[str, ...]) -> None:
    assert parse_term(text, SCHEMA).path == path


@pytest.mark.parametrize("text", ["", "day(ts", "ts)", "a b c", "day(ts, region)", "ts; drop"])
def test_what_is_no_term_is_refused(text: str) -> None:
    with pytest.raises((InvalidRequestError, NotFoundError)):
        parse_term(text, SCHEMA)


def test_an_unknown_column_is_refused_with_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="did you mean `Region`"):
        parse_term("bucket(4, regio)", SCHEMA)


def test_a_rename_changes_the_name_alone() -> None:
    term = parse_term("bucket(16, region) desc", SCHEMA)
    assert str(term.renamed(("REGION",), "sales area")) == 'bucket(16, "sales area") desc'
    assert term.renamed(("ts",), "at") == term


def test_a_field_is_renamed_inside_its_column() -> None:
    term = parse_term("address.city", SCHEMA)
    assert str(term.renamed(("address", "city"), "town")) == "address.town"
    assert str(term.renamed(("address",), "home")) == "home.city"
