"""OAuth2: one of our tokens, as a client's secret, for a pass that is good for an hour."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from urllib.parse import urlencode

import duckdb
import pytest
from duckdb_extensions import import_extension  # type: ignore[import-untyped]  # it has no stubs
from pyiceberg.catalog.rest import RestCatalog

from lakeport.access import Ability
from lakeport.access.tokens import revoke_token
from tests.rest.doors import Client, Reply, open_door
from tests.rest.guarded import NOW, Guarded, guarded

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105  the name of a type
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with guarded(tmp_path_factory.mktemp("guarded")) as made:
        yield made


@pytest.fixture
def anybody(door: Guarded) -> Iterator[Client]:
    client = door.client()
    yield client
    client.close()


def exchange(client: Client, **form: str) -> Reply:
    data = urlencode(form).encode()
    return client.send("POST", "/v1/oauth/tokens", data=data, headers=FORM)


def status(door: Guarded, secret: str) -> int:
    client = door.client(secret)
    found = client.get("/v1/lake/namespaces/shop/tables/orders").status
    client.close()
    return found


def test_a_secret_is_exchanged_for_a_pass_of_the_same_grants(
    door: Guarded, anybody: Client
) -> None:
    token = door.token("ann", [Ability.READ], "shop.orders")
    reply = exchange(
        anybody,
        grant_type="client_credentials",
        client_id="whoever",
        client_secret=token,
        scope="catalog",
    )
    assert reply.status == 200
    answer = reply.json
    assert answer["access_token"].startswith("lp_pass_")
    assert token not in reply.body.decode()
    assert (answer["token_type"], answer["expires_in"]) == ("bearer", 3600)
    assert (answer["issued_token_type"], answer["scope"]) == (ACCESS_TOKEN, "catalog")
    assert reply.headers["cache-control"] == "no-store"
    client = door.client(answer["access_token"])
    assert client.get("/v1/lake/namespaces/shop/tables/orders").status == 200
    assert client.get("/v1/lake/namespaces/hr/tables/salaries").status == 404
    client.close()
    last = door.done[-1]
    assert (last.identity, last.action) == ("ann", "rest.load_table")


def test_the_secret_may_come_as_the_password_of_basic(door: Guarded, anybody: Client) -> None:
    pair = base64.b64encode(f"id:{door.token('bea', [Ability.ADMIN])}".encode()).decode()
    reply = anybody.send(
        "POST",
        "/v1/oauth/tokens",
        data=b"grant_type=client_credentials",
        headers={**FORM, "authorization": f"Basic {pair}"},
    )
    assert status(door, reply.json["access_token"]) == 200


def test_a_token_or_a_pass_is_exchanged_for_the_next_pass(door: Guarded, anybody: Client) -> None:
    """As Java's client does before a token expires."""
    secret = door.token("cid", [Ability.ADMIN])
    for _ in range(2):
        reply = exchange(
            anybody, grant_type=EXCHANGE, subject_token=secret, subject_token_type=ACCESS_TOKEN
        )
        assert reply.json["access_token"] != secret
        secret = reply.json["access_token"]
    assert status(door, secret) == 200


def test_a_pass_ends_with_its_token(door: Guarded, anybody: Client) -> None:
    token = door.token("dan", [Ability.ADMIN])
    reply = exchange(anybody, grant_type="client_credentials", client_secret=token)
    lent = reply.json["access_token"]
    assert status(door, lent) == 200
    revoke_token(door.store.tokens, "dan", now_ns=NOW)
    assert status(door, lent) == 401
    again = exchange(anybody, grant_type=EXCHANGE, subject_token=lent)
    assert (again.status, again.json["error"]) == (401, "invalid_client")


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        ({}, (400, "unsupported_grant_type")),
        ({"grant_type": "password"}, (400, "unsupported_grant_type")),
        ({"grant_type": "client_credentials"}, (401, "invalid_client")),
        ({"grant_type": "client_credentials", "client_secret": "lp_x"}, (401, "invalid_client")),
        ({"grant_type": EXCHANGE}, (401, "invalid_client")),
        ({"grant_type": EXCHANGE, "subject_token": "lp_pass_x"}, (401, "invalid_client")),
    ],
)
def test_refusals_have_the_form_of_oauth2(
    door: Guarded, anybody: Client, form: dict[str, str], answer: tuple[int, str]
) -> None:
    door.token(f"somebody {sorted(form.values())}", [Ability.READ])
    reply = exchange(anybody, **form)
    assert (reply.status, reply.json["error"]) == answer
    assert reply.json["error_description"]
    last = door.done[-1]
    outcome = "UNAUTHENTICATED" if answer[0] == 401 else "INVALID_ARGUMENT"
    assert (last.action, last.identity, last.outcome) == ("rest.get_token", None, outcome)


def test_bytes_that_are_no_form_are_refused(anybody: Client) -> None:
    reply = anybody.send("POST", "/v1/oauth/tokens", data=b"\xff\xfe&=&grant_type")
    assert (reply.status, reply.json["error"]) == (400, "unsupported_grant_type")


def test_pyiceberg_logs_in_with_a_credential(door: Guarded) -> None:
    token = door.token("eve", [Ability.READ], "shop.orders")
    properties = {
        "uri": door.uri,
        "warehouse": "lake",
        "credential": f"eve:{token}",
        "oauth2-server-uri": f"{door.uri}/v1/oauth/tokens",
    }
    with RestCatalog("x", **properties) as catalog:
        assert catalog.list_namespaces() == [("shop",)]
        assert catalog.list_tables("shop") == [("shop", "orders")]


def test_duckdb_logs_in_with_a_client_and_sees_what_its_token_may(door: Guarded) -> None:
    token = door.token("fay", [Ability.READ, Ability.WRITE], "shop.orders")
    with duckdb.connect(config={"threads": 1}) as database:
        for name in ("avro", "httpfs", "iceberg"):
            import_extension(name, con=database)
            database.execute(f"LOAD {name}")
        database.execute(
            f"CREATE SECRET s (TYPE iceberg, CLIENT_ID 'fay', CLIENT_SECRET '{token}',"
            f" OAUTH2_SERVER_URI '{door.uri}/v1/oauth/tokens')"
        )
        database.execute(f"ATTACH 'lake' AS lake (TYPE iceberg, ENDPOINT '{door.uri}', SECRET s)")
        shown = database.execute("SHOW ALL TABLES").fetchall()
        assert [row[:3] for row in shown] == [("lake", "shop", "orders")]
        database.execute("INSERT INTO lake.shop.orders VALUES (1, 2)")
        assert database.execute("FROM lake.shop.orders").fetchall() == [(1, 2)]
        with pytest.raises(duckdb.Error, match="does not exist"):
            database.execute("FROM lake.hr.salaries")
    changes = [done for done in door.done if done.rows_changed]
    assert [(done.identity, done.rows_changed) for done in changes] == [("fay", 1)]


def test_a_door_without_tokens_says_so(door: Guarded) -> None:
    with open_door(door.lake) as uri:
        client = Client(uri)
        reply = exchange(client, grant_type="client_credentials", client_secret=str(uri))
        client.close()
    assert reply.error == (406, "UnsupportedOperationException")
