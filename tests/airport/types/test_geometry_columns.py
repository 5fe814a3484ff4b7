"""Columns of geometries over the wire, in both catalogs: what they are called, hold, refuse and become.

Every statement with values that DuckDB makes is in `test_duckdb_types.py`.
"""

from __future__ import annotations

import grpc
import pyarrow as pa
import pytest

from lakeport.airport import geometry
from lakeport.flight.messages import FlightDescriptor
from tests.airport.attached import ROW_ID, Attached

CRS = {"type": "GeographicCRS", "name": "WGS 84", "id": {"authority": "EPSG", "code": 4326}}
PLACE = geometry.field("place", crs=CRS)
COLUMNS = pa.schema([pa.field("id", pa.int64()), PLACE])
SHAPES = [
    geometry.point(1, 2),
    None,
    geometry.point(),
    geometry.point(1, 2, 3, 4),
    geometry.linestring([(float(number), 0.5) for number in range(50_000)]),
    geometry.polygon([(0, 0), (1, 0), (1, 1), (0, 0)]),
]


def rows_of(*shapes: bytes | None) -> pa.Table:
    return pa.table([pa.array(range(len(shapes))), pa.array(shapes, pa.binary())], schema=COLUMNS)


def held(lake: Attached, table: FlightDescriptor) -> list[bytes | None]:
    column = lake.read(table).sort_by("id").column("place")
    return [None if value is None else bytes(value) for value in column.to_pylist()]


def test_values_and_coordinate_system_come_back_as_they_were_sent(lake: Attached) -> None:
    table = lake.create("places", COLUMNS)
    assert lake.insert(table, rows_of(*SHAPES)).changed == len(SHAPES)
    assert held(lake, table) == SHAPES
    announced = lake.duck.info(table).schema
    assert geometry.crs_of(announced.field("place")) == CRS
    assert b"can_produce_statistics" not in (announced.metadata or {})  # DuckDB has none for them
    removed = lake.delete(table, [lake.read(table).column(ROW_ID)[0].as_py()], returning=True)
    assert removed.rows[0]["place"] == SHAPES[0]


def test_bytes_that_are_no_geometry_change_nothing(lake: Attached) -> None:
    table = lake.create("places", COLUMNS)
    lake.insert(table, rows_of(*SHAPES[:2]))
    with pytest.raises(grpc.RpcError) as told:
        lake.insert(table, rows_of(SHAPES[0], b"POINT (1 2)"))
    error = told.value
    assert isinstance(error, grpc.Call)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "column `place` is GEOMETRY, and row 2 of a batch" in (error.details() or "")
    first = lake.read(table).column(ROW_ID)[0].as_py()
    change = pa.table({"place": pa.array([b"\x01"], pa.binary()), ROW_ID: pa.array([first])})
    with pytest.raises(grpc.RpcError) as told:
        lake.update(table, change)
    assert held(lake, table) == SHAPES[:2]


def test_a_column_of_geometries_is_added_renamed_and_dropped(lake: Attached) -> None:
    table = lake.create("places", pa.schema([pa.field("id", pa.int64())]))
    lake.insert(table, pa.table({"id": [0]}))
    about = {"catalog": "lake", "schema": "shop", "name": "places", "ignore_not_found": False}
    column = pa.schema([PLACE]).serialize().to_pybytes()
    table = lake.alter("add_column", **about, column_schema=column, if_column_not_exists=False)
    lake.insert(table, pa.table([pa.array([1]), pa.array(SHAPES[:1], pa.binary())], schema=COLUMNS))
    assert held(lake, table) == [None, SHAPES[0]]
    table = lake.alter("rename_column", **about, old_name="place", new_name="where")
    announced = lake.duck.info(table).schema.field("where")
    assert geometry.is_geometry(announced)
    assert geometry.crs_of(announced) == CRS
    table = lake.alter(
        "remove_column", **about, removed_column="where", if_column_exists=False, cascade=False
    )
    assert lake.duck.info(table).schema.names == ["id", ROW_ID]


def test_texts_become_geometries_by_alter_and_back(lake: Attached) -> None:
    texts = pa.table({"id": [0, 1], "place": ["POINT (1 2)", None]})
    table = lake.create("places", texts.schema)
    lake.insert(table, texts)
    about = {"catalog": "lake", "schema": "shop", "name": "places", "ignore_not_found": False}

    def retype(column: pa.Field[pa.DataType], using: str) -> FlightDescriptor:
        told = pa.schema([column]).serialize().to_pybytes()
        return lake.alter("change_column_type", **about, column_schema=told, expression=using)

    table = retype(PLACE, "CAST(place AS GEOMETRY)")
    announced = lake.duck.info(table).schema.field("place")
    assert geometry.is_geometry(announced)
    assert geometry.crs_of(announced) == CRS
    assert held(lake, table) == [geometry.point(1, 2), None]
    # What they are already, in other coordinates: no value changes.
    table = retype(geometry.field("place"), "CAST(place AS GEOMETRY)")
    assert geometry.crs_of(lake.duck.info(table).schema.field("place")) is None
    with pytest.raises(grpc.RpcError) as told:
        lake.insert(table, rows_of(b"POINT (1 2)"))
    table = retype(pa.field("place", pa.binary()), "CAST(place AS BLOB)")
    assert not geometry.is_geometry(lake.duck.info(table).schema.field("place"))
    assert held(lake, table) == [geometry.point(1, 2), None]
    with pytest.raises(grpc.RpcError, match="there is no cast from BLOB") as told:
        retype(PLACE, "CAST(place AS GEOMETRY)")
    assert isinstance(told.value, grpc.Call)
    assert told.value.code() is grpc.StatusCode.INVALID_ARGUMENT
