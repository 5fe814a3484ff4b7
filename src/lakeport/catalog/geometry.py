"""Geometries as well-known binary: told from other bytes by their field, checked, written and read.

A column of them is binary whose field says `geoarrow.wkb`, with a coordinate system in its metadata. What is
stored is what was sent, byte for byte; both spellings of Z and M (ISO's thousands, PostGIS's flags) and both
orders of bytes are understood. No library is needed: shapely's geometries are taken by their `wkb`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.core.errors import InvalidRequestError

NAME = b"ARROW:extension:name"
METADATA = b"ARROW:extension:metadata"
WKB = b"geoarrow.wkb"

Point: TypeAlias = tuple[float, ...]

_KINDS = (
    *("", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"),
    "GEOMETRYCOLLECTION",
)
_POINT, _LINE, _POLYGON, _COLLECTION = 1, 2, 3, 7
_PARTS = {4: 1, 5: 2, 6: 3}  # of which kind the parts of a MULTI… are
_Z, _M, _SRID = 0x80000000, 0x40000000, 0x20000000
_DEEPEST = 32


@dataclass(frozen=True, slots=True)
class Geometry:
    """`kind` in WKT's words; `coordinates` nest as in GeoJSON, and are parts in a collection."""

    kind: str
    coordinates: Any
    has_z: bool = False
    has_m: bool = False

    def __str__(self) -> str:
        """As WKT."""
        return _wkt(self)


def is_geometry(field: Field) -> bool:
    return (field.metadata or {}).get(NAME) == WKB


def geometry_field(
    name: str, *, crs: str | Mapping[str, object] | None = None, nullable: bool = True
) -> Field:
    """A column of geometries; `crs` is `EPSG:4326`, or PROJJSON as a mapping."""
    described = {} if crs is None else {"crs": crs}
    metadata: dict[bytes | str, bytes | str] = {NAME: WKB, METADATA: json.dumps(described)}
    return pa.field(name, pa.binary(), nullable=nullable, metadata=metadata)


def crs_of(field: Field) -> object:
    """The coordinate system that a column's field names; None if it names none."""
    try:
        described = json.loads((field.metadata or {}).get(METADATA) or b"{}")
    except ValueError:
        return None
    return described.get("crs") if isinstance(described, dict) else None


# -- writing -------------------------------------------------------------------------------------


def point(*xy: float) -> bytes:
    """`point(x, y)`, `point(x, y, z)` or `point(x, y, z, m)`; `point()` is empty."""
    at = xy or (float("nan"), float("nan"))
    return _head(_POINT, len(at)) + _packed([at])


def linestring(points: Sequence[Sequence[float]]) -> bytes:
    return _head(_LINE, _width(points)) + _counted(points)


def polygon(*rings: Sequence[Sequence[float]]) -> bytes:
    """The outer ring, then holes; each ends where it begins."""
    width = _width([each for ring in rings for each in ring])
    body = b"".join(map(_counted, rings))
    return _head(_POLYGON, width) + struct.pack("<I", len(rings)) + body


def wkb_of(geometry: object) -> bytes | None:
    """Of bytes, of a `Geometry`-like object with `wkb` (shapely's), or of nothing."""
    if geometry is None or isinstance(geometry, bytes):
        return geometry
    found = getattr(geometry, "wkb", None)
    if isinstance(found, bytes):
        return found
    raise InvalidRequestError(
        f"a {type(geometry).__name__} is no geometry", hint="give WKB, or geometries of shapely"
    )


def _head(kind: int, width: int) -> bytes:
    """ISO's numbers: 1001 is a point with Z, 3001 one with Z and M."""
    if width not in {2, 3, 4}:
        raise InvalidRequestError(f"a point has 2, 3 or 4 coordinates, not {width}")
    return struct.pack("<BI", 1, kind + {2: 0, 3: 1000, 4: 3000}[width])


def _width(points: Sequence[Sequence[float]]) -> int:
    widths = {len(each) for each in points} or {2}
    if len(widths) > 1:
        raise InvalidRequestError("the points of a geometry have different numbers of coordinates")
    return widths.pop()


def _counted(points: Sequence[Sequence[float]]) -> bytes:
    return struct.pack("<I", len(points)) + _packed(points)


def _packed(points: Sequence[Sequence[float]]) -> bytes:
    flat = [float(value) for each in points for value in each]
    return struct.pack(f"<{len(flat)}d", *flat)


# -- reading -------------------------------------------------------------------------------------


