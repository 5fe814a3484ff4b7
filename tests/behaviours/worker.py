"""Writers in processes of their own: each opens the catalog for itself and sends its log back.

The processes are started once and run one program after the other. None begins before all have the
catalog open, so that they meet.
"""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from tests.behaviours.implementations import IMPLEMENTATIONS, Clock
from tests.behaviours.lake import Subject
from tests.behaviours.programs import WRITERS, Log, Writer

T = TypeVar("T")

_READY = "ready"
_GO = "go"


@dataclass(frozen=True, slots=True)
class Order:
    """Where the table is; `implementation` is a name of `IMPLEMENTATIONS`."""

    implementation: str
    folder: Path
    table: str
    namespace: str = "shop"


class Workers:
    def __init__(self) -> None:
        # Spawned, not forked: nothing of this process may be shared by accident.
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        self._processes: list[BaseProcess] = []
        for number in range(WRITERS):
            here, there = context.Pipe()
            process = context.Process(target=serve, args=(number, there), daemon=True)
            process.start()
            there.close()
            self._pipes.append(here)
            self._processes.append(process)

    def run(self, order: Order, seed: int) -> Sequence[Log]:
        self._tell((order, seed))
        self._hear()
        self._tell(_GO)
        logs = self._hear()  # of all, before one is raised: the next program finds nothing unread
        return [_expect(log, Log) for log in logs]

    def _tell(self, message: object) -> None:
        for pipe in self._pipes:
            pipe.send(message)

    def _hear(self) -> list[object]:
        return [pipe.recv() for pipe in self._pipes]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pipe in self._pipes:
            pipe.close()  # which ends the process
        for process in self._processes:
            process.join()


def serve(number: int, pipe: Connection) -> None:
    """Run this writer's part of every program it is sent, until the pipe is closed."""
    while True:
        log: Log | RuntimeError
        try:
            order, seed = pipe.recv()
            with ExitStack() as opened:
                log = _run(number, order, seed, pipe, opened)
        except EOFError:
            return
        except Exception as failure:  # noqa: BLE001 # it is the test's to raise
            log = RuntimeError(f"writer {number}: {''.join(traceback.format_exception(failure))}")
        pipe.send(log)


def _run(number: int, order: Order, seed: int, pipe: Connection, opened: ExitStack) -> Log:
    implementation = IMPLEMENTATIONS[order.implementation]
    catalog = implementation.make(Clock(), order.folder)
    opened.callback(implementation.close, catalog)
    log = Log()
    pipe.send(_READY)
    pipe.recv()
    subject = Subject(catalog.namespace(order.namespace).table(order.table))
    for _ in Writer(number, subject, log, seed, implementation.upkeep).run():
        pass
    return log


def _expect(answer: object, kind: type[T]) -> T:
    if isinstance(answer, Exception):
        raise answer
    if not isinstance(answer, kind):
        raise TypeError(f"expected {kind.__name__}, got {answer!r}")
    return answer
