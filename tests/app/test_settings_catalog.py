from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lakeport.app.settings import Settings
from lakeport.core.errors import ConfigurationError

Read = Callable[..., Settings]


def test_the_embedded_catalog_lives_beside_the_file(read: Read, tmp_path: Path) -> None:
    settings = read()
    assert settings.catalog.type == "embedded"
    assert settings.catalog.uri == f"sqlite:///{tmp_path}/.lakeport/catalog.db"
    assert settings.catalog.warehouse == f"file://{tmp_path}/.lakeport/warehouse"
    assert settings.home == tmp_path / ".lakeport"


@pytest.mark.parametrize(
    ("uri", "kind"),
    [
        ("https://example.com/catalog", "rest"),
        ("postgresql+psycopg2://db/lake", "sql"),
        ("thrift://hive:9083", "hive"),
        ("sqlite:////data/lake.db", "sql"),
    ],
)
def test_the_type_is_told_from_the_uri(read: Read, uri: str, kind: str) -> None:
    settings = read(f'[catalog]\nuri = "{uri}"\n')
    shown = {entry.name: entry for entry in settings.entries()}
    assert settings.catalog.type == kind
    assert settings.catalog.uri == uri
    assert str(shown["catalog.type"].source) == "catalog.uri"


def test_relative_places_mean_the_projects_folder(read: Read, tmp_path: Path) -> None:
    settings = read('[catalog]\nuri = "sqlite:///db/lake.db"\nwarehouse = "files and more"\n')
    assert settings.catalog.uri == f"sqlite:///{tmp_path}/db/lake.db"
    assert settings.catalog.warehouse == f"file://{tmp_path}/files and more"


def test_a_rest_catalogs_warehouse_is_a_name(read: Read) -> None:
    settings = read('[catalog]\nuri = "https://example.com"\nwarehouse = "main"\n')
    assert settings.catalog.warehouse == "main"


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("type = 'sql'", "lakeport.toml:2: a catalog of type `sql` needs `catalog.uri`"),
        (
            "uri = 'ftp://x'",
            "lakeport.toml:2: the kind of catalog cannot be told from `catalog.uri`",
        ),
        (
            "uri = 'https://x'\ntype = 'embedded'",
            "lakeport.toml:2: the embedded catalog is a SQLite file",
        ),
    ],
)
def test_catalogs_that_cannot_be_are_refused(read: Read, toml: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(f"[catalog]\n{toml}\n")
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("present", "missing"), [("cert", "key"), ("key", "cert"), ("client_ca", "cert")]
)
def test_tls_is_set_completely_or_not_at_all(read: Read, present: str, missing: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(f"[server.tls]\n{present} = 'x.pem'\n")
    assert caught.value.message == (
        f"lakeport.toml:2: `server.tls.{present}` needs `server.tls.{missing}` too"
    )


def test_a_home_that_is_not_known_is_named(read: Read) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read('[catalog]\nwarehouse = "~nobody-here/lake"\n')
    assert caught.value.message == (
        "lakeport.toml:2: '~nobody-here/lake' starts in a home folder that is not known"
    )
