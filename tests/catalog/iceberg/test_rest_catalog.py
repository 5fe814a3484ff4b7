"""A catalog behind REST: found, read and changed like any other, within time, and without secrets."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.connect import connect, probe
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo, Ref, ScanRequest
from lakeport.catalog.reading import read
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PreconditionError,
    UnavailableError,
    UnsupportedError,
)
from lakeport.core.timepoint import AtRef
from tests.catalog.iceberg.rest_server import RestServer, rest_server

CREDENTIAL, TOKEN = "ann:open sesame", "t0ken"

# For a server that never answers, and for one that does until it is told not to.
SHORT = {"lakeport.answer-seconds": "0.2"}
LONGER = {"lakeport.answer-seconds": "2"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RestServer]:
    before = threads()
    with rest_server(tmp_path / "rest") as running:
        yield running
    assert threads() <= before, "a thread was left"


def threads() -> set[threading.Thread]:
    """Without those that PyIceberg keeps for writing."""
    return {one for one in threading.enumerate() if not one.name.startswith("ThreadPoolExecutor")}


def fill(server: RestServer, name: str = "shop.Items", *rows: int) -> None:
    namespace = name.rpartition(".")[0]
    if not server.catalog.namespace_exists(namespace):
        server.catalog.create_namespace(namespace)
    table = server.catalog.create_table(name, Schema(NestedField(1, "k", LongType())))
    if rows:
        table.append(pa.table({"k": list(rows)}))


# -- finding -------------------------------------------------------------------------------------


def test_namespaces_are_listed_with_nested_ones_and_what_is_said_of_them(
    server: RestServer,
) -> None:
    with IcebergCatalog(server.profile()) as catalog:
        catalog.create_namespace(NamespaceInfo("zoo"))
        catalog.create_namespace(NamespaceInfo("art", "pictures", {"owner": "ann"}))
        catalog.create_namespace(NamespaceInfo("art.modern"))
        assert list(catalog.namespaces()) == [
            NamespaceInfo("art", "pictures", {"owner": "ann"}),
            NamespaceInfo("art.modern"),
            NamespaceInfo("zoo"),
        ]


def test_a_table_is_found_in_any_spelling_and_read(server: RestServer) -> None:
    fill(server, "shop.Items", 1, 2, 3)
    with IcebergCatalog(server.profile()) as catalog:
        table = catalog.namespace("SHOP").table("items")
        assert str(table.name) == "shop.Items"
        assert (table.state().version, len(table.history())) == (1, 1)
        with read(table, ScanRequest()) as stream:
            assert stream.read_all().to_pydict() == {"k": [1, 2, 3]}


def test_a_table_that_is_not_listed_is_found_if_it_can_be_loaded(server: RestServer) -> None:
    fill(server, "shop.Items", 1)
    nothing = 200, '{"identifiers": []}'
    server.answer_instead = lambda path: nothing if path.endswith("/tables") else None
    with IcebergCatalog(server.profile()) as catalog:
        assert catalog.namespace("shop").table("Items").state().version == 1
        with pytest.raises(NotFoundError):
            catalog.namespace("shop").table("others")


def test_a_table_is_listed_once_and_then_loaded_by_its_name(server: RestServer) -> None:
    fill(server, "shop.Items", 1)
    with IcebergCatalog(server.profile()) as catalog:
        namespace = catalog.namespace("shop")
        for _ in range(3):
            assert namespace.table("Items").name.table == "Items"
    assert server.count("/tables") == 1


def test_listings_come_in_pages(server: RestServer) -> None:
    for number in range(7):
        fill(server, f"shop.t{number}")
    server.page_size = 3
    with IcebergCatalog(server.profile()) as catalog:
        assert list(catalog.namespace("shop").tables()) == [f"t{number}" for number in range(7)]


def test_what_is_not_there_names_the_nearest(server: RestServer) -> None:
    fill(server)
    with IcebergCatalog(server.profile()) as catalog:
        with pytest.raises(NotFoundError) as caught:
            catalog.namespace("shopp")
        assert "did you mean `shop`" in str(caught.value.hint)
        with pytest.raises(NotFoundError) as caught:
            catalog.namespace("shop").table("itms")
        assert "did you mean `Items`" in str(caught.value.hint)


@pytest.mark.parametrize(
    "name", ["", "a\x00b", "\ud800", "a/b", "../x", "x" * 10_000, "%2F", "?", "."]
)
def test_names_that_nothing_can_have_are_not_found(server: RestServer, name: str) -> None:
    fill(server)
    with IcebergCatalog(server.profile()) as catalog:
        with pytest.raises(NotFoundError):
            catalog.namespace(name)
        with pytest.raises(NotFoundError):
            catalog.namespace("shop").table(name)


@pytest.mark.parametrize("name", ["two words", "a/b", "50%", "ünï", "a?b#c", "x+y"])
def test_names_are_passed_on_as_they_are(server: RestServer, name: str) -> None:
    server.catalog.create_namespace((name,))
    server.catalog.create_table(
        (name, name),
        Schema(NestedField(1, "k", LongType())),
        location=f"{server.warehouse}/somewhere",
    )
    with IcebergCatalog(server.profile()) as catalog:
        assert list(catalog.namespace(name).tables()) == [name]
        assert catalog.namespace(name.upper()).table(name.upper()).name.table == name


def test_no_table_is_put_into_the_folder_of_another(server: RestServer) -> None:
    """A service makes folders of names; ours have uuids, and may be of tables with a slash."""
    with IcebergCatalog(server.profile()) as catalog:
        namespace = catalog.create_namespace(NamespaceInfo("shop"))
        with pytest.raises(InvalidRequestError, match="folder of another table"):
            namespace.create_table("a/b", Definition(pa.schema([("k", pa.int64())])))
        assert list(namespace.tables()) == []


def test_a_dropped_table_is_not_found_and_a_new_one_is_another(server: RestServer) -> None:
    fill(server)
    with IcebergCatalog(server.profile(), max_staleness=0) as catalog:
        table = catalog.namespace("shop").table("Items")
        before = table.state().uuid
        server.catalog.drop_table("shop.Items")
        with pytest.raises(NotFoundError, match=r"`shop\.Items` was dropped"):
            table.state()
        fill(server)
        assert table.state().uuid != before


def test_namespaces_are_made_and_dropped(server: RestServer) -> None:
    fill(server)
    with IcebergCatalog(server.profile()) as catalog:
        with pytest.raises(AlreadyExistsError):
            catalog.create_namespace(NamespaceInfo("SHOP"))
        with pytest.raises(PreconditionError, match="Items"):
            catalog.drop_namespace("shop")
        server.catalog.drop_table("shop.Items")
        handle = catalog.namespace("shop")
        catalog.drop_namespace("Shop")
        assert list(catalog.namespaces()) == []
        with pytest.raises(NotFoundError):
            handle.tables()


def test_refs_are_made_and_dropped_through_the_service(server: RestServer) -> None:
    fill(server, "shop.Items", 1)
    with IcebergCatalog(server.profile()) as catalog:
        table = catalog.namespace("shop").table("Items")
        head = table.state().snapshot_id
        assert head is not None
        table.create_ref(Ref("nightly", "tag", head))
        assert Ref("nightly", "tag", head) in table.refs()
        assert table.state_at(AtRef("nightly")).snapshot_id == head
        table.drop_ref("nightly")
        assert [ref.name for ref in table.refs()] == ["main"]


def test_what_we_change_ourselves_is_seen_at_once(server: RestServer) -> None:
    fill(server, "shop.Items", 1)
    with IcebergCatalog(server.profile(), max_staleness=3600) as catalog:
        table = catalog.namespace("shop").table("Items")
        assert table.state().version == 1
        version = catalog.version()
        with catalog.changing(table.name) as native:
            native.load_table("shop.Items").append(pa.table({"k": [2]}))
        assert table.state().version == 2
        assert catalog.version() == version
        with catalog.changing() as native:
            native.create_table("shop.More", Schema(NestedField(1, "k", LongType())))
        assert catalog.version() != version
        server.answer_instead = lambda _: (503, "")
        with pytest.raises(UnavailableError), catalog.changing() as native:
            native.drop_table("shop.More")


def test_a_service_that_wants_a_location_is_told_one(server: RestServer) -> None:
    """Glue's REST endpoint leaves it to the client; others have places of their own."""
    native = server.catalog
    native.create_namespace("bare")
    native.create_namespace("placed", {"location": f"{server.warehouse}/glue/placed/"})
    definition = Definition(pa.schema([("k", pa.int64())]))

    def made(profile: Profile, namespace: str, table: str) -> str:
        with IcebergCatalog(profile) as catalog:
            catalog.namespace(namespace).create_table(table, definition)
        return native.load_table((namespace, table)).location()

    glue = {"rest.signing-name": "glue"}
    below = made(server.profile(**glue), "placed", "#t")
    assert re.fullmatch(rf"{server.warehouse}/glue/placed/_t-[0-9a-f]{{32}}", below)
    with pytest.raises(PreconditionError, match="namespace `bare` has none") as caught:
        made(server.profile(**glue), "bare", "t")
    assert "lakeport.table-location" in (caught.value.hint or "")
    said = {**glue, "lakeport.table-location": f"{server.warehouse}/said/"}
    assert made(server.profile(**said), "bare", "t").startswith(f"{server.warehouse}/said/bare/t-")
    assert made(server.profile(), "bare", "u") == f"{server.warehouse}/bare/u"


