"""Well-known binary: written, read, shown and refused; DuckDB, which knows it too, is asked for the same."""

from __future__ import annotations

import struct
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from lakeport.airport import geometry
from lakeport.catalog.geometry import read_wkb, why_no_wkb
from lakeport.catalog.rows.geometries import check_geometries
from lakeport.core.errors import InvalidRequestError
from tests.strategies import seeded

TEXTS = (
    "POINT (1 2)",
    "POINT (0.1 -1e+300)",
    "POINT EMPTY",
    "POINT Z (1 2 3)",
    "POINT M (1 2 3)",
    "POINT ZM (1 2 3 4.5)",
    "LINESTRING (1 2, 3 4)",
    "LINESTRING EMPTY",
    "POLYGON ((0 0, 4 0, 4 4, 0 0), (1 1, 2 1, 2 2, 1 1))",
    "MULTIPOINT (1 2, 3 4)",
    "MULTILINESTRING ((1 2, 3 4), (5 6, 7 8))",
    "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 0)))",
    "MULTIPOLYGON EMPTY",
    "GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (1 2, 3 4))",
    "GEOMETRYCOLLECTION EMPTY",
)
SQUARE = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.0)]


def of_duckdb(text: str) -> bytes:
    """Its own WKB of a text."""
    with duckdb.connect() as connection:
        found = connection.execute("SELECT CAST($1 AS GEOMETRY) AS g", [text]).to_arrow_table()
        column: Any = found.column(0).combine_chunks()
        return bytes(getattr(column, "storage", column)[0].as_py())


@pytest.mark.parametrize("text", TEXTS)
def test_what_duckdb_writes_is_read_and_shown_as_it_was_spelled(text: str) -> None:
    assert str(read_wkb(of_duckdb(text))) == text


def test_what_is_made_here_is_what_duckdb_makes() -> None:
    assert geometry.point(1, 2) == of_duckdb("POINT (1 2)")
    assert geometry.point(1, 2, 3) == of_duckdb("POINT Z (1 2 3)")
    assert geometry.linestring([(1, 2), (3, 4)]) == of_duckdb("LINESTRING (1 2, 3 4)")
    assert geometry.polygon(SQUARE) == of_duckdb("POLYGON ((0 0, 1 0, 1 1, 0 0))")
    assert str(geometry.read(geometry.point())) == "POINT EMPTY"
    with pytest.raises(InvalidRequestError, match="different numbers of coordinates"):
        geometry.linestring([(1, 2), (3, 4, 5)])


def test_both_orders_of_bytes_and_postgis_flags_are_understood() -> None:
    big = struct.pack(">BIdd", 0, 1, 1.0, 2.0)
    flagged = struct.pack("<BIIddd", 1, 1 | 0x80000000 | 0x20000000, 4326, 1.0, 2.0, 3.0)
    assert str(read_wkb(big)) == "POINT (1 2)"
    assert str(read_wkb(flagged)) == "POINT Z (1 2 3)"


def test_bytes_that_are_no_geometry_are_refused_with_their_reason() -> None:
    reasons = {
        b"": "ends too early",
        b"\x01\x01\x00\x00\x00": "ends too early",
        geometry.point(1, 2) + b"x": "left after its end",
        b"\x07" + geometry.point(1, 2)[1:]: "order of bytes",
        struct.pack("<BI", 1, 99): "no kind of geometry",
        struct.pack("<BII", 1, 2, 2**32 - 1): "ends too early",
        struct.pack("<BII", 1, 4, 1) + geometry.linestring([]): "another kind than the whole",
        (struct.pack("<BII", 1, 7, 1) * 100_000): "nested too deeply",
    }
    for data, reason in reasons.items():
        assert reason in (why_no_wkb(data) or "")
        with pytest.raises(InvalidRequestError, match=reason):
            read_wkb(data)


def test_cut_and_changed_bytes_never_do_more_than_be_refused() -> None:
    rng = seeded(7)
    whole = [of_duckdb(text) for text in TEXTS]
    for _ in range(2_000):
        data = bytearray(rng.choice(whole))
        data[rng.randrange(len(data))] = rng.randrange(256)
        value = bytes(data[: rng.randrange(len(data) + 1)])
        if why_no_wkb(value) is None:
            assert str(read_wkb(value))


def test_a_column_is_checked_wherever_geometries_are_in_it() -> None:
    field = geometry.field("g", crs="EPSG:4326")
    assert geometry.crs_of(field) == "EPSG:4326"
    assert geometry.crs_of(geometry.field("g")) is None
    points = geometry.array([geometry.point(1, 2), None] * 10)
    check_geometries(points, field, "g")
    check_geometries(points.slice(3, 4), field, "g")
    mixed = geometry.array([geometry.polygon(SQUARE), None, geometry.point(1, 2, 3)])
    check_geometries(mixed, field, "g")
    bad = pa.array(
        [geometry.point(1, 2), b"\x01\x02" + bytes(19)], pa.binary()
    )  # as long as a point
    with pytest.raises(InvalidRequestError, match=r"`g` is GEOMETRY, and row 2 "):
        check_geometries(bad, field, "g")
    inside = pa.array([[None], [b"x"]], pa.list_(pa.binary()))
    listed = pa.field("l", pa.list_(pa.field("item", pa.binary(), metadata=field.metadata)))
    with pytest.raises(InvalidRequestError, match=r"`l\.item` is GEOMETRY"):
        check_geometries(inside, listed, "l")
    check_geometries(inside, pa.field("l", inside.type), "l")


class Shape:
    """As shapely's are."""

    wkb = geometry.point(1, 2)


def test_geometries_of_a_library_are_taken_by_their_bytes() -> None:
    assert geometry.array([Shape(), None]).to_pylist() == [geometry.point(1, 2), None]
    with pytest.raises(InvalidRequestError, match="a str is no geometry"):
        geometry.array(["POINT (1 2)"])
