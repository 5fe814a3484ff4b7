"""An engine in a process of its own, asked one question after the other.

Spark and DuckDB are foreign here as they are for users: what they leave open, print or crash on is not
the test's. Questions are calls of the engine's methods; what it raises comes back as `RefusedError`.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from lakeport.core.closing import Closing


class RefusedError(Exception):
    """The engine said no; the text is its own."""


@dataclass(frozen=True, slots=True)
class _Failure:
    text: str


class Apart(Closing):
    """`make` is a function at the top of a module: the other process imports it by name."""

    def __init__(
        self, make: Callable[..., AbstractContextManager[Any]], *arguments: object
    ) -> None:
        # Spawned, not forked: a fork would inherit gRPC's threads half.
        context = multiprocessing.get_context("spawn")
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, make, arguments), daemon=True)
        self._process.start()
        there.close()
        self._answer()  # it is there, or says why not

    def ask(self, method: str, *arguments: object) -> Any:
        self._pipe.send((method, arguments))
        return self._answer()

    def _answer(self) -> Any:
        try:
            answer = self._pipe.recv()
        except EOFError:
            raise RefusedError("the engine's process ended") from None
        if isinstance(answer, _Failure):
            raise RefusedError(answer.text)
        return answer

    def close(self) -> None:
        self._pipe.close()  # which ends the process
        self._process.join()
        self._process.close()


def _serve(
    pipe: Connection,
    make: Callable[..., AbstractContextManager[Any]],
    arguments: tuple[object, ...],
) -> None:
    try:
        with make(*arguments) as engine:
            pipe.send(None)
            while True:
                method, given = pipe.recv()
                pipe.send(_attempt(engine, method, given))
    except EOFError:
        return
    except Exception as error:  # noqa: BLE001  the other side raises it
        pipe.send(_Failure(_text(error)))


def _attempt(engine: Any, method: str, arguments: tuple[object, ...]) -> object:
    try:
        return getattr(engine, method)(*arguments)
    except Exception as error:  # noqa: BLE001  the same
        return _Failure(_text(error))


def _text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
