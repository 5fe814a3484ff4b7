"""PySpark's functions (`col`, `udf`, `window`) for the session that a model is given.

There are two of each, for a JVM of one's own and for Spark Connect, behind one name; and which of them is
meant PySpark asks a variable of the process. So it is set while code runs that was given a session of
Connect. Code of both kinds at the same moment in one process is more than PySpark can do. And that session
is the active one then: a type that is said in words is read by it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lakeport.pipeline.session.active import active
from lakeport.pipeline.session.ports import Session

_VARIABLE = "SPARK_CONNECT_MODE_ENABLED"
_CONNECT = "pyspark.sql.connect."

_lock = threading.Lock()
_blocks = 0


@contextmanager
def functions_of(session: Session) -> Iterator[None]:
    """In the block, those that fit the session; blocks of several threads may overlap."""
    if not type(session).__module__.startswith(_CONNECT):
        yield
        return
    _entered(1)
    try:
        with active(session):
            yield
    finally:
        _entered(-1)


def _entered(more: int) -> None:
    """The variable is ours to take away only if it was ours to set."""
    global _blocks, _is_ours  # noqa: PLW0603  so is the variable: one for the process
    with _lock:
        if _blocks == 0:
            _is_ours = _VARIABLE not in os.environ
        _blocks += more
        if _is_ours and _blocks:
            os.environ[_VARIABLE] = "1"
        elif _is_ours:
            os.environ.pop(_VARIABLE, None)


_is_ours = False
