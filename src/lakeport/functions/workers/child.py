"""The process in which functions run. Started as `python -m lakeport.functions.workers.child IN OUT LIFE`.

It reads questions from one pipe and answers on another; a third one ends when the server does, and so does the
process. Its own stdout and stderr are the functions'. A process that a function forks off never answers.
"""

from __future__ import annotations

import logging
import os
import pickle
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pyarrow as pa

from lakeport.catalog.functions import result_field
from lakeport.catalog.ports import ScanRequest
from lakeport.core.errors import LakeportError
from lakeport.core.foreign import told
from lakeport.core.request import serving
from lakeport.functions.in_out import PythonInOut
from lakeport.functions.limits import Limits, too_hungry
from lakeport.functions.scalar import PythonScalar
from lakeport.functions.table import MeasuredTable, PythonTable
from lakeport.functions.workers.claims import claims_of
from lakeport.functions.workers.frames import LENGTHS, pieces, rows_in
from lakeport.functions.workers.loading import Loader, Made
from lakeport.functions.workers.messages import (
    Ask,
    Done,
    Failed,
    Load,
    Loaded,
    Loading,
    Question,
    unpacked_request,
)
from lakeport.functions.workers.output import Output

_STATUS = "/proc/self/statm"


class Child:
    """What is open is of one caller: a worker is lent to one at a time."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._pid = os.getpid()
        self._made: list[Made] = []
        self._base = 0
        self._output = Output()
        self._open: Any = None
        self._rows: Iterator[pa.RecordBatch] = iter(())
        self._decoder = msgspec.msgpack.Decoder(Question)

    def run(self) -> None:
        while (question := self._read()) is not None:
            asked, rows = question
            if isinstance(asked, Load):
                self._load(asked)
            else:
                self._answer(asked, rows)

    def _load(self, asked: Load) -> None:
        loader = Loader(asked)
        loader.load(lambda namespace: self._write(Loading(namespace)))
        self._made = loader.made
        self._output.keep()
        self._base = _virtual_memory()
        self._write(Loaded(tuple(loader.functions), tuple(loader.troubles)))

    def _answer(self, asked: Ask, rows: pa.RecordBatch | None) -> None:
        function = self._made[asked.function]
        function.limits = Limits(output=asked.output)
        self._bound(asked.memory)
        answer: Done | Failed
        given: pa.RecordBatch | None = None
        try:
            with serving(unpacked_request(asked.request)):
                answer, given = _STEPS[asked.do](self, function, asked, rows)
        except LakeportError as error:
            answer = _failed(error, worn=False)
        except MemoryError as error:
            refusal = too_hungry(function.what, Limits(memory=asked.memory))
            answer = _failed(refusal, worn=True, cause=error)
        except BaseException as error:  # noqa: BLE001  also SystemExit: only this call ends
            answer = _failed(told(error, function.what), worn=False, cause=error)
        self._bound(None)
        is_fit = self._output.restore()
        if not is_fit or (isinstance(answer, Done) and self._is_swollen(asked.memory)):
            answer = msgspec.structs.replace(answer, worn=True)
        self._write(answer, given)

    # -- the steps ---------------------------------------------------------------------------------

    def scalar(self, function: Any, _asked: Ask, rows: Any) -> tuple[Done, pa.RecordBatch]:
        assert isinstance(function, PythonScalar)  # noqa: S101  the server asks by what it was told
        field = result_field(function)
        return Done(), pa.record_batch([function.call(rows)], schema=pa.schema([field]))

    def bind(self, function: Any, _asked: Ask, rows: Any) -> tuple[Done, None]:
        assert isinstance(function, PythonTable)  # noqa: S101
        bound = function.bind(rows)
        return Done(bound.schema.serialize().to_pybytes(), bound.rows), None

    def shape(self, function: Any, asked: Ask, rows: Any) -> tuple[Done, None]:
        assert isinstance(function, PythonInOut)  # noqa: S101
        call = function.start(rows, _schema(asked.shape))
        return Done(call.schema.serialize().to_pybytes()), None

    def statistics(self, function: Any, asked: Ask, _rows: Any) -> tuple[Done, pa.RecordBatch]:
        assert isinstance(function, MeasuredTable)  # noqa: S101
        return claims_of(function.statistics(asked.column))

    def open(self, function: Any, asked: Ask, rows: Any) -> tuple[Done, pa.RecordBatch | None]:
        assert isinstance(function, PythonTable)  # noqa: S101
        request: ScanRequest = pickle.loads(asked.scan)  # noqa: S301  the server's own
        self._open = self._rows = function.bind(rows).open(request)
        return self._next()

    def start(self, function: Any, asked: Ask, rows: Any) -> tuple[Done, None]:
        assert isinstance(function, PythonInOut)  # noqa: S101
        self._open = function.start(rows, _schema(asked.shape))
        return Done(), None

    def process(self, _function: Any, _asked: Ask, rows: Any) -> tuple[Done, pa.RecordBatch | None]:
        self._rows = self._open.process(rows)
        return self._next()

    def finish(self, _function: Any, _asked: Ask, _rows: Any) -> tuple[Done, pa.RecordBatch | None]:
        self._rows = self._open.finish()
        return self._next()

    def next(self, _function: Any, _asked: Ask, _rows: Any) -> tuple[Done, pa.RecordBatch | None]:
        return self._next()

    def close(self, _function: Any, _asked: Ask, _rows: Any) -> tuple[Done, None]:
        opened, self._open, self._rows = self._open, None, iter(())
        if opened is not None:
            opened.close()
        return Done(), None

    def _next(self) -> tuple[Done, pa.RecordBatch | None]:
        return Done(), next(self._rows, None)

    # -- pipes and limits --------------------------------------------------------------------------

    def _read(self) -> tuple[Question, pa.RecordBatch | None] | None:
        lengths = self._read_exactly(LENGTHS.size)
        if lengths is None:
            return None
        head, body = LENGTHS.unpack(lengths)
        asked = self._decoder.decode(self._read_exactly(head) or b"")
        return asked, rows_in(self._read_exactly(body)) if body else None

    def _read_exactly(self, size: int) -> bytearray | None:
        buffer = bytearray(size)
        view = memoryview(buffer)
        while view:
            count = os.readv(self._incoming, [view])
            if not count:
                return None
            view = view[count:]
        return buffer

    def _write(self, message: msgspec.Struct, rows: pa.RecordBatch | None = None) -> None:
        if os.getpid() != self._pid:
            os._exit(0)  # forked off by a function: the answer is its parent's to give
        for piece in pieces(message, rows):
            view = piece
            while view:
                view = view[os.write(self._outgoing, view) :]

    def _is_swollen(self, megabytes: int | None) -> bool:
        """Whether what is left of past calls would be missed by the next one."""
        if megabytes is None or not self._base:
            return False
        return _virtual_memory() - self._base > megabytes << 19

    def _bound(self, megabytes: int | None) -> None:
        """What a function may take beyond what the process had when all was loaded."""
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = hard if megabytes is None or not self._base else self._base + (megabytes << 20)
        if resource.RLIM_INFINITY not in {hard, most}:
            most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _failed(error: LakeportError, *, worn: bool, cause: BaseException | None = None) -> Failed:
    trace = "" if cause is None else "".join(traceback.format_exception(cause))[-8_000:]
    return Failed(error.code, error.message, error.hint, error.details, trace, worn)


def _schema(data: bytes) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(data))


def _virtual_memory() -> int:
    """0 where nobody says; then memory has no limit."""
    try:
        with open(_STATUS, encoding="ascii") as status:  # noqa: PTH123  no path: the kernel's
            return int(status.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


def _end_with(life: int) -> None:
    os.read(life, 1)
    os._exit(0)


_STEPS: dict[str, Callable[..., tuple[Done, pa.RecordBatch | None]]] = {
    each.__name__: each
    for each in (
        Child.scalar,
        Child.bind,
        Child.shape,
        Child.statistics,
        Child.open,
        Child.start,
        Child.process,
        Child.finish,
        Child.next,
        Child.close,
    )
}


def main() -> None:
    incoming, outgoing, life = (int(each) for each in sys.argv[1:4])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(life,), daemon=True).start()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    Child(incoming, outgoing).run()
    os._exit(0)


if __name__ == "__main__":
    main()
