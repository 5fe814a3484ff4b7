"""Tables with pasts of other engines: old specs, deletes of both kinds, files of every style."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.changes import AddColumn, DropColumn, SetComment
from lakeport.catalog.definition import with_default
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.reading import read
from tests.lakes.generated import Profile, random_lake_table
from tests.lakes.lake import Lake
from tests.lakes.texts import sorted_rows
from tests.seeds import few_of
from tests.strategies import seeded


def rows(table: IcebergTable, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    with read(table, ScanRequest(columns=columns)) as stream:
        return sorted_rows(stream.read_all())


def live(folder: Path, seed: int) -> None:
    lake = Lake(folder)
    random_lake_table(seeded(seed), lake, "s.t", Profile(versions=(2,), steps=6))
    with IcebergCatalog(lake.profile) as catalog:
        table = catalog.namespace("s").table("t")
        before = table.state().definition
        names = tuple(before.schema.names)
        held = rows(table, names)
        table.alter([AddColumn(pa.field("zz_plain", pa.int8())), SetComment(None, "seen")])
        assert rows(table, names) == held
        table.alter([AddColumn(with_default(pa.field("zz_default", pa.uint8()), "7"))])
        assert rows(table, names) == held
        after = table.state().definition
        assert after.schema.names == [*names, "zz_plain", "zz_default"]
        for name in names:
            assert after.schema.field(name).equals(before.schema.field(name), check_metadata=True)
        assert after.partitioned_by == before.partitioned_by
        assert rows(table, ("zz_default",)) == [("7",)] * len(held)
        summary = table.history()[-1].summary
        assert (summary["total-delete-files"], summary["total-records"]) == ("0", str(len(held)))
        for dropped in names[:-1]:
            names = names[1:]
            held = rows(table, names)
            table.alter([DropColumn(dropped, cascade=True)])
            assert rows(table, names) == held
    assert lake.load("s.t").scan(selected_fields=names).to_arrow().num_rows == len(held)


@pytest.mark.parametrize("seed", few_of(range(7_000, 7_008), 4))
def test_a_table_of_other_engines_is_altered_and_written_again(tmp_path: Path, seed: int) -> None:
    live(tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(7_100, 7_106))
def test_many_tables_of_other_engines_are_altered(tmp_path: Path, seed: int) -> None:
    live(tmp_path, seed)
