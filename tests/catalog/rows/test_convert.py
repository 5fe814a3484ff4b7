from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from lakeport.catalog.arrays.containers import child_fields, is_list
from lakeport.catalog.arrow import Array
from lakeport.catalog.rows.convert import convert
from lakeport.core.errors import InvalidRequestError
from tests.arrow_rows import random_array
from tests.arrow_values import HUGEINT, TIME_TZ, UHUGEINT
from tests.strategies import random_type, seeded

_ENDLESS = 2**63 - 1
_NAN = float("nan")


def array(values: list[Any], data_type: pa.DataType) -> Array:
    return pa.array(values, data_type)


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (array([1, None], pa.int64()), array([1, None], pa.int8())),
        (array([255], pa.uint64()), array([255], pa.uint8())),
        (array([3], pa.int32()), array([3], pa.float32())),
        (array([2.0, _NAN], pa.float64()), array([2.0, _NAN], pa.float32())),
        (array([2.5, _NAN, None], pa.float16()), array([2.5, _NAN, None], pa.float64())),
        (array([2.5], pa.float16()), array([2.5], pa.float32())),
        (array([2.0], pa.float16()), array([2], pa.int64())),
        (array([2.0], pa.float64()), array([2], pa.int64())),
        (array([12], pa.int64()), array([Decimal(12)], pa.decimal128(4, 2))),
        (array([0.5], pa.float64()), array([Decimal("0.5")], pa.decimal128(4, 2))),
        (array([Decimal("1.50")], pa.decimal128(9, 2)), array([1.5], pa.float64())),
        (
            array([Decimal("1.50")], pa.decimal128(9, 2)),
            array([Decimal("1.5")], pa.decimal64(5, 1)),
        ),
        (array([Decimal(7)], pa.decimal128(38, 0)), array([7], pa.uint64())),
        (array(["a"], pa.string_view()), array(["a"], pa.string())),
        (array([b"ab"], pa.binary()), array([b"ab"], pa.binary(2))),
        (array([0], pa.date64()), array([0], pa.date32())),
        (array([86400], pa.timestamp("s")), array([1], pa.date32())),
        (array([1], pa.date32()), array([86400 * 10**9], pa.timestamp("ns"))),
        (array([1], pa.timestamp("s", "UTC")), array([10**6], pa.timestamp("us", "Asia/Tokyo"))),
        (array([1], pa.time32("s")), array([10**9], pa.time64("ns"))),
        (array([1000], pa.duration("ms")), array([1], pa.duration("s"))),
        (array([None], pa.null()), array([None], pa.list_(pa.int8()))),
        (
            array([True], pa.bool_()),
            pa.ExtensionArray.from_storage(pa.bool8(), array([1], pa.int8())),
        ),
    ],
    ids=lambda value: str(value.type),
)
def test_values_fit_in_another_type_of_their_kind(sent: Array, stored: Array) -> None:
    found = convert(sent, stored.type)
    assert found.type == stored.type
    assert str(found) == str(stored)


@pytest.mark.parametrize(
    ("sent", "to", "sample"),
    [
        (array([1, 300], pa.int64()), pa.int8(), "300"),
        (array([-1], pa.int8()), pa.uint64(), "-1"),
        (array([2**53 + 1], pa.int64()), pa.float64(), "9007199254740993"),
        (array([2**63 - 1], pa.int64()), pa.float64(), "9223372036854775807"),
        (array([1.5], pa.float64()), pa.int64(), "1.5"),
        (array([_NAN], pa.float64()), pa.int64(), "nan"),
        (array([_NAN], pa.float64()), pa.decimal128(9, 2), "nan"),
        (array([1.0, 0.1], pa.float64()), pa.float32(), "0.1"),
        (array([1e300], pa.float64()), pa.float32(), "1e+300"),
        (array([0.15], pa.float64()), pa.decimal128(4, 1), "0.15"),
        (array([Decimal("0.15")], pa.decimal128(9, 2)), pa.decimal128(9, 1), "0.15"),
        (array([100], pa.int64()), pa.decimal128(3, 1), "100"),
        (array([3_600_000_000], pa.timestamp("us")), pa.date32(), "1970-01-01 01:00:00"),
        (array([1], pa.timestamp("us")), pa.timestamp("s"), "1970-01-01 00:00:00.000001"),
        (array([2**62], pa.timestamp("s")), pa.timestamp("us"), ""),
        (array([b"abc"], pa.binary()), pa.binary(2), "abc"),
        (array(["x"], pa.string()), pa.uuid(), "x"),
        (array(["{"], pa.string()), pa.json_(), "{"),
        (array([Decimal(-1)], pa.decimal128(38, 0)), UHUGEINT, "-1"),
        (array([1.5], pa.float64()), HUGEINT, "1.5"),
    ],
    ids=str,
)
def test_a_value_that_would_change_is_refused_and_shown(
    sent: Array, to: pa.DataType, sample: str
) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        convert(sent, to, "price")
    assert "`price`" in refused.value.message
    assert sample in refused.value.message


