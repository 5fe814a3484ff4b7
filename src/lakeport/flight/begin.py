"""The beginning of a call, where Ctrl-C must not strike.

A KeyboardInterrupt inside gRPC's own beginning leaves a call that nobody ends, and closing the channel waits
for it for ever. It strikes the main thread alone, so calls are begun on another one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


def begun(start: Callable[[], Any]) -> Any:
    """What `start` gives; a call that its caller no longer waits for is cancelled."""
    call: Future[Any] = Future()

    def run() -> None:
        try:
            call.set_result(start())
        except BaseException as error:  # noqa: BLE001  it is raised where it belongs
            call.set_exception(error)

    try:
        threading.Thread(target=run, daemon=True).start()
        return call.result()
    except KeyboardInterrupt:
        call.add_done_callback(lambda done: done.exception() or done.result().cancel())
        raise
