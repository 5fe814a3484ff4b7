"""Places: a column of GEOMETRY (`geoarrow.wkb`), which DuckDB's spatial extension understands.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
where is geoarrow.wkb {"crs": "OGC:CRS84"}
Berlin is at (13.4, 52.52)
Lisbon is at (-9.14, 38.72)
"""

from __future__ import annotations

import struct

import pyarrow as pa

import lakeport
from lakeport.airport import Catalog, Server, geometry_field, wkb_points

demo = Catalog("demo")
where = geometry_field("where", crs="OGC:CRS84")
cities = pa.table(
    [pa.array(["Berlin", "Lisbon"]), wkb_points([13.40, -9.14], [52.52, 38.72])],
    schema=pa.schema([pa.field("city", pa.string()), where]),
)
demo.schema("geo").table("cities", cities)


def main() -> None:
    with Server(demo) as server, lakeport.connect(server.location) as lake:
        print(server.attach_statements()[-1])
        table = lake.table("geo.cities")
        told = table.schema.field("where").metadata or {}
        kind, crs = told[b"ARROW:extension:name"], told[b"ARROW:extension:metadata"]
        print("where is", kind.decode(), crs.decode())
        for row in table.scan().read_all().to_pylist():
            _, _, longitude, latitude = struct.unpack("<BIdd", row["where"])
            print(row["city"], "is at", (longitude, latitude))


if __name__ == "__main__":
    main()
