"""What happens during a run, told as it happens: the command line draws it, tests read it.

Events come from whichever thread made them, one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from lakeport.core.names import TableName
from lakeport.pipeline.project.model import PublishMode
from lakeport.pipeline.running.result import ModelResult, RunResult
from lakeport.pipeline.writing import Progress


@dataclass(frozen=True, slots=True)
class Preparing:
    """What takes its time before the first model can begin."""

    what: str


@dataclass(frozen=True, slots=True)
class RunBegan:
    """`models` are those with something to do, in their order."""

    run_id: str
    models: tuple[TableName, ...]
    publish: PublishMode
    jobs: int
    resumed: bool


@dataclass(frozen=True, slots=True)
class ModelBegan:
    model: TableName


@dataclass(frozen=True, slots=True)
class ModelWaits:
    """For somebody else who writes its table; `holder` is another run and its process."""

    model: TableName
    table: TableName
    holder: str


@dataclass(frozen=True, slots=True)
class ModelReached:
    """A point of the way (`Point`), with what is known there."""

    model: TableName
    progress: Progress


@dataclass(frozen=True, slots=True)
class ModelEnded:
    """Also of one that never began."""

    result: ModelResult


@dataclass(frozen=True, slots=True)
class Publishing:
    """All of these by one commit."""

    tables: tuple[TableName, ...]


@dataclass(frozen=True, slots=True)
class WrittenAgain:
    """Others wrote to tables of the run before it could publish: these models are made once more."""

    models: tuple[TableName, ...]


@dataclass(frozen=True, slots=True)
class Stopping:
    """Somebody wants the run to end."""


@dataclass(frozen=True, slots=True)
class RunEnded:
    result: RunResult


Event: TypeAlias = (
    Preparing
    | RunBegan
    | ModelBegan
    | ModelWaits
    | ModelReached
    | ModelEnded
    | Publishing
    | WrittenAgain
    | Stopping
    | RunEnded
)


class Listener(Protocol):
    def __call__(self, event: Event, /) -> None: ...


def nobody(event: Event) -> None:
    """The listener there is when nobody listens."""
    del event
