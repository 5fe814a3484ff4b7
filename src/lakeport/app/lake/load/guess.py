"""The types of columns that came as text or JSON, guessed from every value, not from the first few.

A text is a number only if writing the number gives the text again: `007` and `+49` are no numbers,
so codes and telephone numbers keep their digits. What fits nothing stays text; JSON values that have
no type in common stay JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.app.lake.load.values import Digits
from lakeport.catalog.arrow import Array
from lakeport.catalog.expressions import cast_array
from lakeport.core.errors import InvalidRequestError

JSON = pa.json_(pa.string())
WIDE_INTEGER = pa.decimal128(38, 0)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """`pattern` is what its texts look like; a cast then finds the 30th of February."""

    type: pa.DataType
    pattern: str


_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?"
_ZONE = "(Z|[+-][0-9]{2}(:?[0-9]{2})?)"

# The first that fits wins.
_NUMBERS = (
    _Candidate(pa.bool_(), "(?i)true|false"),
    _Candidate(pa.int64(), "-?(0|[1-9][0-9]{0,18})"),
    _Candidate(WIDE_INTEGER, "-?(0|[1-9][0-9]{0,37})"),
    _Candidate(
        pa.float64(),
        r"-?(0|[1-9][0-9]{0,37})(\.[0-9]+)?([eE][+-]?[0-9]+)?|(?i)nan|[+-]?inf(inity)?",
    ),
)
_TIMES = (
    _Candidate(pa.date32(), _DATE),
    _Candidate(pa.timestamp("us"), f"{_DATE}([T ]([0-9]{{2}}:[0-9]{{2}}|{_CLOCK}))?"),
    _Candidate(pa.timestamp("us", "UTC"), f"{_DATE}[T ]{_CLOCK}{_ZONE}"),
    _Candidate(pa.time64("us"), _CLOCK),
)


class TextGuess:
    """Of one column of texts. Inside JSON, where numbers have a form of their own, only times."""

    def __init__(self, *, numbers: bool = True) -> None:
        self._left = [*(_NUMBERS if numbers else ()), *_TIMES]
        self._seen = False

    def add(self, texts: Array) -> None:
        held = texts.drop_null()
        if not len(held) or (self._seen and not self._left):
            return
        self._seen = True
        self._left = [candidate for candidate in self._left if _fits(candidate, held)]

    @property
    def type(self) -> pa.DataType | None:
        """None while there was no value at all."""
        if not self._seen:
            return None
        return self._left[0].type if self._left else pa.string()


def _fits(candidate: _Candidate, texts: Array) -> bool:
    matches = pc.match_substring_regex(texts, f"^({candidate.pattern})$")
    if not pc.all(matches).as_py():
        return False
    if candidate.type == WIDE_INTEGER:
        return True
    try:
        cast_array(texts, candidate.type)
    except InvalidRequestError:
        return False
    return True


class ValueGuess:
    """Of one place in JSON documents: a column, a field, the elements of a list."""

    _BATCH = 10_000

    def __init__(self) -> None:
        self._kinds: set[type] = set()
        self._digits = 0
        self._texts: list[str] = []
        self._guess = TextGuess(numbers=False)
        self._elements: ValueGuess | None = None
        self._fields: dict[str, ValueGuess] = {}

    def add(self, value: Any) -> None:
        self._kinds.add(type(value))
        match value:
            case str() if type(value) is str:
                self._texts.append(value)
                if len(self._texts) >= self._BATCH:
                    self._settle()
            case int():
                self._digits = max(self._digits, _digits(value))
            case list():
                self._elements = self._elements or ValueGuess()
                for element in value:
                    self._elements.add(element)
            case dict():
                for name, item in value.items():
                    self._fields.setdefault(name, ValueGuess()).add(item)

    @property
    def type(self) -> pa.DataType | None:
        """None while there was nothing but null."""
        kinds = self._kinds - {NoneType}
        if not kinds:
            return None
        if kinds == {bool}:
            return pa.bool_()
        if kinds == {int}:
            return pa.int64() if self._digits <= _INT64 else _wide(self._digits)
        if kinds <= {int, Digits}:
            return pa.float64()
        if kinds == {str}:
            self._settle()
            return self._guess.type
        if kinds == {list}:
            inner = self._elements.type if self._elements is not None else None
            return pa.list_(inner or pa.string())
        if kinds == {dict} and self._fields:
            return pa.struct(
                [pa.field(name, guess.type or pa.string()) for name, guess in self._fields.items()]
            )
        return JSON

    def _settle(self) -> None:
        self._guess.add(pa.array(self._texts, pa.string()))
        self._texts = []


_INT64 = 18
_WIDEST = 38


def _digits(value: int) -> int:
    """How many a decimal needs; int64 holds some numbers of 19, so those that it holds count as 18."""
    return _INT64 if -(2**63) <= value < 2**63 else len(str(abs(value)))


def _wide(digits: int) -> pa.DataType:
    return WIDE_INTEGER if digits <= _WIDEST else pa.string()
