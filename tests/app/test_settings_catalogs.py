"""Several catalogs in one project: `[catalog]`, which is the first one, and `[catalogs.NAME]`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lakeport.app.settings import Settings
from lakeport.app.wiring import profile_of
from lakeport.core.errors import ConfigurationError, NotFoundError

Read = Callable[..., Settings]

THREE = """
[catalogs.eu]
uri = "https://eu.example.com/catalog"
warehouse = "prod"
token = "hidden-1"
max_staleness = 3
rest.sigv4-enabled = true

[catalogs.archive]
durable = true
"""


def names(settings: Settings) -> list[str]:
    return [catalog.name for catalog in settings.catalogs]


def shown(settings: Settings) -> dict[str, tuple[object, str]]:
    return {entry.name: (entry.value, str(entry.source)) for entry in settings.entries()}


def test_the_first_comes_first_and_the_others_in_the_order_of_the_file(read: Read) -> None:
    assert names(read(THREE)) == ["lake", "eu", "archive"]
    assert names(read(f'{THREE}\n[catalog]\nname = "main"\n')) == ["main", "eu", "archive"]
    assert names(read()) == ["lake"]


def test_each_is_any_catalog_of_pyiceberg(read: Read) -> None:
    eu = profile_of(read(THREE).with_catalog("eu"))
    assert (eu.name, eu.type, eu.warehouse) == ("eu", "rest", "prod")
    assert eu.for_pyiceberg()["rest.sigv4-enabled"] == "true"
    assert "hidden-1" in eu.for_pyiceberg().values()
    assert read(THREE).with_catalog("eu").catalog.max_staleness == 3


def test_embedded_ones_have_places_of_their_own(read: Read, tmp_path: Path) -> None:
    settings = read("[catalogs.a]\n[catalogs.b]\n")
    first, a, b = (each.catalog for each in settings.each_catalog())
    assert first.uri == f"sqlite:///{tmp_path}/.lakeport/catalog.db"
    assert a.uri == f"sqlite:///{tmp_path}/.lakeport/catalogs/a/catalog.db"
    assert a.warehouse == f"file://{tmp_path}/.lakeport/catalogs/a/warehouse"
    assert len({each.warehouse for each in (first, a, b)}) == 3


def test_relative_places_mean_the_projects_folder(read: Read, tmp_path: Path) -> None:
    settings = read("[catalogs.a]\nuri = 'sqlite:///db/a.db'\nwarehouse = 'files'\n")
    chosen = settings.with_catalog("a").catalog
    assert (chosen.type, chosen.uri) == ("sql", f"sqlite:///{tmp_path}/db/a.db")
    assert chosen.warehouse == f"file://{tmp_path}/files"


def test_a_catalog_is_chosen_in_any_spelling(read: Read) -> None:
    settings = read(THREE)
    assert settings.with_catalog(None).catalog.name == "lake"
    assert settings.with_catalog("EU").catalog.name == "eu"
    assert settings.with_catalog("EU").with_catalog(None).catalog.name == "lake"
    assert settings.with_catalog("eu").catalog_section == "catalogs.eu"
    assert settings.catalog_section == "catalog"
    with pytest.raises(NotFoundError) as caught:
        settings.with_catalog("archiv")
    assert caught.value.message == "there is no catalog `archiv`"
    assert caught.value.hint == "did you mean `archive`? catalogs: archive, eu, lake"


def test_the_environment_and_flags_reach_them(read: Read) -> None:
    settings = read(
        f"{THREE}\n[catalogs.far-away]\n",
        variables={
            "LAKEPORT_CATALOGS_EU_WAREHOUSE": "test",
            "LAKEPORT_CATALOGS_EU_S3__ACCESS_KEY_ID": "me",
            "LAKEPORT_CATALOGS_EU_PROPERTIES_ODD": "kept",
            "LAKEPORT_CATALOGS_FAR_AWAY_DURABLE": "true",
        },
        flags={"catalogs.eu.max_staleness": "7", "catalogs.eu.s3.region": "eu-central-1"},
    )
    eu = settings.with_catalog("eu").catalog
    assert (eu.warehouse, eu.max_staleness) == ("test", 7)
    assert eu.properties == {
        "token": "hidden-1",
        "rest.sigv4-enabled": "true",
        "s3.access-key-id": "me",
        "odd": "kept",
        "s3.region": "eu-central-1",
    }
    assert settings.with_catalog("far-away").catalog.durable


def test_every_value_is_shown_with_its_source(read: Read) -> None:
    known = shown(read(THREE, variables={"LAKEPORT_CATALOGS_EU_REFRESH_SECONDS": "9"}))
    assert known["catalogs.eu.max_staleness"] == (3.0, "lakeport.toml:6")
    assert known["catalogs.eu.type"] == ("rest", "catalogs.eu.uri")
    assert known["catalogs.eu.refresh_seconds"] == (9.0, "LAKEPORT_CATALOGS_EU_REFRESH_SECONDS")
    assert known["catalogs.archive.durable"] == (True, "lakeport.toml:10")
    assert known["catalogs.archive.refresh_seconds"] == (5.0, "default")
    assert known["catalog.name"] == ("lake", "default")
    assert "hidden-1" not in str(known)


@pytest.mark.parametrize(
    ("toml", "message", "hint"),
    [
        (
            "[catalogs.eu]\nwarehous = 'x'\n",
            "lakeport.toml:2: there is no setting `catalogs.eu.warehous`",
            "did you mean `catalogs.eu.warehouse`? (a PyIceberg property of that name goes into [catalogs.eu.properties])",
        ),
        (
            "[catalogs.eu]\nname = 'x'\n",
            "lakeport.toml:2: there is no setting `catalogs.eu.name`",
            "a catalog is called as its section: rename [catalogs.eu]",
        ),
        (
            "[catalogs]\nuri = 'x'\n",
            "lakeport.toml:2: there is no setting `catalogs.uri`",
            "lakeport.toml names a catalog by a section [catalogs.NAME]; there: none",
        ),
        (
            "catalogs = 5\n",
            "lakeport.toml:1: `catalogs` is a section, not a value",
            "write [catalogs] and its keys below it",
        ),
        (
            "[catalogs.eu]\ntype = 'sql'\n",
            "lakeport.toml:2: a catalog of type `sql` needs `catalogs.eu.uri`",
            "leave `catalogs.eu.type` out for the embedded catalog",
        ),
        (
            "[catalogs.eu]\nuri = 'ftp://x'\n",
            "lakeport.toml:2: the kind of catalog cannot be told from `catalogs.eu.uri`",
            "set `catalogs.eu.type`, or use one of: http, https, postgresql, sqlite, thrift",
        ),
        (
            "[catalogs.'a.b']\n",
            "lakeport.toml:1: a catalog cannot be called `a.b`",
            "its name is part of addresses: use letters without accents, digits, _ and -",
        ),
        (
            "[catalogs.LAKE]\n",
            "two catalogs are called `LAKE`",
            "the first one is called `lake` unless `catalog.name` says otherwise; rename one",
        ),
        (
            "[catalogs.a_b]\n[catalogs.a-b]\n",
            "two catalogs are called `a_b`",
            "the first one is called `lake` unless `catalog.name` says otherwise; rename one",
        ),
    ],
)
def test_mistakes_say_what_was_meant(read: Read, toml: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(toml)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_only_the_file_makes_a_catalog(read: Read) -> None:
    """A misspelt variable must not become an empty lake that nobody asked for."""
    with pytest.raises(ConfigurationError) as caught:
        read(THREE, variables={"LAKEPORT_CATALOGS_EUU_URI": "https://example.com"})
    assert caught.value.hint == "did you mean `LAKEPORT_CATALOGS_EU_URI`?"
    with pytest.raises(ConfigurationError) as caught:
        read(THREE, flags={"catalogs.us.uri": "https://example.com"})
    assert caught.value.hint == (
        "lakeport.toml names a catalog by a section [catalogs.NAME]; there: eu, archive"
    )
