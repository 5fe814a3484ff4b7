"""Who may come in, and what they may see: tokens from a function, and an authoriser that is asked each time.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
alice sees ['hr.salaries', 'hr.staff']
bob sees ['hr.staff']
bob: `bob` has no grant `read` on table `hr.salaries`
nobody: a valid token is needed
"""

from __future__ import annotations

import lakeport
from lakeport.airport import Ability, Catalog, Identity, Server

TOKENS = {"tok-alice": "alice", "tok-bob": "bob"}

demo = Catalog("demo")
hr = demo.schema("hr")
hr.table("staff", [{"name": "Ann"}]).table("salaries", [{"name": "Ann", "euros": 4_000}])


def recognise(token: str) -> str | None:
    """Ask whatever knows: a directory, a database. None is nobody."""
    return TOKENS.get(token)


def allow(who: Identity, ability: Ability, *place: str | None) -> bool:
    """`place` is the catalog, the namespace and the table; the last two may be None."""
    _, _, table = place
    return ability is Ability.READ and (table != "salaries" or who.name == "alice")


def main() -> None:
    with Server(demo, auth=recognise, authorise=allow) as server:
        print(server.attach_statements()[-1])
        for token, name in TOKENS.items():
            with lakeport.connect(server.location, token) as lake:
                print(name, "sees", lake.tables())
        for name, token in (("bob", "tok-bob"), ("nobody", "wrong")):
            try:
                with lakeport.connect(server.location, token) as lake:
                    lake.table("hr.salaries").scan().read_all()
            except lakeport.LakeportError as error:
                print(f"{name}: {error.message}")


if __name__ == "__main__":
    main()