# -- who asks ------------------------------------------------------------------------------------


def test_a_credential_is_exchanged_for_a_token(server: RestServer) -> None:
    server.credential, server.token = CREDENTIAL, TOKEN
    fill(server)
    with IcebergCatalog(server.profile(credential=CREDENTIAL)) as catalog:
        assert list(catalog.namespace("shop").tables()) == ["Items"]
        server.token = TOKEN[::-1]  # the first one has ended
        assert list(catalog.namespace("shop").tables()) == ["Items"]


def test_a_wrong_credential_is_told_without_showing_it(server: RestServer) -> None:
    server.credential, server.token = CREDENTIAL, TOKEN
    with pytest.raises(UnavailableError) as caught:
        connect(server.profile(credential="ann:open barley"))
    assert caught.value.hint == "check `catalog.token` or `catalog.credential`"
    assert server.url in caught.value.message
    assert "barley" not in str(caught.value)


@pytest.mark.parametrize("token", ["wrong", None])
def test_a_wrong_or_missing_token_is_told_without_showing_it(
    server: RestServer, token: str | None
) -> None:
    server.token = TOKEN
    with pytest.raises(UnavailableError) as caught:
        connect(server.profile(**({} if token is None else {"token": token})))
    assert "check `catalog.token`" in str(caught.value.hint)
    assert "wrong" not in str(caught.value)