class _Reader:
    """Walks one value; `measure` jumps over coordinates, `geometry` makes objects of them."""

    def __init__(self, data: bytes | memoryview) -> None:
        self._data = data
        self._at = 0

    def whole(self, *, measuring: bool) -> Geometry | None:
        found = self._geometry(0, None, measuring=measuring)
        if self._at != len(self._data):
            raise ValueError("bytes are left after its end")
        return found

    def _geometry(self, depth: int, wanted: int | None, *, measuring: bool) -> Geometry | None:
        if depth > _DEEPEST:
            raise ValueError("it is nested too deeply")
        order = "<" if self._byte() == 1 else ">"
        code = self._number(order)
        kind, has_z, has_m = _kind(code)
        if code & _SRID:
            self._number(order)
        if wanted is not None and kind != wanted:
            raise ValueError("a part is of another kind than the whole")
        width = 2 + has_z + has_m
        if kind == _POINT:
            coordinates: Any = self._points(order, 1, width, measuring=measuring)
            coordinates = coordinates[0] if coordinates else ()
        elif kind == _LINE:
            coordinates = self._line(order, width, measuring=measuring)
        elif kind == _POLYGON:
            rings = range(self._count(order, 4))
            coordinates = tuple([self._line(order, width, measuring=measuring) for _ in rings])
        else:
            coordinates = self._parts(order, depth, _PARTS.get(kind), measuring=measuring)
        return None if measuring else Geometry(_KINDS[kind], coordinates, has_z, has_m)

    def _parts(self, order: str, depth: int, kind: int | None, *, measuring: bool) -> Any:
        parts = [
            self._geometry(depth + 1, kind, measuring=measuring)
            for _ in range(self._count(order, 5))
        ]
        if kind is None:
            return tuple(parts)
        return tuple([part.coordinates for part in parts if part is not None])

    def _line(self, order: str, width: int, *, measuring: bool) -> tuple[Point, ...]:
        return self._points(order, self._count(order, 8 * width), width, measuring=measuring)

    def _points(self, order: str, count: int, width: int, *, measuring: bool) -> tuple[Point, ...]:
        start, stop = self._at, self._at + 8 * width * count
        if stop > len(self._data):
            raise ValueError("it ends too early")
        self._at = stop
        if measuring:
            return ()
        return tuple(struct.iter_unpack(f"{order}{width}d", self._data[start:stop]))

    def _count(self, order: str, least: int) -> int:
        """Of things that take so many bytes each: what cannot be there is not counted to."""
        count = self._number(order)
        if count * least > len(self._data) - self._at:
            raise ValueError("it ends too early")
        return count

    def _byte(self) -> int:
        if self._at >= len(self._data):
            raise ValueError("it ends too early")
        value = self._data[self._at]
        if value > 1:
            raise ValueError("its order of bytes is neither 0 nor 1")
        self._at += 1
        return value

    def _number(self, order: str) -> int:
        if self._at + 4 > len(self._data):
            raise ValueError("it ends too early")
        (value,) = struct.unpack_from(f"{order}I", self._data, self._at)
        self._at += 4
        return int(value)


def read_wkb(data: bytes) -> Geometry:
    """`InvalidRequestError` if it is none."""
    try:
        found = _Reader(data).whole(measuring=False)
    except ValueError as error:
        raise InvalidRequestError(f"this is no well-known binary: {error}") from None
    if found is None:
        raise InvalidRequestError("this is no well-known binary")
    return found


def why_no_wkb(data: bytes | memoryview) -> str | None:
    """What is wrong with it; however large, only the counts in it are looked at."""
    try:
        _Reader(data).whole(measuring=True)
    except ValueError as error:
        return str(error)
    return None


def _kind(code: int) -> tuple[int, bool, bool]:
    flags, plain = code & 0xE0000000, code & 0x1FFFFFFF
    thousands, kind = divmod(plain, 1000)
    if not 1 <= kind <= _COLLECTION or thousands > 3 or (thousands and flags & (_Z | _M)):
        raise ValueError(f"{code} is no kind of geometry")
    return kind, bool(flags & _Z) or thousands in {1, 3}, bool(flags & _M) or thousands in {2, 3}


# -- as text -------------------------------------------------------------------------------------


def _wkt(geometry: Geometry) -> str:
    dimensions = "Z" * geometry.has_z + "M" * geometry.has_m
    head = geometry.kind + (f" {dimensions}" if dimensions else "")
    if geometry.kind == "POINT":
        is_empty = all(value != value for value in geometry.coordinates)  # noqa: PLR0124  NaN
        return f"{head} EMPTY" if is_empty else f"{head} ({_numbers(geometry.coordinates)})"
    if not geometry.coordinates:
        return f"{head} EMPTY"
    if geometry.kind == "GEOMETRYCOLLECTION":
        return f"{head} ({', '.join(map(str, geometry.coordinates))})"
    return f"{head} {_nested(geometry.coordinates)}"


def _nested(coordinates: Any) -> str:
    if not coordinates:
        return "EMPTY"
    if isinstance(coordinates[0], float):
        return _numbers(coordinates)
    return f"({', '.join(map(_nested, coordinates))})"


def _numbers(values: Sequence[float]) -> str:
    return " ".join(repr(value).removesuffix(".0") for value in values)
