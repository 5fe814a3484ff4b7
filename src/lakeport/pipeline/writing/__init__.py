"""Rows into tables that only grow: what `lakeport run`, notebooks and other front ends all call."""

from __future__ import annotations

from lakeport.pipeline.writing.attempts import Surroundings
from lakeport.pipeline.writing.engine import Engine
from lakeport.pipeline.writing.outcome import Outcome, Planned
from lakeport.pipeline.writing.progress import Observer, Point, Progress, logged
from lakeport.pipeline.writing.request import WriteMode, WriteRequest, span_of
from lakeport.pipeline.writing.settings import WriteSettings, request_of

__all__ = [
    "Engine",
    "Observer",
    "Outcome",
    "Planned",
    "Point",
    "Progress",
    "Surroundings",
    "WriteMode",
    "WriteRequest",
    "WriteSettings",
    "logged",
    "request_of",
    "span_of",
]
