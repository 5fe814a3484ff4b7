"""The files of a snapshot: what names them, where their rows are counted from, and how to find back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.core.errors import InvalidRequestError
from tests.catalog.iceberg.manifests.test_manifest_decoding import BY_NAME, SCHEMA, rows
from tests.catalog.iceberg.planning.planned import inventory, source_of
from tests.lakes.lake import Lake
from tests.lakes.manifests import FileEntry
from tests.lakes.table import LakeTable


@pytest.fixture
def table(tmp_path: Path) -> LakeTable:
    made = Lake(tmp_path).create("s.t", SCHEMA, spec=BY_NAME)
    for name, count in (("a", 2), ("b", 3), ("c", 1)):
        made.append(rows(*range(count), name=name))
    return made


def test_files_are_numbered_by_their_paths(table: LakeTable) -> None:
    held = inventory(source_of(table))
    files = list(held.files())
    assert table.head is not None
    assert [file.path for file in files] == [file.path for file in table.head.files]
    starts = [held.first_row(file.ordinal) for file in files]
    assert starts == [0, *np.cumsum([file.rows for file in files])[:-1]]
    assert (held.count, held.rows) == (3, 6)


def test_a_file_is_found_by_its_ordinal(table: LakeTable) -> None:
    held = inventory(source_of(table))
    for file in held.files():
        assert held.file(file.ordinal) == file
    assert {file.partition[0] for file in held.files()} == {"a", "b", "c"}


@pytest.mark.parametrize("ordinal", [-1, 1, 1 << 31, 7 << 32, (1 << 32) + 1, 1 << 62])
def test_an_ordinal_that_the_snapshot_lacks_is_refused(table: LakeTable, ordinal: int) -> None:
    with pytest.raises(InvalidRequestError, match="does not have"):
        inventory(source_of(table)).file(ordinal)


def test_an_ordinal_means_the_same_to_everybody(table: LakeTable) -> None:
    def ordinals() -> dict[str, int]:
        return {file.path: file.ordinal for file in inventory(source_of(table)).files()}

    assert ordinals() == ordinals()


def test_files_without_rows_and_repeated_files_are_counted(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    twice = FileEntry("b", 0, (), 4, 10)
    table.commit(add=[twice, FileEntry("a", 0, (), 0, 10), twice])
    held = inventory(source_of(table))
    files = list(held.files())
    assert [(file.path, held.first_row(file.ordinal)) for file in files] == [
        ("a", 0),
        ("b", 0),
        ("b", 4),
    ]
    ordinals, positions = held.locate(np.arange(8))
    assert positions.tolist() == [0, 1, 2, 3] * 2
    assert ordinals.tolist() == [files[1].ordinal] * 4 + [files[2].ordinal] * 4


def test_a_table_whose_rows_are_all_gone_has_no_files(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    table.append(rows(1))
    assert table.head is not None
    table.commit(remove=table.head.files)
    held = inventory(source_of(table))
    assert (held.count, held.rows, list(held.files())) == (0, 0, [])
    assert held.locate(np.zeros(0, np.int64))[0].tolist() == []


@settings(derandomize=True, max_examples=25, deadline=None)
@given(rows=st.lists(st.integers(0, 5), min_size=1, max_size=12), data=st.data())
def test_every_row_is_found_back_from_its_number(
    tmp_path_factory: pytest.TempPathFactory, rows: list[int], data: st.DataObject
) -> None:
    table = Lake(tmp_path_factory.mktemp("lake")).create("s.t", SCHEMA)
    names = data.draw(st.permutations(range(len(rows))))
    entries = [
        FileEntry(f"f{name}", 0, (), count, 10) for name, count in zip(names, rows, strict=True)
    ]
    table.commit(add=entries, manifests=data.draw(st.integers(1, 3)))
    held = inventory(source_of(table))
    ordinals, positions = held.locate(np.arange(sum(rows)))
    expected = [(file.ordinal, row) for file in held.files() for row in range(file.rows)]
    assert list(zip(ordinals.tolist(), positions.tolist(), strict=True)) == expected
    assert [
        held.first_row(ordinal) + position
        for ordinal, position in zip(ordinals.tolist(), positions.tolist(), strict=True)
    ] == list(range(sum(rows)))


def test_a_row_number_beyond_the_last_is_refused(table: LakeTable) -> None:
    with pytest.raises(InvalidRequestError, match="names no row"):
        inventory(source_of(table)).locate(np.array([6]))
    with pytest.raises(InvalidRequestError, match="names no row"):
        inventory(source_of(table)).locate(np.array([-1]))
