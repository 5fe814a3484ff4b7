"""Scalar functions in Python: every form of values, NULLs, results that are not what was declared."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from typing import Annotated, Any, TypedDict

import numpy as np
import numpy.typing as npt
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lakeport.catalog.functions import ScalarFunction, Stability
from lakeport.catalog.parameters import any_parameter, parameter
from lakeport.core.errors import DeadlineError, FunctionError, InvalidRequestError, LimitError
from lakeport.core.request import Request, serving
from lakeport.functions import Limits, RowCount, scalar_function
from tests.functions.rows import called, nothing


class Point(TypedDict):
    x: float
    y: float


PLAIN: list[tuple[Any, pa.DataType, Any]] = [
    (bool, pa.bool_(), True),
    (int, pa.int64(), 2**62),
    (float, pa.float64(), 0.1),
    (str, pa.string(), "ü"),
    (bytes, pa.binary(), b"\xff"),
    (dt.date, pa.date32(), dt.date(2024, 2, 29)),
    (dt.datetime, pa.timestamp("us"), dt.datetime(2024, 2, 29, 1, 2, 3, 4)),  # noqa: DTZ001
    (dt.time, pa.time64("us"), dt.time(1, 2, 3, 4)),
    (dt.timedelta, pa.month_day_nano_interval(), dt.timedelta(days=1, microseconds=3)),
    (uuid.UUID, pa.uuid(), uuid.UUID(int=7)),
    (list[int], pa.list_(pa.int64()), [1, 2]),
    (list[list[str]], pa.list_(pa.list_(pa.string())), [["a"], []]),
    (dict[str, int], pa.map_(pa.string(), pa.int64()), {"a": 1}),
    (Point, pa.struct([("x", pa.float64()), ("y", pa.float64())]), {"x": 1.0, "y": 2.0}),
    (Annotated[int, pa.int32()], pa.int32(), 5),
    (Annotated[Decimal, pa.decimal128(9, 2)], pa.decimal128(9, 2), Decimal("1.25")),
    (np.int16, pa.int16(), 5),
]


@pytest.mark.parametrize(("annotation", "kind", "value"), PLAIN)
def test_a_plain_value_goes_in_and_comes_back(
    annotation: Any, kind: pa.DataType, value: Any
) -> None:
    def same(x: Any) -> Any:
        return x

    same.__annotations__ = {"x": annotation, "return": annotation}
    made = scalar_function(same)
    assert made.signature.parameters == pa.schema([("x", kind)])
    assert made.returns == kind
    assert called(made, x=pa.array([value, None], kind))[1] is None
    result = made.call(pa.record_batch({"x": pa.array([value], kind)}))
    assert result.equals(pa.array([value], kind))


def test_a_decorated_function_is_still_the_function() -> None:
    @scalar_function
    def double(x: int) -> int:
        """Twice.

        More words.
        """
        return 2 * x

    assert double(4) == 8
    assert double.__name__ == "double"
    assert isinstance(double, ScalarFunction)
    assert double.signature.description == "Twice."
    assert double.stability is Stability.CONSISTENT


def test_a_declared_schema_makes_it_a_function_of_arrow_arrays() -> None:
    @scalar_function(
        parameters=pa.schema([("left", pa.int64()), ("right", pa.int64())]),
        returns=pa.int64(),
        stability="volatile",
        name="plus",
        description="Sum.",
    )
    def add(left, right):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return pc.add(left, right)

    assert called(add, left=[1, None], right=[2, 3]) == [3, None]
    assert (add.signature.name, add.signature.description) == ("plus", "Sum.")
    assert add.stability is Stability.VOLATILE


@scalar_function
def arrow_twice(x: pa.Int64Array) -> pa.Int64Array:
    return pc.multiply(x, 2)


@scalar_function
def numpy_twice(x: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return x * 2


@scalar_function
def pandas_twice(x: Annotated[pd.Series, pa.int64()]) -> Annotated[pd.Series, pa.int64()]:
    return x * 2


@scalar_function
def polars_twice(x: Annotated[pl.Series, pa.int64()]) -> Annotated[pl.Series, pa.int64()]:
    return x * 2


@scalar_function(style="numpy")
def styled_twice(x: int) -> int:
    assert isinstance(x, np.ndarray)
    return x * 2


@pytest.mark.parametrize(
    "function",
    [arrow_twice, numpy_twice, pandas_twice, polars_twice, styled_twice],
    ids=lambda f: f.__name__,
)
def test_whole_arrays_of_every_library(function: ScalarFunction) -> None:
    assert called(function, x=[1, None, 3]) == [2, None, 6]
    assert called(function, x=pa.array([], pa.int64())) == []


def test_text_of_every_library() -> None:
    @scalar_function(style="pandas")
    def with_pandas(x: str) -> str:
        return x.str.upper()  # type: ignore[attr-defined,no-any-return]

    @scalar_function(style="polars")
    def with_polars(x: str) -> str:
        return x.str.to_uppercase()  # type: ignore[attr-defined,no-any-return]

    @scalar_function(style="numpy")
    def with_numpy(x: str) -> str:
        return np.char.upper(x.astype("U"))  # type: ignore[attr-defined,return-value]

    for function in (with_pandas, with_polars, with_numpy):
        assert called(function, x=["a", None, "ß"])[:2] == ["A", None]


def test_a_row_with_null_is_not_shown_to_who_does_not_take_it() -> None:
    seen: list[tuple[int | None, str]] = []

    @scalar_function
    def label(number: int | None, text: str) -> str:
        seen.append((number, text))
        return f"{number}{text}"

    assert called(label, number=[1, None, 3], text=["a", "b", None]) == ["1a", "Noneb", None]
    assert seen == [(1, "a"), (None, "b")]
    assert label.takes_nulls


@pytest.mark.parametrize("kind", [">f8", "float16", ">i4"])
def test_numbers_of_numpy_in_any_width_and_order_are_taken(kind: str) -> None:
    @scalar_function
    def other(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return x.astype(kind)

    assert called(other, x=pa.array([1.0, 2.0])) == [1.0, 2.0]


def test_numbers_that_arrow_does_not_have_are_told_as_what_they_are() -> None:
    @scalar_function
    def strange(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return x.astype(np.complex128)

    with pytest.raises(FunctionError, match="gave numpy's complex128: Arrow has no such type"):
        called(strange, x=pa.array([1.0]))


def test_nulls_are_passed_on_or_skipped_as_declared() -> None:
    @scalar_function(nulls="pass")
    def shown(x: int) -> str:
        return repr(x)

    @scalar_function(nulls="skip")
    def counted(x: pa.Int64Array) -> pa.Int64Array:
        return pa.array([len(x)] * len(x))

    assert called(shown, x=[None, 1]) == ["None", "1"]
    assert called(counted, x=[1, None, 3, None]) == [2, None, 2, None]
    assert shown.takes_nulls
    assert not counted.takes_nulls


def test_a_function_of_nothing_gives_a_value_per_row() -> None:
    @scalar_function
    def seven() -> int:
        return 7

    @scalar_function
    def counted(rows: RowCount) -> pa.Int64Array:
        return pa.array(range(rows))

    assert seven.call(nothing(3)).to_pylist() == [7, 7, 7]
    assert counted.call(nothing(3)).to_pylist() == [0, 1, 2]
    assert len(counted.signature.parameters) == 0
    assert seven.stability is Stability.VOLATILE


def test_a_parameter_of_any_type_is_told_by_its_values() -> None:
    @scalar_function
    def kind_of(x: Any) -> str:
        return type(x).__name__

    @scalar_function
    def arrow_kind(x: Annotated[pa.Array, Any]) -> pa.StringArray:  # type: ignore[type-arg]
        return pa.array([str(x.type)] * len(x))

    assert kind_of.signature.parameters.field("x").metadata == {b"is_any_type": b"true"}
    assert called(kind_of, x=["a"]) == ["str"]
    assert called(arrow_kind, x=pa.array([1], pa.int8())) == ["int8"]


def test_who_calls_is_told_to_who_asks() -> None:
    @scalar_function
    def caller(request: Request | None) -> str | None:
        return request.identity if request else None

    assert len(caller.signature.parameters) == 0
    assert caller.call(nothing()).to_pylist() == [None]
    with serving(Request("ada")):
        assert caller.call(nothing()).to_pylist() == ["ada"]


def test_arguments_come_in_the_declared_type_whatever_the_client_calls_it() -> None:
    @scalar_function
    def shown(x: uuid.UUID) -> str:
        return x.hex

    assert called(shown, x=[str(uuid.UUID(int=1))]) == [uuid.UUID(int=1).hex]


def test_months_have_no_length_that_python_knows() -> None:
    @scalar_function
    def hours(x: dt.timedelta) -> float:
        return x.total_seconds() / 3600

    intervals = pa.array([(0, 1, 10**9 * 3600)], pa.month_day_nano_interval())
    assert called(hours, x=intervals) == [25.0]
    with pytest.raises(InvalidRequestError, match="1 months have no fixed length"):
        called(hours, x=pa.array([(1, 0, 0)], pa.month_day_nano_interval()))


def test_a_schema_may_say_that_a_parameter_is_of_any_type() -> None:
    declared = pa.schema([any_parameter("x"), parameter("times", pa.int64())])

    @scalar_function(parameters=declared, returns=pa.string())
    def shown(x, times):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return [str(value) * count.as_py() for value, count in zip(x, times, strict=True)]

    assert shown.signature.parameters.equals(declared, check_metadata=True)
    assert called(shown, x=["a"], times=[2]) == ["aa"]


def result_of(value: Any, kind: pa.DataType) -> Any:
    """What becomes of a plain function's result."""

    def give(x: int) -> Any:  # noqa: ARG001  it is called for its result
        return value

    return called(scalar_function(returns=kind)(give), x=[1])[0]


