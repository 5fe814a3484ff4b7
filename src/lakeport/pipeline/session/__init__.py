"""Spark for the pipeline: found, started, spoken to by sessions, ended."""

from __future__ import annotations

from lakeport.pipeline.session.adopted import adopt
from lakeport.pipeline.session.application import Spark
from lakeport.pipeline.session.checkpoint import checkpointed
from lakeport.pipeline.session.options import Profile, SparkOptions
from lakeport.pipeline.session.ports import Conf, Frame, Session
from lakeport.pipeline.session.said import Cause, Position, causes, position, said
from lakeport.pipeline.session.start import launch_own, risen, start_spark

__all__ = [
    "Cause",
    "Conf",
    "Frame",
    "Position",
    "Profile",
    "Session",
    "Spark",
    "SparkOptions",
    "adopt",
    "causes",
    "checkpointed",
    "launch_own",
    "position",
    "risen",
    "said",
    "start_spark",
]
