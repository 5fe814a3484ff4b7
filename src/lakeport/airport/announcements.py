"""What a table was listed with, by the stamp of its state, for servers that start later.

Reading the metadata of five thousand tables takes seconds; what a listing says of them fits in a row each. A
stamp names one state for ever, so what is remembered cannot become wrong, only unused: it goes when its
table has another stamp. What cannot be read, or was written by another version, is made anew. Nothing here is needed: a store that is gone makes a listing slower and changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from functools import cache
from importlib.metadata import version as version_of
from typing import NamedTuple, Protocol

import msgspec
import pyarrow as pa

from lakeport.airport.wire.objects import schema_bytes
from lakeport.catalog.ports import CatalogVersion
from lakeport.core.errors import LakeportError

_log = logging.getLogger(__name__)

_FORM = 1  # another number whenever tables are announced otherwise than before
_HEAVIEST = 1 << 20  # bytes of one; a table of ten thousand columns is read again


class Remembers(Protocol):
    """`state.AnnouncementTable`."""

    def all(self, catalog: str, form: str) -> Mapping[str, bytes]: ...

    def keep(
        self, catalog: str, form: str, fresh: Mapping[str, bytes], gone: Collection[str]
    ) -> None: ...


class Announced(NamedTuple):
    """All that a listing says of a table beside its name."""

    uuid: str
    schema_id: int
    comment: str | None
    columns: int
    schema: pa.Schema


class _Record(msgspec.Struct, frozen=True, array_like=True):
    uuid: str
    schema_id: int
    comment: str | None
    columns: int
    schema: bytes


class Announcements:
    """Of any number of catalogs. `store` is None where nothing is to outlive the process."""

    def __init__(self, store: Remembers | None = None) -> None:
        self._store = store

    def known(self, catalog: str, version: CatalogVersion) -> dict[str, bytes]:
        """By stamp, as `recalled` reads them."""
        if self._store is None:
            return {}
        try:
            return dict(self._store.all(catalog, _form(version)))
        except LakeportError as error:
            _log.warning("announcements.not_read", extra={"reason": error.code})
            return {}

    def keep(
        self,
        catalog: str,
        version: CatalogVersion,
        fresh: Mapping[str, Announced],
        gone: Collection[str],
    ) -> None:
        """`gone` are stamps that their tables have no more."""
        if self._store is None:
            return
        packed = {stamp: _packed(each) for stamp, each in fresh.items()}
        small = {stamp: body for stamp, body in packed.items() if len(body) <= _HEAVIEST}
        try:
            self._store.keep(catalog, _form(version), small, gone)
        except LakeportError as error:
            _log.warning("announcements.not_kept", extra={"reason": error.code})


def recalled(body: bytes | None) -> Announced | None:
    if body is None:
        return None
    try:
        found = msgspec.msgpack.decode(body, type=_Record)
        schema = pa.ipc.read_schema(pa.py_buffer(found.schema))
    except (msgspec.MsgspecError, UnicodeDecodeError, pa.ArrowException, OSError, ValueError):
        return None
    return Announced(found.uuid, found.schema_id, found.comment, found.columns, schema)


def _packed(announced: Announced) -> bytes:
    record = _Record(
        announced.uuid,
        announced.schema_id,
        announced.comment,
        announced.columns,
        schema_bytes(announced.schema),
    )
    return msgspec.msgpack.encode(record)


def _form(version: CatalogVersion) -> str:
    """What beside the table's state decides how it is announced: this code, and who counts its rows."""
    counted = "counted" if version.rows is not None else "uncounted"
    return f"{_code()} {counted} {version.is_fixed}"


@cache
def _code() -> str:
    return f"lakeport {version_of('lakeport')} form {_FORM} pyarrow {pa.__version__}"