LOSSLESS: list[tuple[Any, pa.DataType, Any]] = [
    (np.int64(5), pa.int32(), 5),
    (5.0, pa.int64(), 5),
    (5, pa.float64(), 5.0),
    (np.float64(0.1), pa.float32(), float(np.float32(0.1))),
    (dt.date(2024, 1, 1), pa.date32(), dt.date(2024, 1, 1)),
    (b"x", pa.string(), "x"),
]


@pytest.mark.parametrize(("value", "kind", "expected"), LOSSLESS)
def test_a_result_is_cast_where_nothing_is_lost(
    value: Any, kind: pa.DataType, expected: Any
) -> None:
    assert result_of(value, kind) == expected


LOSSY: list[tuple[Any, pa.DataType]] = [
    (1.5, pa.int64()),
    ([1.5], pa.list_(pa.int64())),
    (300, pa.int8()),
    (2**53 + 1, pa.float64()),
    ("1", pa.int64()),
    (1, pa.string()),
    (True, pa.int64()),
    (1, pa.bool_()),
    (dt.datetime(2024, 1, 1, 5), pa.date32()),  # noqa: DTZ001
    (object(), pa.int64()),
    (b"\xff", pa.string()),
    (Decimal("1.234"), pa.decimal128(9, 2)),
]


