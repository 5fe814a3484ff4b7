"""A table of a catalog that is open to us wholly, by the name a person typed."""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.catalog.ports import Catalog, Table
from lakeport.catalog.reports.find import name_in, table_called
from lakeport.core.names import TableName


def find_table(catalog: Catalog, text: str) -> Table:
    def opened(name: TableName) -> Table:
        return catalog.namespace(name.namespace).table(name.table)

    return table_called(text, opened, lambda: table_names(catalog))


def parse_name(catalog: Catalog, text: str) -> TableName:
    return name_in(text, lambda: table_names(catalog))


def table_names(catalog: Catalog) -> Iterator[str]:
    for info in catalog.namespaces():
        for table in catalog.namespace(info.name).tables():
            yield f"{info.name}.{table}"
