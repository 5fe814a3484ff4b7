"""What is wrong with how a function is written is told when it is decorated, with its place and a remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.core.errors import ConfigurationError
from lakeport.functions import (
    DeclarationError,
    Limits,
    scalar_function,
    table_function,
    table_in_out,
)

SCALAR = {
    "def f(x): return 1": "does not say of which type its parameter `x` is (write `x: int`",
    "def f(x: int): return 1": "does not say what it returns (write `-> int`",
    "def f(*x: int) -> int: return 1": "takes `*x`, and functions of SQL have a fixed list",
    "def f(x: pa.Array) -> int: return 1": "write `Annotated[pa.Array, pa.int64()]`",
    "def f(x: complex) -> int: return 1": "`complex` is no type that SQL knows",
    "def f(x: int | str) -> int: return 1": "a value has one type",
    "def f(x: pa.Int64Array) -> int: return 1": "takes whole arrays and says that it returns one value",
    "def f(x: int) -> pa.Int64Array: return 1": "takes one row and says that it returns an array",
    "def f(x: pa.Int64Array, y: int) -> int: return 1": "in several forms (arrow and plain)",
    "def f(x: 'Missing') -> int: return 1": "name 'Missing' is not defined",
    "def f(x: Decimal) -> int: return 1": "write `Annotated[Decimal, pa.decimal128(18, 2)]`",
    "def f(x: int) -> Any: return 1": "a result has one type",
    "async def f(x: int) -> int: return 1": "is async",
    "def f(x: int) -> int: yield 1": "is a generator",
}


def defined(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"pa": pa, "Decimal": Decimal, "Any": Any, "Iterator": Iterator}
    exec(source, names)  # noqa: S102  the functions of this test
    found: Callable[..., Any] = names["f"]
    return found


@pytest.mark.parametrize("source", SCALAR)
def test_a_scalar_function_that_says_too_little(source: str) -> None:
    with pytest.raises(DeclarationError) as refused:
        scalar_function(defined(source))
    assert SCALAR[source] in str(refused.value)
    assert refused.value.line == 1


def test_a_mistake_names_the_file_and_the_line_of_the_function() -> None:
    with pytest.raises(DeclarationError) as refused:

        @scalar_function(stability="volatile")
        def untold(x) -> int:  # type: ignore[no-untyped-def]  # noqa: ANN001
            return x  # type: ignore[no-any-return]

    place = f"{Path(__file__).name}:{refused.value.line}: function `untold`"
    assert place in refused.value.message
    lines = Path(__file__).read_text().splitlines()
    assert "def untold" in lines[(refused.value.line or 0) - 1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"stability": "sometimes"}, 'say one of "consistent"'),
        ({"style": "julia"}, 'say one of "plain"'),
        ({"nulls": "maybe"}, 'say "skip" or "pass"'),
        ({"parameters": pa.schema([])}, "has 1 parameters, and `parameters=` declares 0"),
    ],
)
def test_an_option_that_means_nothing(options: dict[str, Any], told: str) -> None:
    with pytest.raises(DeclarationError) as refused:
        scalar_function(**options)(defined("def f(x: int) -> int: return x"))
    assert told in str(refused.value)


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="`seconds` of a function must be more than 0"):
        Limits(seconds=0)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def f(n: int): ...", "does not say which columns it gives"),
        ("def f(n: int) -> Iterator[int]: ...", "does not say which columns it gives"),
        ("def f(n: pa.Int64Array): ...", "takes an array as a parameter"),
        ("def f(n): ...", "does not say of which type"),
    ],
)
def test_a_table_function_that_says_too_little(source: str, told: str) -> None:
    with pytest.raises(DeclarationError) as refused:
        table_function(defined(source))
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def f(n: int): ...", "takes no rows"),
        ("def f(): ...", "takes no rows"),
        ("def f(batch: pa.RecordBatch, n: int = 1): ...", "has a default for its parameter `n`"),
        ("def f(batch: pa.RecordBatch, n): ...", "does not say of which type"),
        ("class f: pass", "is a class without `process`"),
        ("class f:\n  def process(self): pass", "has a `process` that takes nothing"),
    ],
)
def test_a_function_of_a_table_that_says_too_little(source: str, told: str) -> None:
    with pytest.raises(DeclarationError) as refused:
        table_in_out(returns=pa.schema([]))(defined(source))
    assert told in str(refused.value)


def test_attributes_of_the_authors_function_do_not_pass_for_what_was_declared() -> None:
    written = defined("def f(x: int) -> int: return x")
    vars(written).update(limits="none", tags=["mine"])
    made = scalar_function(written)
    assert made.limits == Limits()
    assert vars(made)["tags"] == ["mine"]