@pytest.mark.parametrize(
    ("kind", "to"),
    [
        (pa.string(), pa.int64()),
        (pa.int64(), pa.string()),
        (pa.int8(), pa.bool_()),
        (pa.bool_(), pa.int8()),
        (pa.int8(), pa.bool8()),
        (pa.string(), pa.binary()),
        (pa.binary(), pa.uuid()),
        (pa.timestamp("us"), pa.timestamp("us", "UTC")),
        (pa.timestamp("us", "UTC"), pa.timestamp("us")),
        (pa.date32(), pa.timestamp("us", "UTC")),
        (pa.date32(), pa.int32()),
        (TIME_TZ, pa.int64()),
        (pa.list_(pa.int8()), pa.int8()),
        (pa.int8(), pa.list_(pa.int8())),
        (pa.struct([("a", pa.int8())]), pa.map_(pa.string(), pa.int8())),
        (pa.list_(pa.string()), pa.list_(pa.int8())),
    ],
    ids=str,
)
def test_a_value_of_another_kind_is_refused(kind: pa.DataType, to: pa.DataType) -> None:
    for sent in (random_array(seeded(3), kind, 8, nullable=False), pa.array([], kind)):
        with pytest.raises(InvalidRequestError, match="was sent"):
            convert(sent, to)


def test_infinity_stays_infinite_in_every_unit() -> None:
    endless = pa.array([_ENDLESS, -_ENDLESS, 86_400, None], pa.int64()).view(pa.timestamp("s"))
    for unit in ("ms", "us", "ns"):
        found = convert(endless, pa.timestamp(unit)).view(pa.int64()).to_pylist()
        assert found[:2] == [_ENDLESS, -_ENDLESS]
        assert found[3] is None
    days = convert(endless, pa.date32()).view(pa.int32()).to_pylist()
    assert days == [2**31 - 1, 1 - 2**31, 1, None]
    assert convert(convert(endless, pa.date32()), pa.timestamp("s")).equals(endless)
    milliseconds = convert(endless, pa.date64())
    milliseconds.validate(full=True)
    assert convert(milliseconds, pa.date32()).equals(convert(endless, pa.date32()))
    assert convert(milliseconds, pa.timestamp("s")).equals(endless)


def test_struct_fields_are_matched_by_name() -> None:
    sent = pa.array([{"B": 1, "a": "x"}, None], pa.struct([("B", pa.int64()), ("a", pa.string())]))
    to = pa.struct([("a", pa.string()), ("b", pa.int8()), ("new", pa.float64())])
    assert convert(sent, to).to_pylist() == [{"a": "x", "b": 1, "new": None}, None]


def test_an_unknown_field_is_refused_with_the_nearest() -> None:
    sent = pa.array([{"nme": "x"}])
    with pytest.raises(InvalidRequestError, match=r"`buyer` has no field `nme`.*`name`"):
        convert(sent, pa.struct([("name", pa.string())]), "buyer")


def test_a_list_of_another_length_is_no_array() -> None:
    with pytest.raises(InvalidRequestError, match="exactly 2 elements"):
        convert(pa.array([[1, 2], [3]]), pa.list_(pa.int64(), 2))


def test_the_place_of_a_misfit_inside_a_column_is_named() -> None:
    sent = pa.array([[{"q": 1}], [{"q": 999}]])
    with pytest.raises(InvalidRequestError, match=r"`items.element.q`.*999"):
        convert(sent, pa.list_(pa.struct([("q", pa.int8())])), "items")


