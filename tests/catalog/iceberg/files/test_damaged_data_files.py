"""Whatever happened to a data file, reading it ends with an error that names it. Nothing stays open."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.parquet import encryption
from pyiceberg.schema import Schema
from pyiceberg.types import ListType, LongType, NestedField, StringType, StructType

from lakeport.catalog.iceberg.files import read_file
from lakeport.core.errors import CorruptDataError, LakeportError, UnsupportedError
from tests.catalog.iceberg.files.one_file import OneFile, one_file
from tests.catalog.iceberg.files.thrift import Item, change_footer, number
from tests.lakes.parquet import write_parquet
from tests.lakes.storage import arrow_schema
from tests.strategies import seeded

SCHEMA = Schema(
    NestedField(1, "number", LongType(), required=False),
    NestedField(2, "label", StringType(), required=False),
    NestedField(
        3,
        "points",
        ListType(
            4, StructType(NestedField(5, "x", LongType(), required=False)), element_required=False
        ),
        required=False,
    ),
)
COUNT = 2_000


def rows() -> pa.Table:
    found: list[dict[str, Any]] = [
        {"number": row, "label": f"label {row}", "points": [{"x": row}, None] * (row % 3)}
        for row in range(COUNT)
    ]
    return pa.Table.from_pylist(found, schema=arrow_schema(SCHEMA))


@pytest.fixture
def file(tmp_path: Path) -> OneFile:
    path = tmp_path / "data.parquet"
    write_parquet(path, rows(), SCHEMA)
    return one_file(path, SCHEMA, COUNT)


def open_files(folder: Path) -> list[str]:
    gc.collect()
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one of this very listing
            found.append(str(entry.readlink()))
    return [name for name in found if name.startswith(str(folder))]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def cut_in_the_footer(data: bytes) -> bytes:
    return data[:-100]


def without_its_beginning(data: bytes) -> bytes:
    return data[1_000:]


def with_garbage_at_its_beginning(data: bytes) -> bytes:
    return data[:4] + bytes(range(255, -1, -1)) * 4 + data[1_028:]


def with_a_huge_footer(data: bytes) -> bytes:
    return data[:-8] + (2**31 - 1).to_bytes(4, "little") + data[-4:]


def with_a_tiny_footer(data: bytes) -> bytes:
    return data[:-8] + (3).to_bytes(4, "little") + data[-4:]


def replaced_by_a_page_of_html(_: bytes) -> bytes:
    return b"<html><body>503 Service Unavailable</body></html>"


@pytest.mark.parametrize(
    "damage",
    [
        cut,
        cut_in_the_footer,
        without_its_beginning,
        with_garbage_at_its_beginning,
        with_a_huge_footer,
        with_a_tiny_footer,
        replaced_by_a_page_of_html,
    ],
)
def test_a_damaged_file_is_named(file: OneFile, damage: Callable[[bytes], bytes]) -> None:
    path = Path(file.file.path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CorruptDataError) as caught:
        file.rows()
    error = caught.value
    assert error.message.startswith("data file `data.parquet` of table `shop.orders` is damaged: ")
    assert error.hint
    assert str(path.parent) not in str(error)
    assert "\n" not in error.message
    del caught, error
    assert open_files(path.parent) == []


def test_another_file_in_its_place_is_noticed(file: OneFile) -> None:
    write_parquet(Path(file.file.path), rows().slice(1), SCHEMA)
    with pytest.raises(CorruptDataError, match="holds 1999 rows, the table's metadata says 2000"):
        file.rows()


def test_a_flipped_bit_is_found_by_the_checksum_of_its_page(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    schema = Schema(NestedField(1, "n", LongType(), required=False))
    table = pa.table({"n": pa.array(range(1000))}).cast(arrow_schema(schema, ids=True))
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    data = bytearray(path.read_bytes())
    data[2_000] ^= 1
    path.write_bytes(data)
    with pytest.raises(CorruptDataError, match=r"is damaged: .*CRC"):
        one_file(path, schema, 1000).rows()


@pytest.mark.parametrize("dictionary", [True, False])
def test_texts_that_are_none_are_damage(tmp_path: Path, *, dictionary: bool) -> None:
    path = tmp_path / "data.parquet"
    schema = Schema(NestedField(1, "label", StringType(), required=False))
    table = pa.table({"label": [f"Größe {row % 3}" for row in range(2_000)]})
    table = table.cast(arrow_schema(schema, ids=True))
    pq.write_table(table, path, compression="none", use_dictionary=dictionary)
    file = one_file(path, schema, 2_000)
    assert file.read().num_rows == 2_000
    path.write_bytes(path.read_bytes().replace("ß".encode(), "ß".encode("latin1") * 2))
    with pytest.raises(CorruptDataError, match="is damaged: Invalid UTF8"):
        file.rows()


def test_an_unknown_encoding_is_an_error(file: OneFile) -> None:
    def change(footer: Item) -> None:
        # RowGroup.columns, ColumnChunk.meta_data, ColumnMetaData.codec
        footer[4].value[0][1].value[0][3].value[4] = number(99)

    change_footer(Path(file.file.path), change)
    with pytest.raises(LakeportError, match=r"data file `data.parquet` of table `shop.orders`"):
        file.rows()


class _Keys(encryption.KmsClient):
    """Keeps keys as they are."""

    def __init__(self, _config: object) -> None:
        super().__init__()

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> Any:
        return master_key_identifier.encode() + key_bytes.hex().encode()

    def unwrap_key(self, wrapped_key: Any, master_key_identifier: str) -> Any:
        return bytes.fromhex(wrapped_key.decode().removeprefix(master_key_identifier))


@pytest.mark.parametrize("plaintext_footer", [True, False])
def test_encrypted_files_are_unsupported(tmp_path: Path, *, plaintext_footer: bool) -> None:
    path = tmp_path / "data.parquet"
    factory = encryption.CryptoFactory(_Keys)
    settings = encryption.EncryptionConfiguration(
        footer_key="footer",
        column_keys={"column": ["number", "label"]},
        plaintext_footer=plaintext_footer,
    )
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), settings)
    table = rows().select(["number", "label"])
    schema = arrow_schema(Schema(*SCHEMA.fields[:2]), ids=True)
    with pq.ParquetWriter(path, schema, encryption_properties=properties) as writer:
        writer.write_table(table.cast(schema))
    with pytest.raises(UnsupportedError, match="is encrypted"):
        one_file(path, SCHEMA, COUNT).rows("number", "label")


def test_a_reader_that_is_closed_early_keeps_nothing_open(file: OneFile) -> None:
    reading = read_file(file.source, file.file, file.wanted(batch_rows=10))
    first = next(reading)
    reading.close()
    assert first.rows.column("number").to_pylist() == list(range(10))
    del first
    assert open_files(Path(file.file.path).parent) == []


@pytest.mark.parametrize("seed", range(6))
def test_random_damage_is_an_error_or_harmless(file: OneFile, seed: int) -> None:
    """Never the end of the process, and never an array that Arrow would not accept."""
    rng = seeded(seed)
    path = Path(file.file.path)
    whole = path.read_bytes()
    for _ in range(60):
        path.write_bytes(mutated(rng, whole))
        damaged = one_file(path, SCHEMA, COUNT)
        try:
            for chunk in damaged.chunks():
                chunk.rows.validate(full=True)
        except LakeportError as error:
            assert error.message.startswith("data file `data.parquet` of table `shop.orders`")  # noqa: PT017


def mutated(rng: random.Random, whole: bytes) -> bytes:
    data = bytearray(whole)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    first, end = (0, footer) if rng.random() < 0.5 else (footer, len(data))
    for _ in range(rng.choice((1, 1, 3, 20))):
        data[rng.randrange(first, end)] = rng.randrange(256)
    return bytes(data)


@pytest.mark.parametrize("damage", [cut, replaced_by_a_page_of_html, lambda _: b""])
def test_damage_after_the_footer_was_kept_is_noticed(
    file: OneFile, damage: Callable[[bytes], bytes]
) -> None:
    file.rows()
    path = Path(file.file.path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CorruptDataError, match=r"data file `data.parquet` .* is damaged"):
        file.rows()


def test_a_file_that_vanishes_after_its_footer_was_kept_is_missing(file: OneFile) -> None:
    file.rows()
    Path(file.file.path).unlink()
    with pytest.raises(CorruptDataError, match=r"data file `data.parquet` .* is missing"):
        file.rows()
