"""Places: a column of GEOMETRY (`geoarrow.wkb`), which DuckDB's spatial extension understands.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
place is geoarrow.wkb {"crs": "EPSG:4326"}
Berlin is at POINT (13.5 52.5)
Lisbon is at POINT (-9.25 38.75)
"""

from __future__ import annotations

import pyarrow as pa

import lakeport
from lakeport.airport import Catalog, Server, geometry

demo = Catalog("demo")
columns = pa.schema([pa.field("city", pa.string()), geometry.field("place", crs="EPSG:4326")])
places = geometry.array([geometry.point(13.5, 52.5), geometry.point(-9.25, 38.75)])
cities = pa.table([pa.array(["Berlin", "Lisbon"]), places], schema=columns)
demo.schema("geo").table("cities", cities)


def main() -> None:
    with Server(demo) as server, lakeport.connect(server.location) as lake:
        print(server.attach_statements()[-1])
        table = lake.table("geo.cities")
        told = table.schema.field("place").metadata or {}
        kind, described = told[b"ARROW:extension:name"], told[b"ARROW:extension:metadata"]
        print("place is", kind.decode(), described.decode())
        for row in table.scan().read_all().to_pylist():
            print(row["city"], "is at", geometry.read(row["place"]))


if __name__ == "__main__":
    main()
