from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.expressions.fields import is_cast_of, rename_field
from tests.catalog.tables import columns

_INNER = pa.struct([("f", pa.int32()), ("g", pa.struct([("f", pa.int32())]))])
SCHEMA = columns(s=_INNER, f=pa.int32(), l=pa.list_(_INNER), m=pa.map_(pa.string(), _INNER))


@pytest.mark.parametrize(
    ("text", "path", "renamed"),
    [
        ("s.f > 0", ("s", "f"), "((s).h > 0)"),
        ("S['F'] > f", ("s", "f"), "(s['h'] > f)"),
        ("s.g.f > 0", ("s", "f"), "(((s).g).f > 0)"),
        ("s.g.f > 0", ("s", "g", "f"), "(((s).g).h > 0)"),
        ("l[1].f > 0", ("l", "element", "f"), "((l[1]).h > 0)"),
        ("m['f'].f > 0", ("m", "value", "f"), "((m['f']).h > 0)"),
        ("f > 0", ("s", "f"), "(f > 0)"),
    ],
)
def test_only_reads_of_the_field_are_renamed(
    text: str, path: tuple[str, ...], renamed: str
) -> None:
    stored = parse_expression(text, SCHEMA).sql
    assert rename_field(stored, path, "h") == renamed


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("CAST(F AS BIGINT)", True),
        ("f::BIGINT", True),
        ("TRY_CAST(f AS BIGINT)", False),
        ("CAST(s.f AS BIGINT)", False),
        ("CAST(f + 1 AS BIGINT)", False),
        ("f", False),
    ],
)
def test_a_plain_cast_is_told_from_more(text: str, *, plain: bool) -> None:
    assert is_cast_of(text, "f") is plain
