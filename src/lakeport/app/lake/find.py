"""A table by the name a person typed, or an error that says which one was probably meant."""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.catalog.ports import Catalog, Table
from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.core.names import TableName, nearest, quoted


def find_table(catalog: Catalog, text: str) -> Table:
    name = parse_name(catalog, text)
    try:
        return catalog.namespace(name.namespace).table(name.table)
    except NotFoundError as error:
        raise NotFoundError.among("table", text, table_names(catalog)) from error


def parse_name(catalog: Catalog, text: str) -> TableName:
    """`NAMESPACE.TABLE`; a bare table's name is an error naming the tables it may be."""
    name = TableName.parse(text)
    if name is not None:
        return name
    close = nearest(f".{text}", (f".{known.rpartition('.')[2]}" for known in table_names(catalog)))
    meant = [] if close is None else [n for n in table_names(catalog) if n.endswith(close)]
    raise InvalidRequestError(
        f"{quoted(text)} has no namespace",
        hint=f"did you mean {quoted(meant[0])}?" if meant else "write NAMESPACE.TABLE",
    )


def table_names(catalog: Catalog) -> Iterator[str]:
    for info in catalog.namespaces():
        for table in catalog.namespace(info.name).tables():
            yield f"{info.name}.{table}"
