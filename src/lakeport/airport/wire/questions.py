"""What Lakeport's own clients ask in JSON: a table by the name a person typed, and what of it.

A query is a ticket and a descriptor's command as well as a question. Its key `query` is nobody else's,
so a server that does not know it refuses it, and never reads past a condition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import msgspec

from lakeport.airport.wire.fields import Fields
from lakeport.catalog.query import Query
from lakeport.core.errors import InvalidRequestError

_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class TableQuery:
    """`table` is `NAMESPACE.TABLE` in any spelling; `query` is as `lakeport read` takes it."""

    table: str
    query: Query
    catalog: str | None = None

    def encode(self) -> bytes:
        wanted = self.query
        return _encode(
            {
                "query": self.table,
                "catalog_name": self.catalog,
                "columns": None if wanted.columns is None else list(wanted.columns),
                "where": wanted.where,
                "limit": wanted.limit,
                "at": wanted.at,
                "row_ids": wanted.row_ids or None,
            }
        )

    @classmethod
    def find(cls, message: bytes, what: str) -> Self | None:
        """The query in a command or a ticket; None if that is about something else."""
        if message.lstrip()[:1] != b"{":
            return None
        fields = Fields.of_json(message, what)
        if "query" not in fields:
            return None
        query = Query(
            fields.texts("columns"),
            _optional(fields, "where"),
            _limit(fields),
            _optional(fields, "at"),
            fields.flag("row_ids"),
        )
        return cls(fields.required_text("query"), query, fields.text("catalog_name") or None)


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """About one table, now or at a point as `--at` takes it."""

    table: str
    catalog: str | None = None
    at: str | None = None

    def encode(self) -> bytes:
        return _encode({"table": self.table, "catalog_name": self.catalog, "at": self.at})

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        fields = Fields.of_json(body, what)
        return cls(
            fields.required_text("table"),
            fields.text("catalog_name") or None,
            _optional(fields, "at"),
        )


@dataclass(frozen=True, slots=True)
class TablesQuestion:
    """About the tables of a namespace and those nested in it, or about all."""

    namespace: str | None = None
    catalog: str | None = None
    long: bool = False

    def encode(self) -> bytes:
        return _encode(
            {"namespace": self.namespace, "catalog_name": self.catalog, "long": self.long}
        )

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        fields = Fields.of_json(body, what)
        return cls(
            _optional(fields, "namespace"),
            fields.text("catalog_name") or None,
            fields.flag("long"),
        )


def _optional(fields: Fields, key: str) -> str | None:
    """An empty text is a text: it is refused where it is read, as it is on the command line."""
    return fields.text(key) if key in fields else None


def _limit(fields: Fields) -> int | None:
    value = fields.values.get("limit")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not -_INT64 <= value < _INT64:
        raise InvalidRequestError("`limit` must be a 64-bit integer")
    return value


def _encode(members: Mapping[str, object]) -> bytes:
    return msgspec.json.encode({key: value for key, value in members.items() if value is not None})
