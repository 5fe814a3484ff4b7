"""The tables of a catalog with their columns, as Spark would spell the types.

For whoever needs to know what a lake holds without reading a row: lineage imports it. A table that
cannot be loaded fails the whole answer, because a schema that silently lacks one would turn every
column of it into a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyiceberg.catalog import Catalog
from pyiceberg.types import (
    BinaryType,
    DecimalType,
    FixedType,
    IcebergType,
    ListType,
    LongType,
    MapType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    UUIDType,
)

from lakeport.catalog.iceberg.connect import connect
from lakeport.catalog.iceberg.failures import refusal
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.names import TableName

# Only where Spark's word differs from Iceberg's own.
_SPARK: dict[type[IcebergType], str] = {
    LongType: "bigint",
    TimestampType: "timestamp_ntz",
    TimestampNanoType: "timestamp_ntz",
    TimestamptzType: "timestamp",
    TimestamptzNanoType: "timestamp",
    UUIDType: "string",
    FixedType: "binary",
    BinaryType: "binary",
}


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Described:
    name: TableName
    columns: tuple[Column, ...]


def described_tables(profile: Profile) -> list[Described]:
    """Every table of every namespace, nested ones included, sorted by name."""
    if profile.database_file is not None and not profile.database_file.exists():
        return []  # opening it would create it
    catalog = connect(profile)
    try:
        return sorted(_tables(catalog), key=lambda table: table.name)
    except Exception as error:
        raise refusal(profile, error) from error
    finally:
        catalog.close()


def _tables(catalog: Catalog) -> Iterator[Described]:
    pending = list(catalog.list_namespaces())
    seen = set(pending)
    while pending:
        namespace = pending.pop()
        below = [name for name in catalog.list_namespaces(namespace) if name not in seen]
        seen.update(below)
        pending.extend(below)
        for identifier in catalog.list_tables(namespace):
            schema = catalog.load_table(identifier).schema()
            columns = (Column(field.name, spark_type(field.field_type)) for field in schema.fields)
            yield Described(TableName(".".join(namespace), identifier[-1]), tuple(columns))


def spark_type(found: IcebergType) -> str:
    match found:
        case StructType():
            fields = (f"{field.name}:{spark_type(field.field_type)}" for field in found.fields)
            return f"struct<{','.join(fields)}>"
        case ListType():
            return f"array<{spark_type(found.element_type)}>"
        case MapType():
            return f"map<{spark_type(found.key_type)},{spark_type(found.value_type)}>"
        case DecimalType():
            return f"decimal({found.precision},{found.scale})"
    return _SPARK.get(type(found), str(found))
