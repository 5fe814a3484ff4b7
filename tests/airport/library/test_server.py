"""A library's server: its catalogs, its actions, who may come in, and whose transactions they are."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import grpc
import pyarrow as pa
import pytest

from lakeport.airport import Ability, Catalog, Identity, Limits, Server, current_request
from lakeport.airport.transactions import Status
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import CatalogVersion, Namespace, NamespaceInfo
from lakeport.core.errors import AlreadyExistsError, ConfigurationError, NotFoundError
from tests.airport.library.calls import calling, fl


def catalog(name: str, *tables: str, ddl: bool = False) -> Catalog:
    made = Catalog(name, ddl=ddl)
    for table in tables:
        made.schema("s").memory_table(table, [{"catalog": name, "table": table}])
    return made


def test_it_says_what_to_paste_into_duckdb() -> None:
    with Server(catalog("demo")) as server:
        assert server.location == f"grpc://127.0.0.1:{server.port}"
        assert server.attach_statements() == (
            "INSTALL airport FROM community; LOAD airport;",
            f"ATTACH 'demo' AS \"demo\" (TYPE airport, LOCATION '{server.location}');",
        )
    guarded = Server(catalog("demo"), auth={"t": "x"}, public_address="grpc+tls://lake.example:443")
    _, secret, attach = guarded.attach_statements()
    assert "SCOPE 'grpc+tls://lake.example:443'" in secret
    assert "LOCATION 'grpc+tls://lake.example:443'" in attach


def test_catalogs_come_and_go_while_it_runs() -> None:
    first, second = catalog("first", "a"), catalog("second", "b")
    with Server(first) as server, calling(server) as client:
        server.add(second)
        assert client.of("second").rows("s", "b")[0]["table"] == "b"
        with pytest.raises(ConfigurationError, match="two catalogs are called"):
            server.add(catalog("SECOND"))
        assert server.remove("Second") is second
        with pytest.raises(pa.ArrowKeyError, match="no catalog `second`"):
            client.of("second").rows("s", "b")
        with pytest.raises(NotFoundError):
            server.remove("second")
        server.add(catalog("second", "other"))
        assert client.of("second").tables() == ["s.other"]
        server.remove("first")
        assert client.tables() == ["s.other"]  # the default is the first that is left
        server.remove("second")
        code, text = client.refused("list_schemas")
        assert (code, text) == (grpc.StatusCode.NOT_FOUND, "this server has no catalog")


def test_a_token_chooses_the_catalog_where_no_header_does() -> None:
    people = {
        "a": Identity.of("ann", catalogs=["ann"]),
        "b": Identity.of("bob", "read", catalogs=["bob", "ann"]),
    }
    with (
        Server(catalog("ann", "t"), catalog("bob", "t"), auth=people) as server,
        calling(server) as client,
    ):
        ann, bob = client.bearing("a"), client.bearing("b")
        assert ann.rows("s", "t")[0]["catalog"] == "ann"
        assert bob.rows("s", "t")[0]["catalog"] == "bob"
        assert bob.of("ann").rows("s", "t")[0]["catalog"] == "ann"
        with pytest.raises(fl.FlightUnauthorizedError):
            ann.of("bob").rows("s", "t")
        assert bob.rows("bob", "s", "t") == bob.rows("s", "t")


def test_a_function_says_who_a_token_is() -> None:
    asked: list[str] = []

    def find(token: str) -> Identity | str | None:
        asked.append(token)
        if token.startswith("broken"):
            raise RuntimeError("the directory is down")
        known: dict[str, Identity | str] = {"x": "xenia", "r": Identity.of("rita", "read")}
        return known.get(token)

    demo = catalog("demo", "t", ddl=True)
    with Server(demo, auth=find) as server, calling(server) as client:
        client.bearing("x").put(pa.table({"catalog": ["x"], "table": ["y"]}), "s", "t")
        assert len(client.bearing("r").rows("s", "t")) == 2
        with pytest.raises(fl.FlightUnauthorizedError):
            client.bearing("r").put(pa.table({"catalog": ["x"], "table": ["y"]}), "s", "t")
        for stranger in (client, client.bearing("nobody"), client.bearing("")):
            with pytest.raises(fl.FlightUnauthenticatedError, match="a valid token is needed"):
                stranger.rows("s", "t")
        code, text = client.bearing("broken").refused("list_schemas")
        assert code is grpc.StatusCode.INTERNAL
        assert text == "the authenticator failed (the log of the server says why)"
    assert "" not in asked


def test_tokens_are_none_when_they_are_empty() -> None:
    for auth in ({}, {"": "anybody"}):
        with pytest.raises(ConfigurationError, match="anybody could come in"):
            Server(catalog("demo"), auth=auth)


def test_an_authoriser_is_asked_about_every_step() -> None:
    allowed = {("demo", None, None), ("demo", "s", None), ("demo", "s", "a")}
    asked: list[tuple[str, Ability]] = []

    def judge(
        identity: Identity, ability: Ability, catalog: str, namespace: str | None, table: str | None
    ) -> bool:
        asked.append((identity.name, ability))
        return ability is Ability.READ and (catalog, namespace, table) in allowed

    people = {"t": "tom"}
    with (
        Server(
            catalog("demo", "a", "b"), catalog("other", "c"), auth=people, authorise=judge
        ) as server,
        calling(server) as anybody,
    ):
        client = anybody.bearing("t")
        assert client.tables() == ["s.a"]
        assert len(client.rows("s", "a")) == 1
        with pytest.raises(fl.FlightUnauthorizedError):
            client.rows("s", "b")
        with pytest.raises(fl.FlightUnauthorizedError):
            client.of("other").rows("s", "c")
        with pytest.raises(fl.FlightUnauthorizedError):
            client.put(pa.table({"catalog": ["x"], "table": ["y"]}), "s", "a")
        allowed.add(("demo", "s", "b"))
        assert client.tables() == ["s.a", "s.b"]  # nothing of what it said is kept
        allowed.clear()
        with pytest.raises(fl.FlightUnauthorizedError):
            client.rows("s", "a")
    assert {name for name, _ in asked} == {"tom"}
    assert Ability.WRITE in {ability for _, ability in asked}


def test_an_authoriser_that_fails_lets_nobody_in() -> None:
    def judge(*_: object) -> bool:
        raise KeyError("no such rule")

    with Server(catalog("demo", "a"), authorise=judge) as server, calling(server) as client:
        code, text = client.refused("list_schemas")
        assert code is grpc.StatusCode.INTERNAL
        assert text.startswith("the authoriser raised KeyError")


def test_actions_of_its_own_are_listed_and_called() -> None:
    with Server(catalog("demo", "t"), auth={"a": "ann", "r": Identity.of("rob", "read")}) as server:

        @server.action("shout")
        def shout(body: bytes) -> bytes:
            """Says it louder."""
            return body.upper()

        @server.action("add", packed=True)
        def add(numbers: list[int]) -> dict[str, Any]:
            request = current_request()
            return {"sum": sum(numbers), "for": request and request.identity}

        @server.action("wipe", needs="admin")
        def wipe(body: bytes) -> None:
            del body

        @server.action("broken")
        def broken(body: bytes) -> Any:
            return len(body)

        with calling(server) as anybody:
            client = anybody.bearing("a")
            listed = {
                kind.type: kind.description
                for kind in client.client.flight.list_actions(client.client.options)
            }
            assert listed["shout"] == "Says it louder."
            assert "list_schemas" in listed
            assert client.act("shout", b"hello") == b"HELLO"
            assert client.refused("add", b"\xc1")[0] is grpc.StatusCode.INVALID_ARGUMENT
            assert client.packed("add") == {"sum": 0, "for": "ann"}
            assert client.refused("wipe") == (grpc.StatusCode.OK, "")
            assert anybody.bearing("r").refused("wipe")[0] is grpc.StatusCode.PERMISSION_DENIED
            assert anybody.refused("shout")[0] is grpc.StatusCode.UNAUTHENTICATED
            code, text = client.refused("broken")
            assert code is grpc.StatusCode.INTERNAL
            assert "action `broken` raised RuntimeError: it gave int" in text


def test_no_action_shadows_another() -> None:
    server = Server(catalog("demo"))
    for name in ("list_schemas", "GetTables", "mine"):
        if name == "mine":
            server.action(name)(lambda body: body)
        with pytest.raises(AlreadyExistsError, match="already an action"):
            server.action(name)(lambda body: body)


class Ledger:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.known: dict[str, Status] = {}
        self.refuses = False

    def begin(self, transaction_id: str, catalog: str) -> None:
        self.told.append(("begin", catalog))
        self.known[transaction_id] = "active"

    def commit(self, transaction_id: str, catalog: str) -> None:
        if self.refuses:
            raise RuntimeError("the database went away")
        self.told.append(("commit", catalog))
        self.known[transaction_id] = "committed"

    def rollback(self, transaction_id: str, catalog: str) -> None:
        self.told.append(("rollback", catalog))
        self.known[transaction_id] = "aborted"

    def status(self, transaction_id: str) -> Status | None:
        return self.known.get(transaction_id)


def test_a_transaction_manager_commits_and_rolls_back_each_statement() -> None:
    ledger = Ledger()
    rows = pa.table({"catalog": ["x"], "table": ["y"]})
    with Server(catalog("demo", "t"), transactions=ledger) as server, calling(server) as client:

        def begun() -> str:
            return str(client.packed("create_transaction", catalog_name="demo")["identifier"])

        def status(transaction: str) -> object:
            return client.packed("get_transaction_status", transaction_id=transaction)

        first, second, third = begun(), begun(), begun()
        assert status(first) == {"status": "active", "exists": True}
        client.having(("airport-transaction-id", first)).put(rows, "s", "t")
        assert status(first) == {"status": "committed", "exists": True}
        wrong = pa.table({"nothing": ["x"]})
        with pytest.raises(pa.ArrowInvalid):
            client.having(("airport-transaction-id", second)).put(wrong, "s", "t")
        assert status(second) == {"status": "aborted", "exists": True}
        ledger.refuses = True
        with pytest.raises(fl.FlightInternalError, match="raised RuntimeError: the database went"):
            client.having(("airport-transaction-id", third)).put(rows, "s", "t")
        assert status(third) == {"status": "aborted", "exists": True}
        unknown = "00000000-0000-0000-0000-000000000000"
        assert status(unknown) == {"status": "", "exists": False}
    assert [word for word, _ in ledger.told] == [*["begin"] * 3, "commit", "rollback", "rollback"]
    assert {name for _, name in ledger.told} == {"demo"}


def test_without_an_audit_or_a_manager_the_last_statement_says_how_a_transaction_is() -> None:
    own = Catalog("demo")
    own.schema("s").memory_table("t", pa.table({"id": [1]}), primary_key=["id"])
    with Server(own) as server, calling(server) as client:
        transaction = client.packed("create_transaction", catalog_name="demo")["identifier"]
        having = client.having(("airport-transaction-id", transaction))

        def status() -> object:
            return client.packed("get_transaction_status", transaction_id=transaction)["status"]

        assert status() == "active"
        having.put(pa.table({"id": [2]}), "s", "t")
        assert status() == "committed"
        with pytest.raises(pa.ArrowException, match="PRIMARY KEY"):
            having.put(pa.table({"id": [2]}), "s", "t")
        assert status() == "aborted"


class Broken:
    """Somebody's own catalog, of the protocols of `catalog.ports`, in which things go wrong."""

    name = "broken"

    def version(self) -> CatalogVersion:
        return CatalogVersion(1)

    def namespaces(self) -> Sequence[NamespaceInfo]:
        raise ConnectionError("no route to the database")

    def namespace(self, name: str) -> Namespace:
        if name == "memory":
            return MemoryCatalog("x").create_namespace(NamespaceInfo("memory"))
        raise ValueError(f"what is {name}?")


