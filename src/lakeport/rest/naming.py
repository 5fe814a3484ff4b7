"""Names that are taken: by a table or by a view, which share one set of names, and is told in Iceberg's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from lakeport.core.errors import AlreadyExistsError, NotFoundError
from lakeport.core.names import TableName
from lakeport.rest.desk import Desk
from lakeport.rest.failures import TAKEN, NamedError, Subject

_CONFLICT = 409


@contextmanager
def naming(
    desk: Desk, name: TableName, kind: Literal["Table", "View"], old: TableName | None = None
) -> Iterator[None]:
    """Around what gives a table or view its name; `old` is the one it has now."""
    try:
        yield
    except AlreadyExistsError as error:
        holder = _holder(desk, name)
        words = holder if holder == kind else f"{holder} with same name"
        if old is not None:
            words = f"Cannot rename {old} to {name}. {holder}"
        about = Subject(name.namespace, name.table, words)
        raise NamedError(error, _CONFLICT, TAKEN, about) from error


def _holder(desk: Desk, name: TableName) -> str:
    try:
        desk.engines.find(name)
    except NotFoundError:
        return "View"
    return "Table"
