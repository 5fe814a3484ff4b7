"""Names that are not there, at every level."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Compare, Op
from lakeport.core.errors import LakeportError, NotFoundError, UnavailableError
from lakeport.core.timepoint import AtRef, AtSnapshot, AtVersion, TimePoint
from tests.catalog.iceberg.bad_input.damage import a_good_error, make_victim


def test_an_unknown_namespace_names_the_nearest(tmp_path: Path) -> None:
    victim = make_victim(tmp_path)
    with IcebergCatalog(victim.lake.profile) as catalog, a_good_error(victim.lake) as caught:
        catalog.namespace("shpo").tables()
    assert isinstance(caught.value, NotFoundError)
    assert "shop" in str(caught.value.hint)


def test_an_unknown_table_names_the_nearest(tmp_path: Path) -> None:
    victim = make_victim(tmp_path)
    with IcebergCatalog(victim.lake.profile) as catalog, a_good_error(victim.lake) as caught:
        catalog.namespace("shop").table("itms").state()
    assert isinstance(caught.value, NotFoundError)
    assert "items" in str(caught.value.hint)


@pytest.mark.parametrize(
    "request_",
    [
        ScanRequest(columns=("nmae",)),
        ScanRequest(predicate=Compare("nmae", Op.EQ, pa.scalar("x"))),
    ],
)
def test_an_unknown_column_names_the_nearest(tmp_path: Path, request_: ScanRequest) -> None:
    victim = make_victim(tmp_path)
    with IcebergCatalog(victim.lake.profile) as catalog:
        table = catalog.namespace("shop").table("items")
        with a_good_error(victim.lake) as caught:
            table.plan(request_)
    assert "name" in str(caught.value.hint)


@pytest.mark.parametrize("point", [AtSnapshot(1), AtRef("nightly"), AtVersion(99)])
def test_an_unknown_point_in_time_is_an_error(tmp_path: Path, point: TimePoint) -> None:
    victim = make_victim(tmp_path)
    with IcebergCatalog(victim.lake.profile) as catalog:
        table = catalog.namespace("shop").table("items")
        with a_good_error(victim.lake) as caught:
            table.plan(ScanRequest(at=point))
    assert isinstance(caught.value, NotFoundError)


def test_a_catalog_of_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(LakeportError) as caught:
        IcebergCatalog(Profile("lake", "nosuch", "nosuch://host"))
    assert caught.value.hint
    assert "lake" in str(caught.value)


def test_a_catalog_below_a_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    profile = Profile("lake", "sql", f"sqlite:///{tmp_path}/file/catalog.db", str(tmp_path))
    with pytest.raises(UnavailableError) as caught:
        IcebergCatalog(profile)
    assert caught.value.hint
    assert "Traceback" not in str(caught.value)
