"""Rows of a frame that are computed once and kept by Spark, on one JVM and on Spark Connect.

PySpark's client for Spark Connect (4.1) gives a checkpoint to the session that is active in the thread,
which is the first one it opened, and not to the one that made it: with two sessions it cannot be read.

How long a checkpoint lives over Spark Connect, measured with PySpark 4.1.4 (`tests/spark/session`):

* as long as Python holds the frame, or one made of it; the last of them tells the server when it goes;
* a temporary view of it keeps the rows beyond that, to the end of its session;
* no other session sees either; a global temporary view is seen by all, also after its session ended;
* stopping the session ends all of it but that.
"""

from __future__ import annotations

from lakeport.pipeline.session.active import active
from lakeport.pipeline.session.ports import Frame


def checkpointed(frame: Frame) -> Frame:
    """In the frame's own session, and for as long as somebody holds what this returns."""
    with active(frame.sparkSession):
        return frame.localCheckpoint(eager=True)
