"""In which form a function takes the values of its rows, and gives them."""

from __future__ import annotations

from enum import StrEnum


class Style(StrEnum):
    PLAIN = "plain"
    """One row at a time, as Python's own values."""
    ARROW = "arrow"
    NUMPY = "numpy"
    PANDAS = "pandas"
    POLARS = "polars"

    @property
    def is_whole(self) -> bool:
        """Whether it takes all rows of a batch at once."""
        return self is not Style.PLAIN
