"""What time it is by the store's own clock, for what several machines must agree about.

Postgres is asked, so that a machine whose clock is off neither loses its leases nor keeps those of others.
A SQLite store is used by the processes of one machine, which have one clock already.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from sqlalchemy import Connection, text

Clock: TypeAlias = Callable[[Connection], int]
"""Nanoseconds since 1970."""

_NOW = text("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)")


def store_time(connection: Connection) -> int:
    if connection.dialect.name == "postgresql":
        return int(connection.execute(_NOW).scalar_one()) * 1_000
    return time.time_ns()
