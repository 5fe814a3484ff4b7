"""Values that Arrow cannot take for a type, in its words, or in ours where those are the interpreter's."""

from __future__ import annotations

import pyarrow as pa

UNFIT = (pa.ArrowException, TypeError, ValueError, OverflowError)
"""What Arrow raises for them."""


def unfit(error: BaseException) -> str:
    words = " ".join(str(error).split())
    if isinstance(error, OverflowError) and "negative" in words:
        return "an integer is negative, and the type has no such values"
    if isinstance(error, OverflowError) or "PyLong" in words:
        return "an integer is beyond what 64 bits hold"
    return words
