"""How much one step of a function may take: a batch of rows through a scalar function, the next batch of a
table function, one batch through an in/out function.

Time and memory are hard limits where a function runs in a process of its own. In the server's process time is
looked at when the step has ended, and memory cannot be bounded; what a step gives is weighed in both.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import pyarrow as pa

from lakeport.core.errors import ConfigurationError, DeadlineError, LimitError

_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """None leaves it to whoever runs the function. `memory` and `output` are megabytes."""

    seconds: float | None = None
    memory: int | None = None
    output: int | None = None

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None and value <= 0:
                raise ConfigurationError(
                    f"the limit `{each.name}` of a function must be more than 0, got {value}"
                )

    def over(self, others: Limits) -> Limits:
        """These, and the others' where there are none."""
        given = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if getattr(self, each.name) is not None
        }
        return replace(others, **given)

    @property
    def output_bytes(self) -> int | None:
        return None if self.output is None else self.output * _MEGABYTE


DEFAULTS = Limits(seconds=30.0, memory=1024, output=256)


def too_slow(what: str, limits: Limits) -> DeadlineError:
    return DeadlineError(
        f"{what} ran longer than {limits.seconds:g} s",
        hint="ask for less at once; its author can raise the limit (`functions.seconds`)",
        details={"limit": "functions.seconds"},
    )


def too_hungry(what: str, limits: Limits) -> LimitError:
    allowed = "there is" if limits.memory is None else f"{limits.memory} MB"
    return LimitError(
        f"{what} needed more memory than {allowed}",
        hint="ask for less at once; its author can raise the limit (`functions.memory`)",
        details={"limit": "functions.memory"},
    )


def too_large(what: str, size: int, limits: Limits) -> LimitError:
    return LimitError(
        f"{what} gave {size / _MEGABYTE:,.0f} MB in one piece, more than {limits.output} MB",
        hint="its author can give it in smaller pieces, or raise the limit (`functions.output`)",
        details={"limit": "functions.output"},
    )


def check_size(what: str, size: int, limits: Limits) -> None:
    most = limits.output_bytes
    if most is not None and size > most:
        raise too_large(what, size, limits)


def stepped(
    batches: Iterator[pa.RecordBatch], what: str, limits: Limits
) -> Iterator[pa.RecordBatch]:
    """Each batch weighed, and the time that it took to make."""
    while True:
        began = time.monotonic()
        batch = next(batches, None)
        if limits.seconds is not None and time.monotonic() - began > limits.seconds:
            raise too_slow(what, limits)
        if batch is None:
            return
        check_size(what, batch.nbytes, limits)
        yield batch
