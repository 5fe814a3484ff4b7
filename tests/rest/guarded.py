"""A door with tokens, grants and an audit, as `lakeport serve` opens it, over a lake with something to hide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from lakeport.access import Ability, Authenticator, grants_for
from lakeport.access.lending import Lender
from lakeport.access.tokens import create_token, revoke_token
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.rest.account import Done
from lakeport.state import Store
from tests.catalog.iceberg.views.bodies import creation
from tests.rest.doors import Client, open_door, profile_in

NOW = 1_000_000_000_000_000_000
HIDDEN = ("salaries", "bonuses", "hr", "leavers")
"""Names that who may only see `shop` must never meet."""


@dataclass(slots=True)
class Guarded:
    lake: IcebergCatalog
    store: Store
    uri: str
    done: list[Done] = field(default_factory=list)

    def token(
        self, name: str, abilities: list[Ability], *on: str, seconds: int = 0, growth: bool = False
    ) -> str:
        lifetime = seconds * 1_000_000_000 or None
        made = create_token(
            self.store.tokens,
            name,
            grants_for(abilities, on),
            now_ns=NOW - 60_000_000_000,
            lifetime_ns=lifetime,
            growth=growth,
        )
        return made[0]

    def revoked(self, name: str) -> str:
        token = self.token(name, [Ability.ADMIN])
        revoke_token(self.store.tokens, name, now_ns=NOW)
        return token

    def client(self, token: str | None = None) -> Client:
        return Client(self.uri, token)


@contextmanager
def guarded(folder: Path) -> Iterator[Guarded]:
    with (
        IcebergCatalog(profile_in(folder)) as lake,
        Store.open(f"sqlite:///{folder}/s.db") as store,
    ):
        stock(lake)
        # Asked anew for every call, so that a token is known as soon as it is made.
        guard = Authenticator(
            store.tokens, open_at_first=False, probe_seconds=0, now_ns=lambda: NOW
        )
        made = Guarded(lake, store, "")
        lender = Lender(store.tokens, guard, lambda: NOW)
        with open_door(
            lake, authenticate=guard.authenticate, lender=lender, watches=(made.done.append,)
        ) as uri:
            made.uri = uri
            yield made


def stock(lake: IcebergCatalog) -> None:
    for namespace in ("shop", "hr"):
        lake.create_namespace(NamespaceInfo(namespace))
    shop, hr = lake.namespace("shop"), lake.namespace("hr")
    for name in ("orders", "salaries", "bonuses"):
        place = shop if name in {"orders", "bonuses"} else hr
        place.create_table(name, Definition(pa.schema([("id", pa.int64()), ("n", pa.int32())])))
    shop.views().create("ones", creation())
    hr.views().create("leavers", creation())