@pytest.mark.parametrize(("value", "kind"), LOSSY)
def test_a_result_of_another_kind_is_refused_with_the_function_named(
    value: Any, kind: pa.DataType
) -> None:
    with pytest.raises(FunctionError, match="function `give` declares"):
        result_of(value, kind)


@pytest.mark.parametrize(
    "result",
    [
        pa.array([1.5]),
        pa.array(["1"]),
        np.array([1.5]),
        np.array(["1"]),
        pd.Series([1.5]),
        pl.Series([1.5]),
        np.array([[1]]),
        pa.array([1, 2]),
        [1, 2],
        1,
        None,
        "text",
    ],
)
def test_an_array_of_another_kind_or_length_is_refused(result: Any) -> None:
    @scalar_function
    def broken(x: pa.Int64Array) -> pa.Int64Array:  # noqa: ARG001  as above
        return result  # type: ignore[no-any-return]

    with pytest.raises(FunctionError, match="function `broken`"):
        called(broken, x=[1])


def test_forms_of_a_result_may_differ_from_those_of_the_arguments() -> None:
    results = [
        np.ma.masked_array([1, 2], mask=[False, True]),
        pd.Series([1.0, None]),
        pd.Series([1, None], dtype=object),
        pl.Series([1, None]),
        pa.chunked_array([[1], [None]], pa.int32()),
        [1, None],
        np.array([1, None], dtype=object),
    ]
    waiting = iter(results)
    declared = scalar_function(parameters=pa.schema([("x", pa.int64())]), returns=pa.int64())
    function = declared(lambda x: next(waiting))  # noqa: ARG005  it is called for its result
    for _ in results:
        assert called(function, x=[0, 0]) == [1, None]


def test_what_takes_too_long_or_gives_too_much_is_refused_in_this_process_too() -> None:
    @scalar_function(limits=Limits(seconds=1e-9))
    def slow(x: int) -> int:
        return x

    @scalar_function(limits=Limits(output=1))
    def large(x: int) -> str:
        return "x" * x

    with pytest.raises(DeadlineError, match="function `slow` ran longer than 1e-09 s"):
        called(slow, x=[1])
    with pytest.raises(LimitError, match="function `large` gave 2 MB in one piece, more than 1 MB"):
        called(large, x=[2 << 20])


def test_a_date_that_python_does_not_know_is_the_callers_to_mend() -> None:
    @scalar_function
    def year(day: dt.date) -> int:
        return day.year

    with pytest.raises(InvalidRequestError, match="parameter `day` cannot be told in Python"):
        called(year, day=pa.array([2**31 - 1], pa.int32()).cast(pa.date32()))
