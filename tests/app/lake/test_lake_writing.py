"""What a Python program does to a lake: tables made and dropped, rows and columns changed. On both catalogs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import lakeport
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.table import LakeTable
from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import AddConstraint, DropConstraint, RequireColumn, SetDefault
from lakeport.catalog.definition import Check, Definition, PrimaryKey, default_of, with_default
from lakeport.catalog.statements import batches_of
from lakeport.core.errors import (
    AlreadyExistsError,
    ConstraintViolationError,
    InvalidRequestError,
    KeyViolationError,
    LakeportError,
    NotFoundError,
    PreconditionError,
)
from tests.behaviours.lake import schema_of

COLUMNS: list[Field] = [
    pa.field("k", pa.int64(), nullable=False),
    pa.field("name", pa.string()),
    with_default(pa.field("price", pa.decimal128(9, 2)), "1.50"),
]
ITEMS = Definition(
    pa.schema(COLUMNS),
    (PrimaryKey(("k",)), Check("price >= 0", "not_negative")),
)


@pytest.fixture
def items(lake: Lake) -> LakeTable:
    return lake.create_table("shop.items", ITEMS)


def found(table: LakeTable, where: str | None = None, at: int | None = None) -> list[Any]:
    with table.scan(where=where, at=at) as rows:
        return sorted((tuple(row.values()) for row in rows.read_all().to_pylist()), key=repr)


# -- tables and namespaces -----------------------------------------------------------------------


def test_a_table_is_made_with_its_namespace(lake: Lake) -> None:
    made = lake.create_table("shop.eu.items", {"k": pa.int64(), "name": pa.string()})
    assert made.name == "shop.eu.items"
    assert made.schema.equals(schema_of(k=pa.int64(), name=pa.string()))
    assert lake.tables() == ["shop.eu.items"]
    listed = lake.create_table("shop.eu.other", [pa.field("k", pa.int64(), nullable=False)])
    assert not listed.schema.field("k").nullable


def test_a_table_that_cannot_be_made_leaves_no_namespace(lake: Lake) -> None:
    with pytest.raises(InvalidRequestError):
        lake.create_table("new.items", pa.schema([]))
    with pytest.raises(InvalidRequestError, match="cannot be called"):
        lake.create_table("new. items", schema_of(k=pa.int64()))
    assert lake.namespaces() == []


def test_what_describes_no_columns_is_refused_with_a_hint(lake: Lake) -> None:
    wrong: list[Any] = [5, {"k": "nonsense"}, ["k"]]
    for columns in wrong:
        with pytest.raises(InvalidRequestError) as caught:
            lake.create_table("shop.items", columns)
        assert caught.value.hint is not None
    assert len(lake.namespaces()) == 0


def test_a_name_that_is_taken_is_an_error_or_what_was_asked(lake: Lake, items: LakeTable) -> None:
    items.append([{"k": 1}])
    with pytest.raises(AlreadyExistsError):
        lake.create_table("shop.ITEMS", ITEMS)
    kept = lake.create_table("shop.items", schema_of(x=pa.int8()), on_conflict="ignore")
    assert found(kept) == [(1, None, Decimal("1.50"))]
    new = lake.create_table("shop.items", schema_of(x=pa.int8()), on_conflict="replace")
    assert (new.schema.names, found(new)) == (["x"], [])
    assert found(new, at=1) == [(1, None, Decimal("1.50"))]


def test_tables_are_renamed_and_dropped(lake: Lake, items: LakeTable) -> None:
    items.append([{"k": 1}])
    assert lake.rename_table("shop.items", "goods").name == "shop.goods"
    assert lake.rename_table("shop.goods", "shop.things").name == "shop.things"
    assert lake.tables() == ["shop.things"]
    assert len(found(lake.table("shop.things"))) == 1
    with pytest.raises(InvalidRequestError) as caught:
        lake.rename_table("shop.things", "other.things")
    assert caught.value.hint is not None
    lake.drop_table("shop.things")
    assert lake.tables() == []
    with pytest.raises(NotFoundError):
        lake.drop_table("shop.things")


def test_namespaces_are_made_and_dropped(lake: Lake) -> None:
    lake.create_namespace("shop", "what we sell")
    assert [(info.name, info.comment) for info in lake.namespaces()] == [("shop", "what we sell")]
    with pytest.raises(AlreadyExistsError):
        lake.create_namespace("SHOP")
    with pytest.raises(InvalidRequestError):
        lake.create_namespace("a/b")
    lake.create_table("shop.items", ITEMS)
    with pytest.raises(PreconditionError):
        lake.drop_namespace("shop")
    lake.drop_table("shop.items")
    lake.drop_namespace("shop")
    assert lake.namespaces() == []


# -- rows ----------------------------------------------------------------------------------------


def relation() -> object:
    return duckdb.sql("SELECT 1::BIGINT AS k, 'pen' AS name, 2.5::DECIMAL(9,2) AS price")


PEN = pa.table({"k": [1], "name": ["pen"], "price": [Decimal("2.50")]})


@pytest.mark.parametrize(
    "rows",
    [
        lambda: PEN,
        lambda: PEN.to_batches()[0],
        PEN.to_reader,
        PEN.to_batches,
        lambda: iter([PEN]),
        PEN.to_batches()[0].to_struct_array,
        lambda: [{"k": 1, "name": "pen", "price": "2.5"}],
        lambda: ({"K": key, "Price": 2.5, "NAME": "pen"} for key in (1,)),
        lambda: pl.DataFrame({"price": [Decimal("2.50")], "name": ["pen"], "k": [1]}),
        relation,
    ],
)
def test_rows_may_be_anything_that_holds_rows(items: LakeTable, rows: Callable[[], Any]) -> None:
    written = items.append(rows())
    assert (written.rows, written.version) == (1, 1)
    assert written.snapshot_id == items.history()[-1].snapshot_id
    assert found(items) == [(1, "pen", Decimal("2.50"))]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ({"k": 1}, "not one dictionary"),
        ("k", "cannot be made of str"),
        (7, "cannot be made of int"),
        ([1], "a row cannot be int"),
        (pa.array([1]), "no columns with names"),
        (pl.Series([1]), "no columns with names"),
    ],
)
def test_what_holds_no_rows_is_refused_with_a_hint(items: LakeTable, rows: Any, words: str) -> None:
    with pytest.raises(InvalidRequestError, match=words) as caught:
        items.append(rows)
    assert caught.value.hint is not None
    assert len(items.history()) == 0


def test_nothing_appended_is_no_commit(items: LakeTable) -> None:
    assert items.append([]) == items.append(PEN.slice(0, 0))
    assert (items.append([]).rows, items.append([]).snapshot_id) == (0, None)
    assert len(items.history()) == 0


def test_many_dictionaries_are_taken_piece_by_piece(memory: Lake) -> None:
    items = memory.create_table("shop.items", ITEMS)
    taken: list[int] = []

    def rows() -> Iterator[dict[str, object]]:
        for key in range(25_000):
            taken.append(key)
            yield {"k": key}

    pieces = batches_of(rows(), lambda: items.schema)
    first = next(pieces)
    assert len(taken) < 25_000
    assert first.num_rows + sum(batch.num_rows for batch in pieces) == 25_000


def test_rows_that_break_a_rule_are_refused_whole(items: LakeTable) -> None:
    items.append(PEN)
    with pytest.raises(KeyViolationError, match="k = 1"):
        items.append([{"k": 2}, {"k": 1}])
    with pytest.raises(ConstraintViolationError, match="not_negative"):
        items.append([{"k": 2}, {"k": 3, "price": -1}])
    with pytest.raises(ConstraintViolationError, match="k"):
        items.append([{"k": None}])
    with pytest.raises(InvalidRequestError, match="colour"):
        items.append([{"k": 2, "colour": "red"}])
    assert len(found(items)) == 1


def test_a_failure_of_the_rows_themselves_is_passed_on(items: LakeTable) -> None:
    def rows() -> Iterator[dict[str, object]]:
        yield {"k": 5}
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        items.append(rows())
    assert found(items) == []


def test_rows_are_updated_and_deleted_by_conditions(items: LakeTable) -> None:
    items.append([{"k": key, "name": f"n{key}"} for key in range(1, 6)])
    doubled = items.update({"price": "price * k", "name": "upper(name)"}, where="k >= 4")
    assert (doubled.rows, doubled.version) == (2, 2)
    assert found(items, where="price > 2") == [
        (4, "N4", Decimal("6.00")),
        (5, "N5", Decimal("7.50")),
    ]
    assert items.delete(where="name LIKE 'n%'").rows == 3
    assert [row[0] for row in found(items)] == [4, 5]
    assert items.delete(where="k = 99").rows == 0
    assert [commit.version for commit in items.history()] == [1, 2, 3]
    assert items.delete().rows == 2
    assert found(items) == []
    assert len(found(items, at=1)) == 5


def test_a_condition_that_makes_no_sense_is_refused(items: LakeTable) -> None:
    items.append(PEN)
    attempts: tuple[Callable[[], object], ...] = (
        lambda: items.delete(where="colour = 'red'"),
        lambda: items.update({"colour": "1"}),
        lambda: items.update({"price": "prize * 2"}),
        lambda: items.update({}),
    )
    for attempt in attempts:
        with pytest.raises(LakeportError):
            attempt()
    assert len(items.history()) == 1


def test_a_new_value_that_does_not_fit_names_its_column(items: LakeTable) -> None:
    items.append(PEN)
    with pytest.raises(InvalidRequestError, match="`k` does not fit") as caught:
        items.update({"k": "name"})
    assert caught.value.hint is not None


def test_all_rows_go_at_once(items: LakeTable) -> None:
    items.append(PEN)
    assert items.truncate().rows == 1
    assert (found(items), found(items, at=1)) == ([], [(1, "pen", Decimal("2.50"))])
    assert items.truncate().rows == 0
    assert len(items.history()) == 2


def test_rows_take_the_place_of_others_in_one_commit(items: LakeTable) -> None:
    items.append([{"k": 1}, {"k": 2}])
    written = items.overwrite([{"k": 2, "name": "new"}])
    assert (written.rows, written.version) == (1, 2)
    assert [row[:2] for row in found(items)] == [(2, "new")]
    assert len(found(items, at=1)) == 2
    with pytest.raises(KeyViolationError):
        items.overwrite([{"k": 7}, {"k": 7}])
    assert [row[:2] for row in found(items)] == [(2, "new")]


# -- columns -------------------------------------------------------------------------------------


def test_columns_change_by_keywords_in_one_version(items: LakeTable) -> None:
    items.append(PEN)
    state = items.alter(
        rename={"name": "title"}, types={"price": pa.float64()}, add={"note": pa.string()}
    )
    assert state.version == 2
    assert [(one.name, one.type) for one in items.schema] == [
        ("k", pa.int64()),
        ("title", pa.string()),
        ("price", pa.float64()),
        ("note", pa.string()),
    ]
    assert found(items) == [(1, "pen", 2.5, None)]
    items.alter(drop=["note", "title"])
    assert items.schema.names == ["k", "price"]
    assert items.schema_at(1).names == ["k", "name", "price"]


def test_fields_inside_columns_change_by_dotted_names(lake: Lake) -> None:
    place = pa.struct([("city", pa.string()), ("zip", pa.int32())])
    people = lake.create_table("hr.people", {"k": pa.int64(), "home": place})
    people.append([{"k": 1, "home": {"city": "Bern", "zip": 3000}}])
    people.alter(
        rename={"home.city": "town"},
        types={"home.zip": pa.int64()},
        add={"home.street": pa.string()},
    )
    assert found(people) == [(1, {"town": "Bern", "zip": 3000, "street": None})]
    people.alter(drop=["home.zip"])
    assert found(people) == [(1, {"town": "Bern", "street": None})]


def test_everything_else_is_a_change_object(items: LakeTable) -> None:
    items.append(PEN)
    items.alter(
        RequireColumn("name"),
        SetDefault("name", "'?'"),
        DropConstraint("not_negative"),
        AddConstraint(Check("length(name) < 9", "short")),
    )
    assert default_of(items.schema.field("name")) == "'?'"
    items.append([{"k": 2, "price": -1}])
    with pytest.raises(ConstraintViolationError, match="short"):
        items.append([{"k": 3, "name": "much too long"}])


def test_changes_are_all_made_or_none(items: LakeTable) -> None:
    with pytest.raises(NotFoundError):
        items.alter(add={"note": pa.string()}, drop=["nonsense"])
    with pytest.raises(InvalidRequestError, match="not one text"):
        items.alter(drop="name")
    with pytest.raises(InvalidRequestError, match="names no column"):
        items.alter(add={"": pa.string()})
    with pytest.raises(LakeportError):
        items.alter(drop=["price"])  # a rule is about it
    assert items.schema.names == ["k", "name", "price"]
    assert len(items.history()) == 0


# -- tags, branches, who -------------------------------------------------------------------------


def test_versions_get_names(items: LakeTable) -> None:
    with pytest.raises(PreconditionError) as caught:
        items.tag("early")
    assert caught.value.hint is not None
    items.append(PEN)
    items.tag("first")
    items.append([{"k": 2}])
    items.branch("work", at="first")
    assert {ref.name: ref.kind for ref in items.refs()} == {
        "first": "tag",
        "main": "branch",
        "work": "branch",
    }
    with items.scan(at="first") as rows:
        assert rows.read_all().num_rows == 1
    items.drop_ref("first")
    assert {ref.name for ref in items.refs()} == {"main", "work"}


def test_history_says_who_wrote(lake: Lake) -> None:
    mine = Lake(lake.catalog, actor="ada").create_table("shop.items", ITEMS)
    mine.append(PEN)
    mine.update({"name": "'ink'"})
    assert [commit.summary["lakeport.actor"] for commit in mine.history()] == ["ada", "ada"]


@pytest.mark.parametrize("durable", [True, False])
def test_a_durable_lake_flushes_what_it_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, durable: bool
) -> None:
    flushed: list[int] = []
    real = os.fsync

    def fsync(file: int) -> None:
        flushed.append(file)
        real(file)

    monkeypatch.setattr(os, "fsync", fsync)
    (tmp_path / "lakeport.toml").write_text(f"[catalog]\ndurable = {str(durable).lower()}\n")
    with lakeport.open(tmp_path) as lake:
        lake.create_table("shop.items", ITEMS).append(PEN)
    assert bool(flushed) is durable


def test_public_names_are_all_there() -> None:
    assert all(getattr(lakeport, name) is not None for name in lakeport.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        lakeport.nonsense  # noqa: B018  looking is the test
