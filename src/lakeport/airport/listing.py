"""Discovery: `list_schemas` for DuckDB, ListFlights for everybody, contract 002's CatalogInfo.

A namespace called `main` is left out for airport clients: DuckDB resolves that name before it asks a
server, so nothing in it could be used; standard clients are served it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from lakeport.access import Identity
from lakeport.airport.functions.declared import Declared, Kind
from lakeport.airport.functions.told import function_info
from lakeport.airport.inventory import Inventory, Kept, ListedNamespace
from lakeport.airport.objects import Audience, table_info
from lakeport.airport.wire.contents import SchemaRecord, list_schemas_answer, schema_contents
from lakeport.airport.wire.objects import schema_bytes
from lakeport.airport.wire.packing import compress, pack
from lakeport.catalog.ports import Catalog, NamespaceInfo
from lakeport.core.names import fold
from lakeport.flight.messages import FlightInfo

_AUDIENCES = 4  # for which the bytes of a table are kept

UNUSABLE_IN_DUCKDB = "main"
"""The one namespace that DuckDB cannot look up in an attached catalog."""

_KEYS = {
    Kind.SCALAR: "scalar_functions",
    Kind.TABLE: "table_functions",
    Kind.IN_OUT: "table_functions_in_out",
}


class Listing:
    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._answers: Kept[bytes] = Kept()
        self._catalog_infos: Kept[bytes] = Kept()

    def namespaces(
        self, catalog: Catalog, identity: Identity, *, is_airport: bool
    ) -> tuple[ListedNamespace, ...]:
        listed = self._inventory.of(catalog, identity, catalog.version())
        return _for_airport(listed) if is_airport else listed

    def list_schemas(self, catalog: Catalog, identity: Identity, audience: Audience) -> bytes:
        version = catalog.version()

        def make() -> bytes:
            listed = self._inventory.of(catalog, identity, version)
            shown = _for_airport(listed) if audience.is_airport else listed
            return list_schemas_answer([_record(each, audience) for each in shown], version)

        if identity.sight is None:
            return make()
        key = identity.sight, audience, version.rows  # which is in the answer, too
        return self._answers.get(catalog, version, key, make)

    def catalog_info(self, catalog: Catalog, identity: Identity) -> bytes:
        """Contract 002's CatalogInfo: zstd of msgpack, without the length before it."""
        version = catalog.version()

        def make() -> bytes:
            listed = self._inventory.of(catalog, identity, version)
            return compress(pack({"schemas": [_schema_info(each) for each in listed]}))

        sight = identity.sight
        return make() if sight is None else self._catalog_infos.get(catalog, version, sight, make)

    def forget(self, catalog: str) -> None:
        self._inventory.forget(catalog)
        self._answers.forget(catalog)
        self._catalog_infos.forget(catalog)


def infos(namespace: ListedNamespace, audience: Audience) -> Iterator[FlightInfo]:
    for table in namespace.tables:
        yield table_info(table, audience)
    for function in namespace.functions:
        yield function_info(function, audience)


def _encoded(namespace: ListedNamespace, audience: Audience) -> Iterator[bytes]:
    """`infos` as they go over the wire, those of tables as they went before."""
    for table in namespace.tables:
        found = table.encoded.get(audience)
        if found is None:
            if len(table.encoded) >= _AUDIENCES:
                table.encoded.clear()
            found = table.encoded[audience] = table_info(table, audience).encode()
        yield found
    for function in namespace.functions:
        yield function_info(function, audience).encode()


def explain_unusable(namespaces: Sequence[NamespaceInfo]) -> str | None:
    """What to tell somebody who looks for `main` in DuckDB, if the catalog has one."""
    if not any(_is_unusable(info) for info in namespaces):
        return None
    return (
        f"the namespace `{UNUSABLE_IN_DUCKDB}` is not shown to DuckDB, which keeps that name for "
        "itself; other Flight clients can read it"
    )


def _for_airport(listed: tuple[ListedNamespace, ...]) -> tuple[ListedNamespace, ...]:
    return tuple(namespace for namespace in listed if not _is_unusable(namespace.info))


def _is_unusable(info: NamespaceInfo) -> bool:
    return fold(info.name) == UNUSABLE_IN_DUCKDB


def _record(namespace: ListedNamespace, audience: Audience) -> SchemaRecord:
    info = namespace.info
    contents = schema_contents(list(_encoded(namespace, audience)))
    is_default = info.is_default or _is_unusable(info)
    return SchemaRecord(
        info.name, contents, info.comment or "", info.properties, is_default=is_default
    )


def _schema_info(namespace: ListedNamespace) -> dict[str, object]:
    info: dict[str, object] = {
        "name": namespace.info.name,
        **_comment(namespace.info.comment),
        "tables": [
            {
                "name": table.name.table,
                **_comment(table.comment),
                "schema": schema_bytes(table.schema),
            }
            for table in namespace.tables
        ],
    }
    for kind, key in _KEYS.items():
        functions = [_function_info(each) for each in namespace.functions if each.kind is kind]
        if functions:
            info[key] = functions
    return info


def _function_info(function: Declared) -> dict[str, object]:
    return {
        "name": function.name.table,
        **_comment(function.signature.description),
        "signature": {
            "parameters": [schema_bytes(pa.schema([each])) for each in function.parameters],
            "return": schema_bytes(function.output),
        },
    }


def _comment(text: str | None) -> dict[str, object]:
    """Contract 002 leaves out what is empty."""
    return {"comment": text} if text else {}
