"""Threads for calls that never hold up the end of the process.

The standard pool's threads are joined when Python exits, so one handler stuck in a slow store would
keep a stopped server alive for ever. Threads start when they are needed and stay. Whoever ends the process
should `join` them first for as long as it can: Python that is taken apart while a thread is deep inside
Arrow aborts.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Workers(Executor):
    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._closed = False
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001  the future's owner decides
                future.set_exception(error)

        with self._lock:
            if self._closed:
                raise RuntimeError("no work is taken after the end")
            self._work.put(work)
            if self._idle:
                self._idle -= 1  # a waiting thread is as good as taken
            elif len(self._threads) < self._most:
                name = f"{self._name}-{len(self._threads) + 1}"
                thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._threads.append(thread)
                thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002  as in Executor
        """Idle threads end at once, busy ones with their work; `join` waits for them."""
        del wait, cancel_futures
        with self._lock:
            self._closed = True
            for _ in self._threads:
                self._work.put(None)

    def join(self, seconds: float) -> bool:
        """After the shutdown: whether all threads ended within this time."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()
            del work  # what the call held is free before the next one comes
            with self._lock:
                self._idle += 1
