"""`lakeport.table_changes`: what its rows say, applied to the earlier rows, gives the later ones."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lakeport
from lakeport.access import EVERYONE, Ability, Grant, Identity
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.table import LakeTable
from lakeport.app.serve.view import Audit, CallersView
from lakeport.catalog.changes import AddColumn, DropColumn, RenameColumn
from lakeport.catalog.functions import BoundFunction, TableFunction
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    Catalog,
    Expirable,
    Maintainable,
    Overwritable,
    Ref,
    Referable,
    ScanRequest,
    require,
)
from lakeport.catalog.predicates import Compare, Op
from lakeport.core.errors import (
    ExpiredError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    UnsupportedError,
)
from lakeport.state import Store
from lakeport.system import SystemCatalog
from tests.airport.airport_server import shop
from tests.system.change_program import EAGER, Life

_TYPES: dict[str, pa.DataType] = {"id": pa.int64(), "n": pa.int32(), "s": pa.string()}
COLUMNS = pa.schema(_TYPES)


class Known:
    """The namespace `lakeport` over a catalog, as somebody sees it."""

    def __init__(self, catalog: Catalog, store: Store, identity: Identity = EVERYONE) -> None:
        view = CallersView(catalog, identity, Audit(store.audit))
        self._namespace = SystemCatalog(catalog, view).namespace("lakeport")

    def bind(self, function: str, *arguments: Any) -> BoundFunction:
        functions: Any = self._namespace
        for each in functions.functions():
            named = each.signature.parameters.names
            if each.signature.name == function and len(named) == len(arguments):
                assert isinstance(each, TableFunction)
                columns = [pa.array([value]) for value in arguments]
                return each.bind(pa.RecordBatch.from_arrays(columns, names=named))
        raise AssertionError(function)

    def rows(self, function: str, *arguments: object, **request: Any) -> list[dict[str, Any]]:
        bound = self.bind(function, *arguments)
        found = bound.open(ScanRequest(**request)).read_all()
        found.validate(full=True)
        if not request:
            assert found.schema.equals(bound.schema)
        return found.to_pylist()

    def changes(self, *arguments: object) -> list[tuple[Any, ...]]:
        """Kind, version and the id of each row."""
        rows = self.rows("table_changes", "shop.t", *arguments)
        return [(row["_change_type"], row["_version"], row["id"]) for row in rows]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/state.db") as opened:
        yield opened


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    (tmp_path / "lakeport.toml").write_text("")
    with lakeport.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def table(lake: Lake) -> LakeTable:
    return lake.create_table("shop.t", COLUMNS)


@pytest.fixture
def known(lake: Lake, store: Store) -> Known:
    return Known(lake.catalog, store)


def rows(*ids: int) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64())})


def test_each_commit_tells_what_it_took_and_what_it_brought(known: Known, table: LakeTable) -> None:
    table.append(rows(1, 2, 3))
    table.update({"id": "id * 10"}, where="id = 2")
    table.delete(where="id = 3")
    assert known.changes(0) == [
        *(("insert", 1, 1), ("insert", 1, 2), ("insert", 1, 3)),
        *(("delete", 2, 2), ("insert", 2, 20)),
        ("delete", 3, 3),
    ]
    assert known.changes(1, 2) == [("delete", 2, 2), ("insert", 2, 20)]
    assert known.changes(3) == known.changes(2, 2) == []


def test_upkeep_changes_nothing(known: Known, table: LakeTable) -> None:
    table.append(rows(1, 2))
    table.append(rows(3))
    table.delete(where="id = 1")
    before = known.changes(0)
    require(table.port, Maintainable, "it").compact(EAGER)
    assert table.port.state().version > 3
    assert known.changes(0) == before
    table.delete(where="id = 2")
    assert known.changes(3) == [("delete", table.port.state().version, 2)]


def test_an_overwrite_takes_all_and_brings_the_new(known: Known, table: LakeTable) -> None:
    table.append(rows(1, 2))
    with require(table.port, Overwritable, "it").overwrite() as write:
        write.add(pa.record_batch({"id": [2]}))
        write.commit()
    assert known.changes(1) == [("delete", 2, 1), ("delete", 2, 2), ("insert", 2, 2)]


def test_rows_are_shown_in_the_columns_of_the_later_point(known: Known, table: LakeTable) -> None:
    table.append(pa.table({"id": [1], "s": ["a"]}))
    table.alter(RenameColumn("s", "name"))
    table.alter(AddColumn(pa.field("extra", pa.float64())))
    table.alter(DropColumn("n"))
    table.append(pa.table({"id": [2], "name": ["b"], "extra": [0.5]}))
    found = known.rows("table_changes", "shop.t", 0)
    assert [(row["id"], row["name"], row["extra"]) for row in found] == [
        (1, "a", None),
        (2, "b", 0.5),
    ]
    own = ["_change_type", "_version", "_snapshot_id", "_timestamp"]
    assert list(found[0]) == ["id", "name", "extra", *own]
    assert list(known.rows("table_changes", "shop.t", 0, 1)[0]) == ["id", "n", "s", *own]


def test_points_are_versions_moments_tags_and_texts(known: Known, table: LakeTable) -> None:
    table.append(rows(1))
    require(table.port, Referable, "it").create_ref(
        Ref("first", "tag", table.port.state().snapshot_id or 0)
    )
    table.append(rows(2))
    since = [("insert", 2, 2)]
    assert known.changes("tag:first") == known.changes("1") == known.changes(1, 2) == since
    assert known.changes(1, dt.datetime.now(dt.UTC) + dt.timedelta(days=1)) == since
    assert known.changes(1, None) == since
    assert known.changes(dt.datetime(2001, 1, 1, tzinfo=dt.UTC)) == known.changes(0)
    assert known.changes("2001-01-01", "version:1") == [("insert", 1, 1)]
    moment = known.rows("table_changes", "shop.t", 1)[0]["_timestamp"]
    assert abs(moment - dt.datetime.now(dt.UTC)) < dt.timedelta(hours=1)


def test_only_what_is_asked_for_is_given(known: Known, table: LakeTable) -> None:
    table.append(rows(*range(50)))
    table.delete(where="id < 10")
    request = {
        "columns": ("_version", "id"),
        "predicate": Compare("_change_type", Op.EQ, pa.scalar("delete")),
    }
    found = known.rows("table_changes", "shop.t", 0, **request)
    assert found == [{"_version": 2, "id": each} for each in range(10)]
    assert len(known.rows("table_changes", "shop.t", 0, columns=("_change_type",))) == 60
    assert len(known.rows("table_changes", "shop.t", 0, limit=7)) == 7


def test_a_column_of_the_tables_own_keeps_its_name(known: Known, lake: Lake) -> None:
    lake.create_table("shop.t", {"id": pa.int64(), "_version": pa.string()}).append(rows(1))
    found = known.rows("table_changes", "shop.t", 0)
    assert (found[0]["_version"], found[0]["__version"]) == (None, 1)


def test_points_that_are_not_there_are_told_as_everywhere(known: Known, table: LakeTable) -> None:
    for each in range(4):
        table.append(rows(each))
    with pytest.raises(NotFoundError, match="the newest version is 4"):
        known.bind("table_changes", "shop.t", 9)
    with pytest.raises(InvalidRequestError, match="before the first"):
        known.bind("table_changes", "shop.t", 3, 1)
    with pytest.raises(InvalidRequestError, match="must not be NULL"):
        known.bind("table_changes", "shop.t", None)
    with pytest.raises(InvalidRequestError, match="is no point in time"):
        known.bind("table_changes", "shop.t", 1.5)
    require(table.port, Expirable, "it").expire(keep=2)
    with pytest.raises(ExpiredError):
        known.bind("table_changes", "shop.t", 1)
    assert known.changes(3) == [("insert", 4, 3)]


def test_tables_that_may_not_be_read_are_not_told_of(
    lake: Lake, store: Store, table: LakeTable
) -> None:
    table.append(rows(1))
    known = Known(lake.catalog, store, Identity("ann", frozenset({Grant(Ability.READ, "other.*")})))
    for function in ("table_changes", "snapshots", "lineage"):
        more = (0,) if function == "table_changes" else ()
        with pytest.raises(PermissionDeniedError):
            known.rows(function, "shop.t", *more)
        with pytest.raises(NotFoundError):
            known.rows(function, "other.t", *more)
        with pytest.raises(InvalidRequestError, match="is no table"):
            known.rows(function, "t", *more)


def test_a_table_that_keeps_no_log_says_so(store: Store) -> None:
    catalog: MemoryCatalog = shop()
    with pytest.raises(UnsupportedError, match="cannot tell which of its rows changed"):
        Known(catalog, store).bind("table_changes", "shop.orders", 0)


def test_snapshots_are_those_of_the_table(known: Known, table: LakeTable) -> None:
    table.append(rows(1))
    table.delete(where="id = 1")
    found = known.rows("snapshots", "shop.t")
    assert [(row["version"], row["parent_id"] is None) for row in found] == [(1, True), (2, False)]
    assert known.rows("snapshots", "SHOP.T", columns=("version",)) == [
        {"version": 1},
        {"version": 2},
    ]


def _check(known: Known, life: Life) -> None:
    versions = life.kept
    for _ in range(6):
        first, last = sorted(life.random.sample(range(len(versions)), 2))
        old, new = versions[first], versions[last]
        names = [name for _, name in new.columns]
        found = old.shown_in(new.columns)
        for row in known.rows("table_changes", "shop.t", old.version, new.version):
            values = tuple(row[name] for name in names)
            if row["_change_type"] == "insert":
                found[values] += 1
            else:
                assert found[values] > 0
                found[values] -= 1
        assert +found == +new.rows


@pytest.mark.parametrize("seed", range(2))
def test_changes_lead_from_one_version_to_the_other(
    known: Known, table: LakeTable, seed: int
) -> None:
    life = Life(table, random.Random(seed))  # noqa: S311
    life.live(12)
    _check(known, life)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
def test_changes_lead_from_any_version_to_any_other(
    known: Known, table: LakeTable, seed: int
) -> None:
    life = Life(table, random.Random(seed))  # noqa: S311
    life.live(40)
    _check(known, life)
    assert Counter(each.version for each in life.kept).most_common(1)[0][1] == 1
