"""What all models of one run share, and what people asked of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from lakeport.core.names import TableName
from lakeport.pipeline.graph import Graph, Node
from lakeport.pipeline.planning.interval import Asked, Interval
from lakeport.pipeline.project.model import Project, PublishMode, Value
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.running.events import Event, Listener
from lakeport.pipeline.running.stop import Stop
from lakeport.pipeline.session import Session
from lakeport.pipeline.target import Run, Tables
from lakeport.pipeline.writing import Engine, Observer
from lakeport.state.heartbeat import Heartbeat


class Sessions(Protocol):
    """Who gives out engines: each is of a session that nobody else uses meanwhile."""

    def engine(
        self, session: Session | None = ..., observe: Observer = ..., *, keep: bool = ...
    ) -> AbstractContextManager[Engine]: ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """`publish` is said for all models of the run; `usual` only for those that say nothing themselves."""

    asked: Asked
    publish: PublishMode | None = None
    usual: PublishMode = "direct"
    jobs: int = 2

    @property
    def is_atomic(self) -> bool:
        return (self.publish or self.usual) == "run-atomic"

    def publish_of(self, node: Node) -> PublishMode:
        if self.is_atomic:
            return "run-atomic"
        return self.publish or node.model.settings.publish or self.usual


class Branches:
    """Which models of a run that publishes at its end have rows on a branch by now, and which were made
    anew by this process: what an earlier one made of those is out of date.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._branches: dict[tuple[str, str], str] = {}
        self._made: set[tuple[str, str]] = set()

    def put(self, model: TableName, branch: str) -> None:
        with self._lock:
            self._branches[model.folded] = branch

    def forget(self, model: TableName) -> None:
        with self._lock:
            self._branches.pop(model.folded, None)

    def known(self) -> Mapping[tuple[str, str], str]:
        with self._lock:
            return dict(self._branches)

    def making(self, model: TableName) -> None:
        with self._lock:
            self._made.add(model.folded)

    def has_made(self, models: Iterable[TableName]) -> bool:
        with self._lock:
            return any(model.folded in self._made for model in models)


@dataclass(frozen=True)
class RunContext:
    """`resumed` says that this run was begun before: tables may have rows of it."""

    run: Run
    graph: Graph
    wanted: Wanted
    sessions: Sessions
    tables: Tables
    leases: Heartbeat
    listener: Listener
    observe: Observer | None = None
    resumed: bool = False
    last_ends: Mapping[str, datetime] = field(default_factory=dict)
    """Where each model's last commit ended as the state store knows it, for a table that forgot."""
    stop: Stop = field(default_factory=Stop)
    branches: Branches = field(default_factory=Branches)
    clock: Callable[[], int] = time.time_ns
    _telling: threading.RLock = field(default_factory=threading.RLock, repr=False)

    @property
    def project(self) -> Project:
        return self.graph.project

    @property
    def root(self) -> Path:
        return self.project.root

    def tell(self, event: Event) -> None:
        with self._telling:
            self.listener(event)

    def run_of(self, node: Node, interval: Interval | None) -> Run:
        return replace(
            self.run,
            model=str(node.name),
            fingerprint=node.model.fingerprint,
            interval=None if interval is None else interval.text,
        )

    def reading(self, catalog: str | None) -> Reading:
        return Reading(self.graph, catalog, self.branches.known())

    def values(self, interval: Interval) -> dict[str, Value]:
        """Every parameter that a query may name."""
        given: dict[str, Value] = dict(self.project.parameters)
        return {**given, "run_id": self.run.id, "start": interval.start, "end": interval.end}
