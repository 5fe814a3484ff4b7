"""How engines are told to attach to a catalog, each in its own words."""

from __future__ import annotations

from lakeport.catalog.iceberg.attachment import Attachment
from lakeport.catalog.iceberg.java_words import storage_for_java
from lakeport.catalog.iceberg.profile import Profile

DOOR = Attachment.to_door("lake", "http://127.0.0.1:8181/iceberg", "lp_x")
OPEN = Attachment.to_door("lake", "http://127.0.0.1:8181/iceberg")
SERVICE = Attachment.to_service(
    Profile(
        "eu",
        "rest",
        "https://polaris.example/api",
        None,
        {
            "credential": "id:it's",
            "scope": "ALL",
            "oauth2-server-uri": "https://login.example",
            "rest.signing-name": "x",
            "s3.secret-access-key": "hidden",
        },
    )
)


def test_pyiceberg_gets_properties() -> None:
    assert DOOR.for_pyiceberg() == {
        "type": "rest",
        "uri": "http://127.0.0.1:8181/iceberg",
        "warehouse": "lake",
        "token": "lp_x",
    }
    assert "token" not in OPEN.for_pyiceberg()


def test_spark_gets_settings_of_a_session() -> None:
    assert DOOR.for_spark() == {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "rest",
        "spark.sql.catalog.lake.uri": "http://127.0.0.1:8181/iceberg",
        "spark.sql.catalog.lake.warehouse": "lake",
        "spark.sql.catalog.lake.token": "lp_x",
        "spark.sql.catalog.lake.cache-enabled": "false",
        "spark.sql.catalog.lake.rest-metrics-reporting-enabled": "false",
    }


def test_spark_is_told_how_files_in_s3_are_reached_in_java_s_words() -> None:
    found = {
        "s3.endpoint": "http://127.0.0.1:9000",
        "s3.access-key-id": "id",
        "client.secret-access-key": "hush",
        "s3.proxy-uri": "http://proxy:1",
        "s3.server-side-encryption": "aws:kms",
        "s3.sse-kms-key-id": "k",
        "py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO",
    }
    told = Attachment.to_door("lake", "http://127.0.0.1:8181/iceberg", None, found)
    more = told.for_spark().items() - OPEN.for_spark().items()
    assert {key.removeprefix("spark.sql.catalog.lake."): value for key, value in more} == {
        "s3.endpoint": "http://127.0.0.1:9000",
        "s3.access-key-id": "id",
        "s3.secret-access-key": "hush",
        "s3.path-style-access": "true",
        "client.region": "us-east-1",
        "http-client.proxy-endpoint": "http://proxy:1",
        "s3.sse.type": "kms",
        "s3.sse.key": "k",
    }
    assert "hush" not in repr(told)
    assert told.for_pyiceberg() == OPEN.for_pyiceberg()


def test_a_bucket_of_amazon_s_is_part_of_the_host() -> None:
    found = {"s3.region": "eu-central-1", "s3.force-virtual-addressing": "true"}
    assert storage_for_java(found) == {"client.region": "eu-central-1"}
    own = {**found, "s3.endpoint": "http://minio"}
    assert "s3.path-style-access" not in storage_for_java(own)
    assert storage_for_java({"uri": "x"}) == {}


def test_a_service_that_wants_signatures_gets_the_keys_by_its_own_names() -> None:
    keys = {"client.access-key-id": "id", "client.secret-access-key": "hush"}
    signed = Profile("t", "rest", "https://x", "arn", {**keys, "rest.sigv4-enabled": "True"})
    settings = Attachment.to_service(signed).for_spark()
    assert settings["spark.sql.catalog.t.rest.access-key-id"] == "id"
    assert settings["spark.sql.catalog.t.rest.secret-access-key"] == "hush"
    plain = Attachment.to_service(Profile("t", "rest", "https://x", "arn", keys)).for_spark()
    assert "spark.sql.catalog.t.rest.access-key-id" not in plain


def test_duckdb_gets_statements() -> None:
    place = "TYPE iceberg, ENDPOINT 'http://127.0.0.1:8181/iceberg'"
    assert OPEN.for_duckdb()[1:] == (
        f"ATTACH 'lake' AS \"lake\" ({place}, AUTHORIZATION_TYPE 'none');",
    )
    assert DOOR.for_duckdb()[1:] == (
        "CREATE SECRET \"lake_rest\" (TYPE iceberg, TOKEN 'lp_x');",
        f'ATTACH \'lake\' AS "lake" ({place}, SECRET "lake_rest");',
    )


def test_trino_gets_properties_of_its_own() -> None:
    assert DOOR.for_trino() == {
        "connector.name": "iceberg",
        "iceberg.catalog.type": "rest",
        "iceberg.rest-catalog.uri": "http://127.0.0.1:8181/iceberg",
        "iceberg.rest-catalog.warehouse": "lake",
        "iceberg.rest-catalog.security": "OAUTH2",
        "iceberg.rest-catalog.oauth2.token": "lp_x",
    }
    assert "iceberg.rest-catalog.security" not in OPEN.for_trino()


def test_a_service_is_attached_to_directly_with_what_recognises_us_there() -> None:
    assert SERVICE.for_pyiceberg() == {
        "type": "rest",
        "uri": "https://polaris.example/api",
        "credential": "id:it's",
        "scope": "ALL",
        "oauth2-server-uri": "https://login.example",
        "rest.signing-name": "x",
    }
    assert SERVICE.for_duckdb()[1] == (
        "CREATE SECRET \"eu_rest\" (TYPE iceberg, CLIENT_ID 'id', CLIENT_SECRET 'it''s', "
        "OAUTH2_SCOPE 'ALL', OAUTH2_SERVER_URI 'https://login.example');"
    )
    trino = SERVICE.for_trino()
    assert trino["iceberg.rest-catalog.oauth2.credential"] == "id:it's"
    assert trino["iceberg.rest-catalog.oauth2.server-uri"] == "https://login.example"
    assert "iceberg.rest-catalog.warehouse" not in trino


def test_what_is_shown_of_it_holds_no_secret() -> None:
    assert "lp_x" not in repr(DOOR)
    assert "it's" not in repr(SERVICE)
