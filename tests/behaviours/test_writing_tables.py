"""Creating, dropping, renaming and replacing namespaces and tables."""

from __future__ import annotations

import threading

import pyarrow as pa
import pytest

from lakeport.catalog.changes import AddColumn
from lakeport.catalog.definition import (
    Check,
    Definition,
    PrimaryKey,
    Unique,
    comment_of,
    default_of,
    with_comment,
    with_default,
)
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.core.errors import (
    AlreadyExistsError,
    ConflictError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.timepoint import AtVersion
from tests.behaviours.lake import Lake, Subject, schema_of

PLAIN = schema_of(k=pa.int64(), name=pa.string())


# -- namespaces ----------------------------------------------------------------------------------


def test_a_namespace_can_be_created_once(lake: Lake) -> None:
    lake.catalog.create_namespace(NamespaceInfo("Shop"))
    with pytest.raises(AlreadyExistsError):
        lake.catalog.create_namespace(NamespaceInfo("shop"))
    assert [info.name for info in lake.catalog.namespaces()] == ["Shop"]


@pytest.mark.parametrize("name", ["", "a..b", " a", "a/b", "__lakeport_x", "a\nb"])
def test_an_unsafe_namespace_name_is_refused(lake: Lake, name: str) -> None:
    with pytest.raises(InvalidRequestError):
        lake.catalog.create_namespace(NamespaceInfo(name))
    assert list(lake.catalog.namespaces()) == []


def test_a_namespace_with_tables_cannot_be_dropped(lake: Lake) -> None:
    lake.create(PLAIN, name="orders")
    with pytest.raises(PreconditionError, match="orders"):
        lake.catalog.drop_namespace("shop")
    lake.namespace().drop_table("orders")
    lake.catalog.drop_namespace("SHOP")
    assert list(lake.catalog.namespaces()) == []


def test_dropping_an_unknown_namespace_is_an_error(lake: Lake) -> None:
    with pytest.raises(NotFoundError):
        lake.catalog.drop_namespace("nowhere")


def test_a_dropped_namespace_takes_no_tables(lake: Lake) -> None:
    namespace = lake.namespace()
    lake.catalog.drop_namespace("shop")
    with pytest.raises(NotFoundError):
        namespace.create_table("orders", Definition(PLAIN))


# -- creating tables -----------------------------------------------------------------------------


def test_a_definition_comes_back_as_it_was_given(lake: Lake) -> None:
    schema = pa.schema(
        [
            with_comment(pa.field("k", pa.int64(), nullable=False), "the key"),
            with_default(pa.field("Name", pa.string()), "'nobody'"),
        ]
    )
    definition = Definition(schema, comment="people", properties={"owner": "ann"})
    table = lake.namespace().create_table("people", definition)
    kept = table.state().definition
    assert kept.schema.equals(schema, check_metadata=True)
    assert (kept.comment, dict(kept.properties)) == ("people", {"owner": "ann"})
    assert comment_of(kept.schema.field("k")) == "the key"
    assert default_of(kept.schema.field("Name")) == "'nobody'"


def test_constraints_come_back_named_and_spelled_like_the_columns(lake: Lake) -> None:
    subject = lake.create(
        PLAIN, PrimaryKey(("K",)), Unique(("NAME",), "one_name"), Check("k > 0", "positive")
    )
    key, unique, check = subject.state.definition.constraints
    assert isinstance(key, PrimaryKey)
    assert key.columns == ("k",)
    assert unique == Unique(("name",), "one_name")
    assert check.name == "positive"
    assert not subject.schema.field("k").nullable


@pytest.mark.parametrize("name", ["", "a.b", "a\\b", "..", " x", "__lakeport_t", "a\tb", "x" * 300])
def test_an_unsafe_table_name_is_refused(lake: Lake, name: str) -> None:
    with pytest.raises(InvalidRequestError):
        lake.namespace().create_table(name, Definition(PLAIN))
    assert list(lake.catalog.namespace("shop").tables()) == []


@pytest.mark.parametrize(
    "schema",
    [
        pa.schema([]),
        pa.schema([pa.field("a", pa.int64()), pa.field("A", pa.int64())]),
        pa.schema([pa.field("", pa.int64())]),
        pa.schema([pa.field("rowid", pa.int64())]),
        pa.schema([pa.field("_pos", pa.int64())]),
        pa.schema([pa.field("h", pa.float16())]),
        pa.schema([pa.field("d", pa.decimal256(50, 2))]),
        pa.schema([pa.field("s", pa.struct([pa.field("x", pa.int8()), pa.field("X", pa.int8())]))]),
    ],
    ids=["nothing", "twins", "empty", "rowid", "metadata", "float16", "decimal256", "nested twins"],
)
def test_a_schema_no_table_may_have_is_refused(lake: Lake, schema: pa.Schema) -> None:
    with pytest.raises(InvalidRequestError):
        lake.create(schema)
    assert list(lake.catalog.namespace("shop").tables()) == []


@pytest.mark.parametrize(
    "constraint",
    [
        PrimaryKey(("missing",)),
        Unique((), "nothing"),
        Check("missing > 0", "c"),
        Check("k + 1", "no condition"),
        Check("random() > 0.5", "volatile"),
        Check("k IN (SELECT 1)", "subquery"),
        Check("k >", "syntax"),
    ],
    ids=repr,
)
def test_a_constraint_that_cannot_hold_is_refused(
    lake: Lake, constraint: PrimaryKey | Unique | Check
) -> None:
    with pytest.raises(LakeportError):
        lake.create(PLAIN, constraint)
    assert list(lake.catalog.namespace("shop").tables()) == []


@pytest.mark.parametrize("default", ["name", "random()", "now()", "'x'::BLOB::INTEGER[]", "1 +"])
def test_a_default_that_is_no_constant_is_refused(lake: Lake, default: str) -> None:
    schema = pa.schema([with_default(pa.field("k", pa.int64()), default)])
    with pytest.raises(LakeportError):
        lake.create(schema)


def test_a_name_that_is_taken_is_an_error_in_any_spelling(lake: Lake) -> None:
    lake.create(PLAIN, name="orders")
    with pytest.raises(AlreadyExistsError, match="Orders"):
        lake.create(PLAIN, name="Orders")


def test_ignore_gives_the_table_that_is_there(lake: Lake) -> None:
    first = lake.create(PLAIN)
    other = Definition(schema_of(x=pa.int8()))
    again = lake.namespace().create_table("ORDERS", other, on_conflict="ignore")
    assert again.state() == first.state


def test_replace_is_one_version_that_leaves_the_old_rows_in_history(lake: Lake) -> None:
    subject = lake.create(PLAIN)
    subject.insert([{"k": 1, "name": "old"}])
    before = subject.state
    new = lake.namespace().create_table(
        "orders", Definition(schema_of(x=pa.int8())), on_conflict="replace"
    )
    state = new.state()
    assert (state.uuid, state.version) == (before.uuid, before.version + 1)
    assert state.schema_id != before.schema_id
    replaced = Subject(new)
    assert (replaced.rows(), replaced.schema.names) == ([], ["x"])
    assert replaced.rows(at=AtVersion(1)) == [(1, "old")]


def test_replace_creates_what_is_not_there(lake: Lake) -> None:
    made = lake.namespace().create_table("orders", Definition(PLAIN), on_conflict="replace")
    assert made.state().version == 0


def test_one_of_many_creators_wins(lake: Lake) -> None:
    namespace = lake.namespace()
    outcomes: list[str] = []

    def create() -> None:
        try:
            namespace.create_table("orders", Definition(PLAIN))
            outcomes.append("made")
        except AlreadyExistsError:
            outcomes.append("taken")

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made"] + ["taken"] * 7


# -- dropping and renaming -----------------------------------------------------------------------


def test_a_dropped_table_is_gone(lake: Lake) -> None:
    subject = lake.create(PLAIN)
    lake.namespace().drop_table("ORDERS")
    assert list(lake.catalog.namespace("shop").tables()) == []
    with pytest.raises(NotFoundError):
        subject.table.state()
    with pytest.raises(NotFoundError):
        subject.scannable.plan(ScanRequest())
    with pytest.raises(NotFoundError):
        lake.namespace().drop_table("orders")


def test_a_table_created_again_is_another_one(lake: Lake) -> None:
    first = lake.create(PLAIN).state.uuid
    lake.namespace().drop_table("orders")
    assert lake.create(PLAIN).state.uuid != first


def test_a_renamed_table_keeps_its_identity_and_history(lake: Lake) -> None:
    subject = lake.create(PLAIN)
    subject.insert([{"k": 1}])
    before = subject.state
    renamed = Subject(lake.namespace().rename_table("orders", "Sales"))
    state = renamed.state
    assert (state.uuid, state.version) == (before.uuid, before.version)
    assert str(state.name) == "shop.Sales"
    assert list(lake.catalog.namespace("shop").tables()) == ["Sales"]
    assert renamed.rows("k", at=AtVersion(1)) == [(1,)]
    with pytest.raises(NotFoundError):
        lake.catalog.namespace("shop").table("orders")


def test_a_rename_may_change_only_the_case(lake: Lake) -> None:
    lake.create(PLAIN)
    lake.namespace().rename_table("orders", "ORDERS")
    assert list(lake.catalog.namespace("shop").tables()) == ["ORDERS"]


def test_a_rename_to_a_taken_or_unsafe_name_is_refused(lake: Lake) -> None:
    lake.create(PLAIN, name="orders")
    lake.create(PLAIN, name="sales")
    with pytest.raises(AlreadyExistsError):
        lake.namespace().rename_table("orders", "Sales")
    with pytest.raises(InvalidRequestError):
        lake.namespace().rename_table("orders", "a.b")
    with pytest.raises(NotFoundError):
        lake.namespace().rename_table("missing", "found")
    assert list(lake.catalog.namespace("shop").tables()) == ["orders", "sales"]


def test_every_change_of_a_definition_grows_the_catalog_version(lake: Lake) -> None:
    numbers = [lake.catalog.version().number]

    def changed() -> None:
        numbers.append(lake.catalog.version().number)

    namespace = lake.namespace()
    changed()
    subject = lake.create(PLAIN)
    changed()
    subject.alter(AddColumn(pa.field("x", pa.int8())))
    changed()
    namespace.create_table("orders", Definition(PLAIN), on_conflict="replace")
    changed()
    namespace.rename_table("orders", "sales")
    changed()
    namespace.drop_table("sales")
    changed()
    lake.catalog.drop_namespace("shop")
    changed()
    assert numbers == sorted(set(numbers))


def test_a_write_does_not_change_the_catalog_version(lake: Lake) -> None:
    subject = lake.create(PLAIN)
    before = lake.catalog.version()
    subject.insert([{"k": 1}])
    assert lake.catalog.version() == before


def test_every_write_grows_the_version_of_rows(lake: Lake) -> None:
    """A planner that believed statistics must learn that they are old."""
    subject = lake.create(PLAIN)
    numbers = [lake.catalog.version().rows]
    assert lake.catalog.version().rows == numbers[0]

    def note() -> None:
        numbers.append(lake.catalog.version().rows)

    subject.insert([{"k": 1}, {"k": 2}])
    note()
    subject.delete(subject.row_ids("k = 1"))
    note()
    subject.update(subject.row_ids("k = 2"), k=[3])
    note()
    known = [number for number in numbers if number is not None]
    assert len(known) == (len(numbers) if lake.implementation.counts_rows else 0)
    assert known == sorted(set(known))


@pytest.mark.parametrize("again", [False, True])
def test_a_statement_does_not_survive_its_table(lake: Lake, *, again: bool) -> None:
    subject = lake.create(PLAIN)
    with subject.insertable.insert() as write:
        write.add(pa.RecordBatch.from_pydict({"k": [1]}))
        lake.namespace().drop_table("orders")
        if again:
            lake.create(PLAIN)
        with pytest.raises((ConflictError,) if again else (ConflictError, NotFoundError)):
            write.commit()
    if again:
        assert lake.table("orders").rows() == []
