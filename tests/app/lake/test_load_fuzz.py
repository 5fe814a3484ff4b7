"""Whatever the bytes, a load ends with rows or with an error of ours."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeport.app.lake.lake import Lake
from lakeport.app.lake.load.load import Load, load_files
from lakeport.app.lake.load.place import CatalogPlace
from lakeport.catalog.memory import MemoryCatalog
from lakeport.core.errors import LakeportError
from tests.seeds import few_of
from tests.strategies import seeded

CSV = 'id,name,at\r\n1,"a ""b""\nc",2024-01-15 10:00:00Z\r\n2,,\r\n3,é,x\r\n'.encode()
JSON = (
    b'[{"id": 1, "n": 1.50, "s": {"a": [1, null, "x"]}, "t": "2024-01-15"},\n'
    b'{"id": 2, "n": 1e400, "s": null, "t": "\\u00e9\\ud83d\\ude00", "b": true}]'
)
PIECES = (
    b'"',
    b",",
    b"\n",
    b"{",
    b"]",
    b"\\u",
    b"\xff",
    b"\x00",
    b"1e9999",
    b"-",
    b"NaN",
    b"9" * 50,
)


def damaged(rng: random.Random, whole: bytes) -> bytes:
    data = bytearray(whole)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[place:place] = rng.choice(PIECES)
            case 1:
                del data[place : place + rng.randint(1, 12)]
            case 2 if place < len(data):
                data[place] = rng.randrange(256)
            case _:
                del data[place:]
    return bytes(data)


def files(folder: Path) -> dict[str, bytes]:
    table = pa.table({"id": [1, 2], "name": ["a", None]})
    pq.write_table(table, folder / "whole.parquet")
    with pa.ipc.new_file(str(folder / "whole.arrow"), table.schema) as writer:
        writer.write_table(table)
    return {
        "a.csv": CSV,
        "a.json": JSON,
        "a.parquet": (folder / "whole.parquet").read_bytes(),
        "a.arrow": (folder / "whole.arrow").read_bytes(),
    }


def attack(seed: int, folder: Path, rounds: int) -> None:
    rng = seeded(seed)
    whole = files(folder)
    lake = Lake(MemoryCatalog("lake"))
    for number in range(rounds):
        name = rng.choice(list(whole))
        (folder / name).write_bytes(damaged(rng, whole[name]))
        table = rng.choice(("s.t", f"s.t{number}"))
        before = lake.tables()
        try:
            load_files(CatalogPlace(lake.catalog), Load(table, [folder / name]))
        except LakeportError:
            assert lake.tables() == before


@pytest.mark.parametrize("seed", few_of(range(4), 2))
def test_damaged_files_are_refused_or_read(seed: int, tmp_path: Path) -> None:
    attack(seed, tmp_path, 40)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 14))
def test_many_damaged_files_are_refused_or_read(seed: int, tmp_path: Path) -> None:
    attack(seed, tmp_path, 400)
