"""Which table a name means in a transaction, and which snapshot of it is read, for servers that answer
it in turns.

Whoever comes first decides, whichever server was asked. Times are of the wall, because several machines
must agree about them: a clock that is off makes a pin live a little longer or shorter, nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, or_, select

from lakeport.state.database import Database
from lakeport.state.tables import MEANINGS, PINS
from lakeport.state.upsert import insert_into

_LIFETIME_NS = 3_600_000_000_000


class PinKey(NamedTuple):
    """`uuid` is the table's: one that was made anew under the same name is another."""

    transaction: str
    catalog: str
    uuid: str


class Pin(NamedTuple):
    """`snapshot_id` is None for a table that nothing was written to yet."""

    snapshot_id: int | None
    schema_id: int


class NameKey(NamedTuple):
    """Names as they are compared, in one case."""

    transaction: str
    catalog: str
    namespace: str
    table: str


class PinTable:
    """Pins and meanings live an hour. The old ones go when a new one comes."""

    def __init__(self, database: Database, clock: Callable[[], int] = time.time_ns) -> None:
        self._database = database
        self._clock = clock

    def first(self, key: PinKey, pin: Pin) -> Pin:
        """The one that is there, if it is of the same columns; else this one, from now on."""
        now = self._clock()
        with self._database.reading() as connection:
            held = _held(connection, key, now)
        if held is not None and held.schema_id == pin.schema_id:
            return held
        with self._database.changing() as connection:
            outdated = _is(key) & (PINS.c.schema_id != pin.schema_id)
            connection.execute(delete(PINS).where(or_(PINS.c.until_ns <= now, outdated)))
            # Another server may be doing the same: the second one waits here, and keeps the first's.
            values = _values(key, pin, now)
            statement = insert_into(connection, PINS).values(values)
            connection.execute(statement.on_conflict_do_nothing())
            return _held(connection, key, now) or pin

    def put(self, key: PinKey, pin: Pin) -> None:
        with self._database.changing() as connection:
            values = _values(key, pin, self._clock())
            statement = insert_into(connection, PINS).values(values)
            fresh = {
                name: statement.excluded[name] for name in ("snapshot_id", "schema_id", "until_ns")
            }
            connection.execute(
                statement.on_conflict_do_update(index_elements=list(PINS.primary_key), set_=fresh)
            )

    def drop(self, catalog: str, uuid: str) -> None:
        with self._database.changing() as connection:
            of_table = (PINS.c.catalog == catalog) & (PINS.c.table_uuid == uuid)
            connection.execute(delete(PINS).where(of_table))

    def meant(self, key: NameKey, uuid: str) -> str:
        """The table that the name meant first; this one, from now on, if there was none."""
        now = self._clock()
        with self._database.reading() as connection:
            held = _meaning(connection, key, now)
        if held is not None:
            return held
        with self._database.changing() as connection:
            connection.execute(delete(MEANINGS).where(MEANINGS.c.until_ns <= now))
            row = (*key, uuid, now + _LIFETIME_NS)
            statement = insert_into(connection, MEANINGS).values(row)
            connection.execute(statement.on_conflict_do_nothing())
            return _meaning(connection, key, now) or uuid


def _is(key: PinKey) -> ColumnElement[bool]:
    return (
        (PINS.c.transaction_id == key.transaction)
        & (PINS.c.catalog == key.catalog)
        & (PINS.c.table_uuid == key.uuid)
    )


def _held(connection: Connection, key: PinKey, now: int) -> Pin | None:
    row = connection.execute(
        select(PINS.c.snapshot_id, PINS.c.schema_id).where(_is(key), PINS.c.until_ns > now)
    ).first()
    return None if row is None else Pin(*row)


def _values(key: PinKey, pin: Pin, now: int) -> tuple[object, ...]:
    """In the order of the columns."""
    return (*key, *pin, now + _LIFETIME_NS)


def _meaning(connection: Connection, key: NameKey, now: int) -> str | None:
    names = (
        MEANINGS.c.transaction_id,
        MEANINGS.c.catalog,
        MEANINGS.c.namespace,
        MEANINGS.c.table,
    )
    same = [name == part for name, part in zip(names, key, strict=True)]
    asked = select(MEANINGS.c.table_uuid).where(*same, MEANINGS.c.until_ns > now)
    found: str | None = connection.execute(asked).scalar()
    return found
