"""A table by the name a person typed, or an error that says which one was probably meant.

`known` gives the names that whoever asks may hear of, and is asked for a refusal alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from lakeport.catalog.ports import Table
from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.core.names import TableName, nearest, quoted

Known: TypeAlias = Callable[[], Iterable[str]]


def table_called(text: str, opened: Callable[[TableName], Table], known: Known) -> Table:
    name = name_in(text, known)
    try:
        return opened(name)
    except NotFoundError as error:
        raise NotFoundError.among("table", text, known()) from error


def name_in(text: str, known: Known) -> TableName:
    """`NAMESPACE.TABLE`; a bare table's name is an error naming the tables it may be."""
    name = TableName.parse(text)
    if name is not None:
        return name
    names = list(known())
    close = nearest(f".{text}", (f".{each.rpartition('.')[2]}" for each in names))
    meant = [] if close is None else [each for each in names if each.endswith(close)]
    raise InvalidRequestError(
        f"{quoted(text)} has no namespace",
        hint=f"did you mean {quoted(meant[0])}?" if meant else "write NAMESPACE.TABLE",
    )