def test_a_catalog_of_somebodys_own_may_fail_and_is_named() -> None:
    with Server(Broken(), catalog("demo", "t")) as server, calling(server) as client:
        code, text = client.refused("list_schemas")
        assert code is grpc.StatusCode.INTERNAL
        assert text.startswith("catalog `broken` raised ConnectionError")
        with pytest.raises(pa.ArrowInvalid, match=r"raised ValueError: what is s\?"):
            client.rows("s", "t")
        assert len(client.of("demo").rows("s", "t")) == 1


def test_it_is_not_open_to_the_world_by_accident() -> None:
    for given in ({}, {"auth": {"t": "x"}}):
        with pytest.raises(ConfigurationError, match="beyond this machine"):
            Server(catalog("demo"), host="0.0.0.0", **given)  # type: ignore[arg-type]  # noqa: S104
    Server(catalog("demo"), host="0.0.0.0", insecure=True)  # noqa: S104


def test_messages_are_limited_as_it_was_told() -> None:
    big = pa.table({"catalog": ["x" * 5_000_000], "table": ["y"]})
    with (
        Server(catalog("demo", "t"), message_bytes=1 << 20) as server,
        calling(server) as client,
        pytest.raises((pa.ArrowInvalid, fl.FlightError), match=r"message_bytes|larger than max"),
    ):
        client.put(big, "s", "t")
    with pytest.raises(ConfigurationError):
        Server(catalog("demo"), message_bytes=1, limits=Limits())


def test_the_log_has_the_level_it_was_told() -> None:
    log = logging.getLogger("lakeport")
    before = log.level
    try:
        Server(catalog("demo"), log_level="error")
        assert log.level == logging.ERROR
        with pytest.raises(ConfigurationError, match="no log level `loud`"):
            Server(catalog("demo"), log_level="loud")
    finally:
        log.setLevel(before)
