"""Any file of a table may be missing or damaged: the error names it, and nothing hangs or crashes."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.core.errors import CorruptDataError, LakeportError
from tests.catalog.iceberg.bad_input.damage import (
    DAMAGES,
    KINDS,
    Victim,
    a_good_error,
    assert_presentable,
    cut_tail,
    halve,
    make_victim,
    read_everything,
    remove,
)
from tests.strategies import seeded

Damage = Callable[[Path], None]


def victim_of(folder: Path, kind: str) -> Victim:
    return make_victim(folder, vectors=kind == "vectors")


@pytest.mark.parametrize("vectors", [False, True])
def test_the_undamaged_table_is_read(tmp_path: Path, *, vectors: bool) -> None:
    victim = make_victim(tmp_path, vectors=vectors)
    assert read_everything(victim.lake).num_rows == victim.left == 75


# A vector is found by its offset: the footer behind it is not needed.
HARMLESS = {("vectors", halve), ("vectors", cut_tail)}


@pytest.mark.parametrize(
    ("kind", "damage"),
    [(kind, damage) for kind in KINDS for damage in DAMAGES if (kind, damage) not in HARMLESS],
)
def test_a_damaged_file_is_an_error_that_names_it(
    tmp_path: Path, kind: str, damage: Damage
) -> None:
    victim = victim_of(tmp_path, kind)
    path = victim.files[kind]
    damage(path)
    with a_good_error(victim.lake) as caught:
        read_everything(victim.lake)
    assert path.name in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_file_is_said_to_be_missing(tmp_path: Path, kind: str) -> None:
    victim = victim_of(tmp_path, kind)
    remove(victim.files[kind])
    with pytest.raises(CorruptDataError, match="missing"):
        read_everything(victim.lake)


def flipped(content: bytes, rng: random.Random) -> bytes:
    """One to three bytes changed, anywhere."""
    found = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def attack(folder: Path, kind: str, rng: random.Random, rounds: int) -> int:
    """How often the damage was noticed. What is read all the same must be well-formed.

    A changed byte in a page, or a changed number in a manifest, cannot be noticed without checksums:
    values differ then, but a data file keeps its number of rows.
    """
    victim = victim_of(folder, kind)
    path = victim.files[kind]
    whole = path.read_bytes()
    noticed = 0
    threads = threading.active_count()
    for _ in range(rounds):
        path.write_bytes(rng.choice((flipped, flipped, cut))(whole, rng))
        try:
            found = read_everything(victim.lake)
        except LakeportError as error:
            assert_presentable(error, victim.lake)
            noticed += 1
        else:
            found.validate(full=True)
            if kind == "data":  # each changed key may join, or leave, those deleted by value
                assert abs(found.num_rows - victim.left) <= 3
    path.write_bytes(whole)
    assert read_everything(victim.lake).num_rows == victim.left
    assert threading.active_count() <= threads
    return noticed


# PyIceberg says so of a summary that it can do without.
pytestmark = pytest.mark.filterwarnings("ignore:Encountered invalid snapshot summary")


@pytest.mark.parametrize("kind", KINDS)
def test_flipped_and_cut_bytes_never_crash_a_read(tmp_path: Path, kind: str) -> None:
    assert attack(tmp_path, kind, seeded(KINDS.index(kind)), rounds=40) >= 5


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_flipped_and_cut_bytes_never_crash_a_read(tmp_path: Path, kind: str) -> None:
    assert attack(tmp_path, kind, seeded(100 + KINDS.index(kind)), rounds=150) >= 20


@pytest.mark.parametrize("length", [0, 1, 7, 2**31 - 1, 2**32 - 1])
def test_a_footer_that_lies_about_its_length_is_an_error(tmp_path: Path, length: int) -> None:
    victim = make_victim(tmp_path)
    path = victim.files["data"]
    content = path.read_bytes()
    path.write_bytes(content[:-8] + length.to_bytes(4, "little") + content[-4:])
    with a_good_error(victim.lake) as caught:
        read_everything(victim.lake)
    assert isinstance(caught.value, CorruptDataError)


def test_a_file_with_fewer_rows_than_the_manifest_says_is_an_error(tmp_path: Path) -> None:
    """Row ids count by the manifest, so the file must hold what it says."""
    victim = make_victim(tmp_path)
    table = victim.table
    rows = pa.table({"k": [1], "name": ["a"]}, table.rows().schema)
    entry = table.data_file(rows)
    table.commit(add=[replace(entry, rows=2)], operation="append")
    with a_good_error(victim.lake):
        read_everything(victim.lake)