def test_the_other_ways_to_say_who_one_is_are_written_with_dots(server: RestServer) -> None:
    server.token = TOKEN
    properties = {
        "auth.type": "oauth2",
        "auth.oauth2.client_id": "ann",
        "auth.oauth2.client_secret": "open sesame",
        "auth.oauth2.token_url": f"{server.url}/v1/oauth/tokens",
    }
    with connect(server.profile(**properties)) as catalog:
        assert catalog.list_namespaces() == []
    assert any(one.headers["Authorization"].startswith("Basic ") for one in server.asked)


def test_requests_are_signed_for_aws_and_still_have_a_limit(server: RestServer) -> None:
    properties = {
        "rest.sigv4-enabled": "true",
        "rest.signing-name": "s3tables",
        "rest.signing-region": "eu-central-1",
        "client.region": "eu-central-1",
        "client.access-key-id": "AKIAEXAMPLE",
        "client.secret-access-key": "open sesame",
    }
    with connect(server.profile(**properties, **LONGER)) as catalog:
        assert catalog.list_namespaces() == []
        signature = server.asked[-1].headers["Authorization"]
        assert signature.startswith("AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/")
        assert "/eu-central-1/s3tables/aws4_request" in signature
        server.hangs_at = "namespaces"
        with pytest.raises(OSError, match="timed out"):
            catalog.list_namespaces()


