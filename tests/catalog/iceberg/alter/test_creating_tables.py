"""Tables made, replaced, renamed and dropped: names, folders, properties, identity."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Check, Definition, PrimaryKey, with_default
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.errors import (
    AlreadyExistsError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
)
from lakeport.core.timepoint import AtVersion
from tests.catalog.iceberg.alter.ground import Ground, Ware, profile_in, schema_of

PLAIN = schema_of(k=pa.int64(), name=pa.string())

REFUSED = [
    *("lakeport.types", "lakeport.anything", "LAKEPORT.x", "format-version", "Format-Version"),
    *("s3.endpoint", "s3.access-key-id", "S3.endpoint", "gcs.oauth2.token", "adls.account-key"),
    *("client.region", "io-impl", "py-io-impl", "uri", "token", "warehouse"),
    *("write.data.path", "write.metadata.path", "write.py-location-provider.impl"),
    *("write.location-provider.impl", "fs.defaultFS", "hdfs.host"),
]


@pytest.mark.parametrize("key", REFUSED)
@pytest.mark.parametrize("exists", [False, True])
def test_a_property_that_is_not_the_users_to_set_is_refused_at_every_door(
    ground: Ground, key: str, *, exists: bool
) -> None:
    if exists:
        ground.create(PLAIN)
    namespace = ground.catalog.namespace("shop")
    with pytest.raises(InvalidRequestError) as refused:
        namespace.create_table(
            "wares", Definition(PLAIN, properties={key: "x"}), on_conflict="replace"
        )
    assert refused.value.hint
    assert key in refused.value.message
    assert list(namespace.tables()) == (["wares"] if exists else [])


@pytest.mark.parametrize("key", ["location", "s3.endpoint", "lakeport.x"])
def test_a_namespace_does_not_say_where_its_tables_go(ground: Ground, key: str) -> None:
    with pytest.raises(InvalidRequestError, match=key):
        ground.catalog.create_namespace(NamespaceInfo("attic", properties={key: "file:///x"}))
    assert [info.name for info in ground.catalog.namespaces()] == ["shop"]


def test_other_properties_are_kept_and_shown(ground: Ground) -> None:
    given = {"owner": "ann", "write.target-file-size-bytes": "1000000", "s3table": "no storage"}
    ware = ground.create(Definition(PLAIN, properties=given))
    assert ware.table.state().definition.properties == given


@pytest.mark.parametrize("name", ["a b", "a#b", "ä?", "50%", "x" * 255])
def test_a_strange_name_gets_a_plain_folder(ground: Ground, name: str) -> None:
    ware = ground.create(PLAIN, [{"k": 1}], name=name)
    folder = ware.native.location().rpartition("/")[2]
    assert folder.isascii()
    assert folder.replace("-", "").replace("_", "").isalnum()
    assert ware.rows("k") == [(1,)]


def test_a_table_of_an_old_name_shares_no_folder_with_the_old_table(ground: Ground) -> None:
    namespace = ground.catalog.namespace("shop")
    first = ground.create(PLAIN, [{"k": 1}])
    namespace.rename_table("wares", "goods")
    second = ground.create(PLAIN, [{"k": 2}])
    renamed = Ware(ground, namespace.table("goods"))
    assert first.native.location() != renamed.native.location()
    for ware in (renamed, second):
        assert list(ware.table.orphans(grace=0)) == []
    assert (renamed.rows("k"), second.rows("k")) == ([(1,)], [(2,)])


def test_a_dropped_table_can_be_registered_again_from_what_the_log_says(
    ground: Ground, caplog: pytest.LogCaptureFixture
) -> None:
    ware = ground.create(PLAIN, [{"k": 1}])
    with caplog.at_level(logging.INFO, logger="lakeport"):
        ground.catalog.namespace("shop").drop_table("wares")
    (record,) = (one for one in caplog.records if one.message == "table.dropped")
    location = vars(record)["metadata"]
    ground.catalog.pyiceberg.register_table(("shop", "again"), location)
    again = Ware(ground, ground.catalog.namespace("shop").table("again"))
    assert again.rows("k") == [(1,)]
    with pytest.raises(NotFoundError):
        ware.table.state()


def test_a_table_whose_metadata_is_lost_can_be_dropped(ground: Ground) -> None:
    ware = ground.create(PLAIN)
    Path(ware.native.metadata_location.removeprefix("file://")).unlink()
    ground.catalog.namespace("shop").drop_table("wares")
    assert list(ground.catalog.namespace("shop").tables()) == []


# -- names ---------------------------------------------------------------------------------------


def test_two_processes_cannot_make_two_spellings_of_one_name(
    ground: Ground, tmp_path: Path
) -> None:
    """Two catalogs on one database stand for them; the database is what decides."""
    names = ["straße", "STRASSE", "Strasse", "strasse"]
    outcomes: list[str] = []
    barrier = threading.Barrier(len(names))

    def create(name: str) -> None:
        with IcebergCatalog(profile_in(tmp_path)) as catalog:
            namespace = catalog.namespace("shop")
            barrier.wait()
            try:
                namespace.create_table(name, Definition(PLAIN))
                outcomes.append("made")
            except AlreadyExistsError:
                outcomes.append("taken")

    threads = [threading.Thread(target=create, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made", "taken", "taken", "taken"]
    assert len(ground.catalog.namespace("shop").tables()) == 1


def test_two_processes_cannot_make_two_spellings_of_one_namespace(
    ground: Ground, tmp_path: Path
) -> None:
    names = ["Straße", "STRASSE", "strasse"]
    outcomes: list[str] = []
    barrier = threading.Barrier(len(names))

    def create(name: str) -> None:
        with IcebergCatalog(profile_in(tmp_path)) as catalog:
            barrier.wait()
            try:
                catalog.create_namespace(NamespaceInfo(name))
                outcomes.append("made")
            except AlreadyExistsError:
                outcomes.append("taken")

    threads = [threading.Thread(target=create, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made", "taken", "taken"]
    assert len(ground.catalog.namespaces()) == 2


def test_a_rename_takes_no_name_that_another_process_just_took(
    ground: Ground, tmp_path: Path
) -> None:
    ground.create(PLAIN)
    namespace = ground.catalog.namespace("shop")
    with IcebergCatalog(profile_in(tmp_path)) as other:
        other.namespace("shop").create_table("GOODS", Definition(PLAIN))
    with pytest.raises(AlreadyExistsError):
        namespace.rename_table("wares", "goods")
    assert sorted(namespace.tables()) == ["GOODS", "wares"]


def test_a_statement_on_a_renamed_table_does_not_find_it(ground: Ground) -> None:
    ware = ground.create(PLAIN)
    with ware.table.insert() as write:
        write.add(pa.RecordBatch.from_pydict({"k": [1]}))
        ground.catalog.namespace("shop").rename_table("wares", "goods")
        with pytest.raises((NotFoundError, ConflictError)):
            write.commit()


def test_a_namespace_that_is_gone_takes_no_table(ground: Ground, tmp_path: Path) -> None:
    namespace = ground.catalog.create_namespace(NamespaceInfo("attic"))
    with IcebergCatalog(profile_in(tmp_path)) as other:
        other.drop_namespace("attic")
    with pytest.raises(NotFoundError):
        namespace.create_table("t", Definition(PLAIN))


def test_creating_a_table_is_one_metadata_file(ground: Ground) -> None:
    ware = ground.create(Definition(PLAIN, (PrimaryKey(("k",)),)))
    folder = Path(ware.native.location().removeprefix("file://")) / "metadata"
    assert len(list(folder.iterdir())) == 1
    assert ware.native.metadata.metadata_log == []


# -- replacing -----------------------------------------------------------------------------------


def test_a_replaced_table_forgets_rules_and_properties_and_remembers_types(ground: Ground) -> None:
    column = with_default(pa.field("k", pa.uint8()), "7")
    rules = (Check("k < 100", "small"), PrimaryKey(("k",)))
    first = Definition(pa.schema([column]), rules, "old", properties={"owner": "ann"})
    ware = ground.create(first, [{"k": 1}])
    ground.replace(ware, Definition(pa.schema({"k": pa.int16()}), comment="new"))
    state = ware.table.state()
    assert state.definition == Definition(pa.schema({"k": pa.int16()}), comment="new")
    assert state.version == 2
    then = ware.table.state_at(AtVersion(1)).definition
    assert then.schema.field("k").type == pa.uint8()
    assert ware.rows(at=AtVersion(1)) == [(1,)]
    ware.insert([{"k": -5}, {"k": -5}, {"k": None}])
    ware.check()


def test_a_table_is_replaced_again_and_again(ground: Ground) -> None:
    ware = ground.create(PLAIN, [{"k": 1}])
    for number in range(3):
        ground.replace(ware, Definition(PLAIN, partitioned_by=("name",)))
        ware.insert([{"k": number, "name": "x"}])
    assert ware.rows("k") == [(2,)]
    assert [len(ware.rows(at=AtVersion(at))) for at in range(8)] == [0, 1, 0, 1, 0, 1, 0, 1]
    assert len(ware.native.metadata.partition_specs) == 2
    ware.check(lost_a_partition=True)


def test_what_cannot_be_is_refused_before_anything_is_replaced(ground: Ground) -> None:
    ware = ground.create(PLAIN, [{"k": 1}])
    for definition in (
        Definition(PLAIN, (Check("missing > 0", "c"),)),
        Definition(PLAIN, partitioned_by=("day(k)",)),
        Definition(pa.schema([pa.field("a", pa.int8()), pa.field("A", pa.int8())])),
    ):
        with pytest.raises((InvalidRequestError, NotFoundError)):
            ground.replace(ware, definition)
    assert ware.table.state().version == 1
