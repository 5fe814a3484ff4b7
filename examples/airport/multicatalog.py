"""Several catalogs on one port: chosen by header or by token, added and removed while it runs.

ATTACH 'north' AS "north" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
ATTACH 'south' AS "south" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
nora, by her token: north
boss, by name: south
a third: east
taken: two catalogs are called `east`
gone: there is no catalog `east`
"""

from __future__ import annotations

import lakeport
from lakeport.airport import Catalog, Identity, Server


def region(name: str) -> Catalog:
    catalog = Catalog(name)
    catalog.schema("sales").table("region", [{"name": name}])
    return catalog


def main() -> None:
    nora, boss = Identity.of("nora", "read", catalogs=["north"]), Identity.of("boss")
    people = {"tok-nora": nora, "tok-boss": boss}
    with Server(region("south"), region("north"), auth=people) as server:
        print("\n".join(sorted(server.attach_statements()[-2:])))
        print("nora, by her token:", read(server, "tok-nora"))
        print("boss, by name:", read(server, "tok-boss", "south"))
        server.add(region("east"))
        print("a third:", read(server, "tok-boss", "east"))
        try:
            server.add(region("east"))
        except lakeport.LakeportError as error:
            print("taken:", error.message)
        server.remove("east")
        try:
            read(server, "tok-boss", "east")
        except lakeport.LakeportError as error:
            print("gone:", error.message)


def read(server: Server, token: str, catalog: str | None = None) -> object:
    with lakeport.connect(server.location, token, catalog=catalog) as lake:
        return lake.table("sales.region").scan().read_all()["name"][0].as_py()


if __name__ == "__main__":
    main()
