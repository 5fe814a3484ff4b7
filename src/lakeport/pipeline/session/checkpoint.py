"""Rows of a frame that are computed once and kept by Spark, on one JVM and on Spark Connect.

PySpark's client for Spark Connect (4.1) gives a checkpoint to the session that is active in the thread,
which is the first one it opened, and not to the one that made it: with two sessions it cannot be read.

How long a checkpoint lives over Spark Connect, measured with PySpark 4.1.4 (`tests/spark/session`):

* as long as Python holds the frame, or one made of it; the last of them tells the server when it goes;
* a temporary view of it keeps the rows beyond that, to the end of its session;
* no other session sees either; a global temporary view is seen by all, also after its session ended;
* stopping the session ends all of it but that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lakeport.pipeline.session.active import active
from lakeport.pipeline.session.conf import is_connect
from lakeport.pipeline.session.ports import Frame

_FIGURES = "lakeport_figures"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`figures` are the values of those that were asked for, None if Spark has not told them."""

    frame: Frame
    figures: tuple[Any, ...] | None = None


def checkpointed(frame: Frame, figures: Sequence[str] = ()) -> Checkpoint:
    """In the frame's own session, and for as long as somebody holds what this returns.

    `figures` are aggregates over its rows, taken while they are computed: no job of their own.
    """
    with active(frame.sparkSession):
        if not figures:
            return Checkpoint(frame.localCheckpoint(eager=True))
        return _connect(frame, figures) if is_connect(frame.sparkSession) else _own(frame, figures)


def _connect(frame: Any, figures: Sequence[str]) -> Checkpoint:
    functions: Any = import_module("pyspark.sql.connect.functions.builtin")
    observed = frame.observe(_FIGURES, *_columns(functions, figures))
    kept = observed.localCheckpoint(eager=True)
    # A server that is busy answers before its own listeners have heard of the rows: then with none of them.
    told = dict(observed.executionInfo.flows).get(_FIGURES)
    return Checkpoint(kept, _in_order(told, figures) if told else None)


def _own(frame: Any, figures: Sequence[str]) -> Checkpoint:
    functions: Any = import_module("pyspark.sql.functions.builtin")
    observation: Any = import_module("pyspark.sql").Observation(_FIGURES)
    observed = frame.observe(observation, *_columns(functions, figures))
    kept = observed.localCheckpoint(eager=True)
    return Checkpoint(kept, _in_order(observation.get, figures))


def _columns(functions: Any, figures: Sequence[str]) -> list[Any]:
    return [
        functions.expr(figure).alias(f"figure_{number}") for number, figure in enumerate(figures)
    ]


def _in_order(told: dict[str, Any], figures: Sequence[str]) -> tuple[Any, ...]:
    return tuple(told[f"figure_{number}"] for number in range(len(figures)))
