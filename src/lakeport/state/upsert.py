"""INSERT … ON CONFLICT, which both databases have and SQLAlchemy spells once for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite


def insert_into(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415  only where it is the database

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite  # noqa: PLC0415  likewise

    return sqlite.insert(table)
