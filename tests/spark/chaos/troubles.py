"""What may become of a commit on its way, and of the news of it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from tests.spark.network import Asked, Judge, Reply, Send, error


class Trouble(Enum):
    NONE = "none"
    CONFLICT = "another was faster"
    LOST = "done, and no answer"
    HIDDEN = "done, and a machine between says 503"
    BROKEN = "done, and a machine between says 500"
    REFUSED = "never arrived, and a machine between says 503"
    CUT = "never arrived, and no answer"

    def happen(self, send: Send) -> Reply | None:
        match self:
            case Trouble.NONE:
                return send()
            case Trouble.CONFLICT:
                return error(409, "CommitFailedException")
            case Trouble.LOST:
                send()
                return None
            case Trouble.HIDDEN:
                send()
                return error(503, "ServiceUnavailableException")
            case Trouble.BROKEN:
                send()
                return error(500, "InternalServerError")
            case Trouble.REFUSED:
                return error(503, "ServiceUnavailableException")
            case Trouble.CUT:
                return None


DONE = (Trouble.LOST, Trouble.HIDDEN, Trouble.BROKEN)
"""After these the table has the rows."""


def commits(table: str, choose: Callable[[int], Trouble]) -> Judge:
    """Decides by the number of the commit to that table."""
    seen = 0

    def judge(asked: Asked, send: Send) -> Reply | None:
        nonlocal seen
        if asked.commits_to != table:
            return send()
        seen += 1
        return choose(seen).happen(send)

    return judge
