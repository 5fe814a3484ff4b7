from __future__ import annotations

from pathlib import Path

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    UUIDType,
)

from lakeport.catalog.iceberg.columns import Column, described_tables, spark_type
from lakeport.catalog.iceberg.connect import connect
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.names import TableName


@pytest.mark.parametrize(
    ("found", "spark"),
    [
        (BooleanType(), "boolean"),
        (IntegerType(), "int"),
        (LongType(), "bigint"),
        (DoubleType(), "double"),
        (DateType(), "date"),
        (StringType(), "string"),
        (TimestampType(), "timestamp_ntz"),
        (TimestamptzType(), "timestamp"),
        (DecimalType(9, 2), "decimal(9,2)"),
        (UUIDType(), "string"),
        (FixedType(16), "binary"),
        (ListType(1, LongType()), "array<bigint>"),
        (MapType(1, StringType(), 2, IntegerType()), "map<string,int>"),
        (
            StructType(NestedField(1, "a", IntegerType()), NestedField(2, "b", StringType())),
            "struct<a:int,b:string>",
        ),
    ],
)
def test_iceberg_types_in_sparks_words(found: IcebergType, spark: str) -> None:
    assert spark_type(found) == spark


def test_every_table_of_every_namespace_is_described(tmp_path: Path) -> None:
    profile = Profile(
        "lake", "sql", f"sqlite:///{tmp_path}/catalog.db", f"file://{tmp_path}/warehouse"
    )
    catalog = connect(profile)
    schema = Schema(NestedField(1, "Id", LongType(), required=True))
    for namespace in ("sales", "sales.eu"):
        catalog.create_namespace(namespace)
        catalog.create_table(f"{namespace}.orders", schema)
    catalog.close()
    found = described_tables(profile)
    assert [table.name for table in found] == [
        TableName("sales", "orders"),
        TableName("sales.eu", "orders"),
    ]
    assert found[0].columns == (Column("Id", "bigint"),)
