"""A catalog that is not there yet: told at once, tried again later, closed whatever happens."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lakeport.app.serve.late import RETRY_SECONDS, LateCatalog
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import Catalog, DynamicCatalog, NamespaceInfo
from lakeport.core.errors import LakeportError, NotFoundError, UnavailableError


class Source:
    """A lake in a folder that is away until `is_there`."""

    def __init__(self, folder: Path) -> None:
        self.profile = Profile(
            "eu", "embedded", f"sqlite:///{folder}/catalog.db", f"file://{folder}/warehouse"
        )
        self.is_there = False
        self.tries = 0
        self.now = 0.0

    def open(self) -> IcebergCatalog:
        self.tries += 1
        if not self.is_there:
            raise UnavailableError("postgresql://host/secret does not answer")
        return IcebergCatalog(self.profile)

    def clock(self) -> float:
        return self.now


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source(tmp_path)


def refusal_of(catalog: Catalog) -> LakeportError:
    with pytest.raises(UnavailableError) as caught:
        catalog.version()
    return caught.value


def test_it_has_its_name_and_nothing_else_until_it_is_there(source: Source) -> None:
    late = LateCatalog("eu", source.open)
    assert isinstance(late, Catalog)
    assert isinstance(late, DynamicCatalog)
    assert late.name == "eu"
    for question in (late.version, late.namespaces, lambda: late.namespace("x")):
        with pytest.raises(UnavailableError) as caught:
            question()
        assert caught.value.message == "catalog `eu` cannot be reached"
        assert "secret" not in str(caught.value)


def test_it_is_tried_again_after_a_while_and_not_at_every_call(source: Source) -> None:
    late = LateCatalog("eu", source.open, source.clock)
    refusal_of(late)
    refusal_of(late)
    assert source.tries == 1
    source.now += RETRY_SECONDS
    refusal_of(late)
    assert source.tries == 2
    source.is_there = True
    source.now += RETRY_SECONDS
    assert late.version().number >= 0
    assert source.tries == 3
    late.close()


def test_once_there_it_is_the_catalog_itself(source: Source) -> None:
    source.is_there = True
    late = LateCatalog("eu", source.open)
    assert late.open() is None
    late.create_namespace(NamespaceInfo("shop"))
    assert [info.name for info in late.namespaces()] == ["shop"]
    assert late.namespace("SHOP").info.name == "shop"
    late.drop_namespace("shop")
    with pytest.raises(NotFoundError):
        late.namespace("shop")
    assert source.tries == 1
    late.close()


def test_who_opens_it_at_the_start_is_told_why_not(source: Source) -> None:
    failure = LateCatalog("eu", source.open).open()
    assert failure is not None
    assert failure.message == "postgresql://host/secret does not answer"


def test_nobody_waits_for_what_somebody_else_tries(source: Source) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> IcebergCatalog:
        begun.set()
        go_on.wait(60)
        return source.open()

    late = LateCatalog("eu", slow)
    source.is_there = True
    opening = threading.Thread(target=late.open)
    opening.start()
    assert begun.wait(60)
    refusal_of(late)
    late.close()  # does not wait either, and what comes after it is closed by who opened it
    go_on.set()
    opening.join(60)
    refusal_of(late)
    assert source.tries == 1