def test_an_enum_keeps_the_order_of_its_values() -> None:
    sent = pa.DictionaryArray.from_arrays(pa.array([1, None], pa.int8()), pa.array(["z", "a"]))
    found: Any = convert(sent, pa.dictionary(pa.uint16(), pa.string()))
    assert found.dictionary.to_pylist() == ["z", "a"]
    assert found.to_pylist() == ["a", None]


def test_more_values_than_a_small_enum_can_count_are_refused() -> None:
    sent = pa.array([str(number) for number in range(300)])
    with pytest.raises(InvalidRequestError, match="300 different values"):
        convert(sent, pa.dictionary(pa.uint8(), pa.string()))


def test_union_members_are_matched_by_name() -> None:
    sent = pa.UnionArray.from_sparse(
        pa.array([0, 1, 0], pa.int8()),
        [pa.array([1, 2, 3], pa.int64()), pa.array(["a", "b", "c"])],
        ["num", "str"],
    )
    to = pa.sparse_union([pa.field("Str", pa.large_string()), pa.field("Num", pa.int8())])
    assert convert(sent.slice(1), to).to_pylist() == ["b", 3]


# -- any type, spelled as another client would ---------------------------------------------------

_OTHERS: dict[pa.DataType, list[pa.DataType]] = {
    pa.bool_(): [pa.bool8()],
    pa.bool8(): [pa.bool_()],
    pa.int8(): [pa.int64(), pa.float64(), pa.decimal128(10, 2)],
    pa.uint64(): [pa.decimal128(20, 0)],
    pa.float32(): [pa.float64()],
    pa.decimal128(9, 2): [pa.decimal128(38, 5), pa.decimal64(18, 2)],
    pa.string(): [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    pa.binary(): [pa.large_binary(), pa.binary_view()],
    pa.date32(): [pa.timestamp("us"), pa.timestamp("s")],
    pa.time64("us"): [pa.time64("ns")],
    pa.timestamp("us", "UTC"): [pa.timestamp("us", "Europe/Zurich")],
    pa.uuid(): [pa.string()],
    pa.json_(pa.string()): [pa.string(), pa.large_string()],
}


def _respelled(rng: random.Random, data_type: pa.DataType) -> pa.DataType:
    kind: Any = data_type
    if pa.types.is_struct(kind):
        fields = [pa.field(f.name, _respelled(rng, f.type)) for f in child_fields(kind)]
        rng.shuffle(fields)
        return pa.struct(fields)
    if pa.types.is_map(kind):
        mapped: pa.DataType = pa.map_(
            _respelled(rng, kind.key_type), _respelled(rng, kind.item_type)
        )
        return mapped
    if is_list(kind):
        element = pa.field("l", _respelled(rng, kind.value_type))
        makers: Any = [pa.list_, pa.large_list, pa.list_view, pa.large_list_view]
        made: pa.DataType = rng.choice(makers)(element)
        return made
    other: pa.DataType = rng.choice(_OTHERS.get(kind, [kind]))
    return other


@pytest.mark.parametrize("seed", range(300))
def test_any_value_survives_another_spelling_of_its_type(seed: int) -> None:
    rng = seeded(seed)
    data_type = random_type(rng, depth=3)
    values = random_array(rng, data_type, 12).slice(rng.randint(0, 3))
    sent = convert(values, _respelled(rng, data_type))
    sent.validate(full=True)
    back = convert(sent, data_type)
    back.validate(full=True)
    assert back.type.equals(data_type, check_metadata=True)
    assert back.equals(values) or str(back) == str(values)


def test_rows_of_a_plain_client_fit_the_table_of_a_lossless_one() -> None:
    query = (
        "SELECT * FROM (VALUES"
        " (true, 170141183460469231731687303715884105727::HUGEINT // 10, '101'::BIT, '[1]'::JSON,"
        " uuid '00000000-0000-0000-8000-0000000000ff', 5::UHUGEINT, 12::BIGNUM,"
        " TIMESTAMPTZ '2020-01-01 00:00:00+00', DATE 'infinity', ['a'], {x: 1::HUGEINT}),"
        " (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL))"
    )
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        plain = connection.sql(query).to_arrow_table()
        connection.execute("SET arrow_lossless_conversion = true; SET TimeZone = 'UTC'")
        exact = connection.sql(query).to_arrow_table()
    for sent, stored in zip(plain.columns, exact.columns, strict=True):
        found = convert(sent.combine_chunks(), stored.type)
        assert str(found) == str(stored.combine_chunks())