def test_what_the_service_lends_for_a_table_goes_to_its_files(server: RestServer) -> None:
    fill(server)
    server.table_config = {"s3.access-key-id": "lent", "s3.region": "eu-central-1"}
    server.storage_credentials = [
        {"prefix": "file:", "config": {"s3.access-key-id": "lent for this place"}}
    ]
    with IcebergCatalog(server.profile(), max_staleness=0) as catalog:
        table = catalog.namespace("shop").table("Items")
        first = table.source()
        assert first.io.properties["s3.access-key-id"] == "lent for this place"
        assert first.io.properties["s3.region"] == "eu-central-1"
        assert table.source().io is first.io, "the same loan shares its connections"
        server.storage_credentials = []
        assert table.source().io.properties["s3.access-key-id"] == "lent"


def test_a_table_cannot_say_how_its_files_are_reached(server: RestServer) -> None:
    evil = {"s3.endpoint": "http://evil.example.com", "py-io-impl": "nowhere.FileIO"}
    fill(server)
    with server.catalog.load_table("shop.Items").transaction() as change:
        change.set_properties(evil)
    with IcebergCatalog(server.profile()) as catalog:
        source = catalog.namespace("shop").table("Items").source()
        assert not evil.keys() & source.io.properties.keys()
        assert evil.keys() <= source.metadata.properties.keys()


# -- trouble -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "properties"),
    [("config", {}), ("oauth/tokens", {"credential": CREDENTIAL})],
)
def test_a_service_that_hangs_at_the_start_is_an_error(
    server: RestServer, place: str, properties: dict[str, str]
) -> None:
    server.hangs_at = place
    with pytest.raises(UnavailableError) as caught:
        connect(server.profile(**properties, **SHORT))
    assert caught.value.message.endswith("did not answer in time")
    assert server.url in caught.value.message


def test_a_token_service_that_hangs_is_an_error(server: RestServer) -> None:
    properties = {
        "auth.type": "oauth2",
        "auth.oauth2.client_id": "ann",
        "auth.oauth2.client_secret": "open sesame",
        "auth.oauth2.token_url": f"{server.url}/v1/oauth/tokens",
    }
    server.hangs_at = "oauth"
    with pytest.raises(UnavailableError, match="did not answer in time"):
        connect(server.profile(**properties, **SHORT))


def test_a_service_that_hangs_later_is_an_error(server: RestServer) -> None:
    fill(server)
    with IcebergCatalog(server.profile(**LONGER), max_staleness=0) as catalog:
        table = catalog.namespace("shop").table("Items")
        server.hangs_at = "/tables"
        with pytest.raises(UnavailableError, match="did not answer in time") as caught:
            table.state()
        assert "try again" in str(caught.value.hint)
        with pytest.raises(UnavailableError, match="did not answer in time"):
            catalog.version()


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (500, "", "cannot be reached"),
        (503, '{"error": {"message": "later", "type": "x", "code": 503}}', "later"),
        (429, '{"error": {"message": "slowly", "type": "x", "code": 429}}', "is overloaded"),
        (502, "<html>" + "proxy " * 500 + "</html>", "RESTError 502"),
        (200, "<html>log in first</html>", "not Iceberg's"),
        (200, "[]", "not Iceberg's"),
        (403, '{"error": {"message": "not you", "type": "x", "code": 403}}', "not you"),
    ],
)
def test_strange_answers_are_told_shortly(
    server: RestServer, status: int, text: str, expected: str
) -> None:
    fill(server)
    with IcebergCatalog(server.profile(), max_staleness=0) as catalog:
        table = catalog.namespace("shop").table("Items")
        server.answer_instead = lambda path: (status, text) if "/tables" in path else None
        with pytest.raises(LakeportError, match=expected) as caught:
            table.state()
        assert isinstance(caught.value, UnavailableError)
        assert len(str(caught.value)) < 700


def test_what_the_service_does_not_do_is_unsupported(server: RestServer) -> None:
    with IcebergCatalog(server.profile()) as catalog:
        server.answer_instead = lambda path: (501, "") if path.endswith("/namespaces") else None
        with pytest.raises(UnsupportedError):
            catalog.create_namespace(NamespaceInfo("shop"))


def test_the_doctor_s_question_works_for_services_too(server: RestServer) -> None:
    fill(server)
    assert probe(server.profile(), seconds=30).namespaces == 1
