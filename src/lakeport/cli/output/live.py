"""A run while it goes on, on stderr: a region that moves on a terminal, plain lines everywhere else.

What moves goes away at the end, because the answer says all of it again. Plain lines are for logs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from lakeport.cli.output.run import took
from lakeport.cli.output.sizes import counted
from lakeport.cli.output.text import visible
from lakeport.core.names import TableName
from lakeport.pipeline.running.events import (
    Event,
    Listener,
    ModelBegan,
    ModelEnded,
    ModelReached,
    ModelWaits,
    Preparing,
    Publishing,
    RunBegan,
    Stopping,
    WrittenAgain,
)
from lakeport.pipeline.running.result import ModelResult
from lakeport.pipeline.writing import Point

_DOING = {
    Point.LEASED: "reading its query",
    Point.ANALYSED: "computing",
    Point.STAGED: "checking rows",
    Point.CHECKED: "growing the table",
    Point.GROWN: "writing",
    Point.BRANCHED: "writing aside",
    Point.WRITING: "writing",
    Point.WRITTEN: "verifying",
    Point.AUDITED: "audited",
    Point.PUBLISHED: "published",
    Point.RETRYING: "others wrote first: once more",
}
_SHOWN = 8


@contextmanager
def following(
    stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Listener]:
    target = stream or sys.stderr
    if not target.isatty():
        yield Lines(target)
        return
    console = Console(file=target, highlight=False, markup=False, emoji=False)
    board = Board(clock)
    with Live(board, console=console, refresh_per_second=8, transient=True):
        yield board


@dataclass(slots=True)
class Lines:
    """One for each thing that is worth one."""

    target: TextIO
    total: int = 0
    ended: int = 0

    def __call__(self, event: Event) -> None:
        line = self._line(event)
        if line is not None:
            self.target.write(f"{visible(line)}\n")
            self.target.flush()

    def _line(self, event: Event) -> str | None:
        match event:
            case RunBegan():
                self.total = len(event.models)
                return None
            case ModelWaits():
                return f"{event.model} waits: {event.table} is written by {event.holder}"
            case ModelEnded():
                self.ended += 1
                return f"{self.ended}/{self.total} {_told(event.result)}"
            case Publishing():
                return f"publishing {counted(len(event.tables), 'table')} together"
            case WrittenAgain():
                self.total += len(event.models)
                return f"others wrote first: {counted(len(event.models), 'model')} once more"
            case Stopping():
                return "stopping; press Ctrl-C again to end at once"
            case _:
                return None


def _told(result: ModelResult) -> str:
    rows = "" if result.rows is None else f", {counted(result.rows, 'row')}"
    time_ = "" if result.seconds is None else f" in {took(result.seconds)}"
    return f"{result.model} {result.status}{rows}{time_}"


@dataclass(slots=True)
class Board:
    """What runs now, and how much is done."""

    clock: Callable[[], float]
    total: int = 0
    ended: int = 0
    failed: int = 0
    head: str = "reading the project"
    running: dict[TableName, tuple[float, str]] = field(default_factory=dict)
    _spinner: Spinner = field(default_factory=lambda: Spinner("dots"))

    def __call__(self, event: Event) -> None:
        match event:
            case Preparing():
                self.head = event.what
            case RunBegan():
                self.total, self.head = len(event.models), ""
            case ModelBegan():
                self.running[event.model] = (self.clock(), "starting")
            case ModelWaits():
                self._does(event.model, f"waits for {event.holder}")
            case ModelReached():
                self._does(event.model, _DOING.get(event.progress.point))
            case ModelEnded():
                self.running.pop(event.result.model, None)
                self.ended += 1
                self.failed += event.result.status == "failed"
            case Publishing():
                self.head = f"publishing {counted(len(event.tables), 'table')} together"
            case WrittenAgain():
                self.ended -= len(event.models)
                self.head = f"others wrote first: {counted(len(event.models), 'model')} once more"
            case Stopping():
                self.head = "stopping; press Ctrl-C again to end at once"
            case _:
                pass

    def _does(self, model: TableName, what: str | None) -> None:
        if what is not None and model in self.running:
            self.running[model] = (self.running[model][0], what)

    def __rich__(self) -> RenderableType:
        now = self.clock()
        failed = f", {self.failed} failed" if self.failed else ""
        done = f"{self.ended} of {counted(self.total, 'model')}{failed}" if self.total else ""
        self._spinner.update(text=Text(" ".join(filter(None, (done, self.head)))))
        lines: list[RenderableType] = [self._spinner]
        for model, (began, what) in list(self.running.items())[:_SHOWN]:
            line = Text("  ")
            line.append(visible(str(model)), style="cyan")
            line.append(f"  {visible(what)}  ", style="dim")
            line.append(took(now - began) or "", style="dim")
            lines.append(line)
        return Group(*lines)
