"""Record batches that break Arrow's own promises: what a sender with a bug, or with bad intent, sends.

Each is built from raw buffers, whose content nothing checks (Arrow itself refuses buffers that are too
short). Reading one without validating it first is a read outside of memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

ROWS = 4


def ints(*values: int, width: str = "i4") -> pa.Buffer:
    return pa.py_buffer(np.asarray(values, dtype=width).tobytes())


def built(data_type: pa.DataType, buffers: list[Any], children: list[Any] | None = None) -> Any:
    return pa.Array.from_buffers(data_type, ROWS, buffers, children=children)


def text_past_its_end() -> Any:
    return built(pa.string(), [None, ints(0, 1, 2, 900, 4), pa.py_buffer(b"abcd")])


def text_that_runs_backwards() -> Any:
    return built(pa.string(), [None, ints(0, 3, 1, 2, 4), pa.py_buffer(b"abcd")])


def text_that_is_not_utf8() -> Any:
    return built(pa.string(), [None, ints(0, 1, 2, 3, 4), pa.py_buffer(b"a\xff\xfeb")])


def long_text_past_its_end() -> Any:
    offsets = ints(0, 1, 2, 1 << 40, 4, width="i8")
    return built(pa.large_string(), [None, offsets, pa.py_buffer(b"abcd")])


def a_dictionary_without_the_word() -> Any:
    return pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 77, 0], pa.int32()), pa.array(["a", "b"]), safe=False
    )


def a_list_of_bad_texts() -> Any:
    lying = pa.Array.from_buffers(pa.string(), 2, [None, ints(0, 700, 4), pa.py_buffer(b"abcd")])
    return built(pa.list_(pa.string()), [None, ints(0, 1, 2, 2, 2)], [lying])


def a_number_of_too_many_digits() -> Any:
    return built(pa.decimal128(5, 2), [None, ints(*[(1 << 60), 0] * ROWS, width="i8")])


MALFORMED: dict[str, Callable[[], Any]] = {
    maker.__name__.replace("_", " "): maker
    for maker in (
        text_past_its_end,
        text_that_runs_backwards,
        text_that_is_not_utf8,
        long_text_past_its_end,
        a_dictionary_without_the_word,
        a_list_of_bad_texts,
        a_number_of_too_many_digits,
    )
}
