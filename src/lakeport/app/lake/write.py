"""`Lake.write`: a person's words to the pipeline of the lake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lakeport.app.lake.pipeline import Pipeline
from lakeport.core.names import TableName
from lakeport.pipeline.session import Session
from lakeport.pipeline.staging import Given, Query, given_of, is_frame
from lakeport.pipeline.target import Run, fingerprint_of
from lakeport.pipeline.writing import (
    Observer,
    Outcome,
    Planned,
    logged,
    request_of,
)


@dataclass(frozen=True, slots=True)
class Wish:
    """All but the query and the table: who runs it, on which session, and the settings of a model."""

    parameters: Mapping[str, object] | None = None
    run_id: str | None = None
    model: str | None = None
    session: Session | None = None
    observe: Observer = logged
    settings: Mapping[str, Any] = field(default_factory=dict)

    def run(self, given: Given, actor: str | None) -> Run:
        text = fingerprint_of(given.sql) if isinstance(given, Query) else None
        run = Run(model=self.model, fingerprint=text, actor=actor)
        return run if self.run_id is None else replace(run, id=self.run_id)


def write(
    pipeline: Pipeline, what: object, into: TableName, wish: Wish, actor: str | None
) -> Outcome:
    given, request = given_of(what, wish.parameters), request_of(into, wish.settings)
    with pipeline.engine(_session(given, wish), wish.observe) as engine:
        return engine.write(given, request, wish.run(given, actor))


def plan_write(
    pipeline: Pipeline, what: object, into: TableName, wish: Wish, actor: str | None
) -> Planned:
    given, request = given_of(what, wish.parameters), request_of(into, wish.settings)
    with pipeline.engine(_session(given, wish), wish.observe) as engine:
        return engine.plan(given, request, wish.run(given, actor))


def _session(given: Given, wish: Wish) -> Session | None:
    """A frame can be read by its own session only."""
    return given.sparkSession if is_frame(given) else wish.session  # type: ignore[union-attr]
