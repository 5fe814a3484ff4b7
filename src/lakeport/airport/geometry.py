"""Geometry columns for tables that you serve: `geometry.field("place", crs="EPSG:4326")`.

DuckDB shows them as GEOMETRY, everybody else as binary. Values are well-known binary: made by `point`,
`linestring` and `polygon`, taken from shapely by `array`, read by `read`.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from lakeport.catalog.geometry import (
    Geometry,
    crs_of,
    is_geometry,
    linestring,
    point,
    polygon,
    wkb_of,
)
from lakeport.catalog.geometry import geometry_field as field
from lakeport.catalog.geometry import read_wkb as read

__all__ = [
    "Geometry",
    "array",
    "crs_of",
    "field",
    "is_geometry",
    "linestring",
    "point",
    "polygon",
    "read",
]


def array(geometries: Iterable[object]) -> pa.BinaryArray:
    """A column's values from well-known binary, geometries of shapely, and None."""
    return pa.array([wkb_of(each) for each in geometries], pa.binary())
