"""Files into tables, on both catalogs: types, columns, mistakes, and all or nothing."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeport.app.lake.lake import Lake
from lakeport.app.lake.load import csv as csv_module
from lakeport.app.lake.load import json as json_module
from lakeport.app.lake.load.inputs import FileOptions
from lakeport.app.lake.load.load import Load, Loaded, load_files
from lakeport.app.lake.load.place import CatalogPlace
from lakeport.app.lake.writing import create_table, ensure_namespace
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Definition, with_default
from lakeport.core.errors import (
    AlreadyExistsError,
    ConstraintViolationError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
)
from lakeport.core.names import TableName


def load(lake: Lake, table: str, *files: Path, **options: Any) -> Loaded:
    mode = options.pop("mode", "either")
    return load_files(CatalogPlace(lake.catalog), Load(table, files, FileOptions(**options), mode))


def rows(lake: Lake, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = lake.table(table).scan().read_all().to_pylist()
    return found


def types(lake: Lake, table: str) -> dict[str, pa.DataType]:
    return {column.name: column.type for column in lake.table(table).schema}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


Write = Callable[[str, str], Path]

ORDERS = """\
id,name,amount,day,zip,big,ok,moment
1,Ada,19.90,2024-01-15,01234,12345678901234567890,true,2024-01-15T10:30:00Z
2,"Grace, H.",240,2024-01-16,99999,1,FALSE,2024-01-15 10:30:00+02
3,"",,,,,,
"""


def test_a_new_table_gets_types_from_all_values(lake: Lake, write: Write) -> None:
    done = load(lake, "shop.orders", write("orders.csv", ORDERS))
    assert (done.created, done.rows, done.version) == (True, 3, 1)
    assert types(lake, "shop.orders") == {
        "id": pa.int64(),
        "name": pa.string(),
        "amount": pa.float64(),
        "day": pa.date32(),
        "zip": pa.string(),
        "big": pa.decimal128(38, 0),
        "ok": pa.bool_(),
        "moment": pa.timestamp("us", "UTC"),
    }
    first, second, third = rows(lake, "shop.orders")
    assert (first["zip"], first["big"]) == ("01234", Decimal(12345678901234567890))
    assert second["name"] == "Grace, H."
    assert second["moment"].isoformat() == "2024-01-15T08:30:00+00:00"
    assert third == {**dict.fromkeys(third), "id": 3, "name": ""}


def test_several_files_are_one_commit_over_all_their_columns(lake: Lake, write: Write) -> None:
    one = write("a.csv", "id,v\n1,5\n")
    two = write("b.json", '[{"ID": 2, "note": "x"}, {"id": 3, "v": 0.5}]')
    three = write("c.csv", "V,id\nlow,4\n")
    done = load(lake, "s.t", one, two)
    assert [(file.file, file.rows) for file in done.files] == [(str(one), 1), (str(two), 2)]
    assert len(lake.table("s.t").history()) == 1
    assert rows(lake, "s.t") == [
        {"id": 1, "v": 5.0, "note": None},
        {"id": 2, "v": None, "note": "x"},
        {"id": 3, "v": 0.5, "note": None},
    ]
    load(lake, "s.texts", one, three)
    assert rows(lake, "s.texts") == [{"id": 1, "v": "5"}, {"id": 4, "v": "low"}]


def test_columns_of_a_table_are_found_by_name_in_any_case(lake: Lake, write: Write) -> None:
    ensure_namespace(lake.catalog, "s")
    fields: list[Field] = [
        pa.field("Id", pa.int32(), nullable=False),
        pa.field("amount", pa.decimal128(9, 2)),
        with_default(pa.field("channel", pa.string()), "'web'"),
    ]
    create_table(lake.catalog, TableName("s", "t"), Definition(pa.schema(fields)))
    done = load(lake, "S.T", write("a.csv", "AMOUNT,id\n1.5,7\n"))
    assert (done.table, done.created) == ("s.t", False)
    load(lake, "s.t", write("b.jsonl", '{"id": 8, "channel": null}\n\n{"id": 9, "amount": 2}\n'))
    assert rows(lake, "s.t") == [
        {"Id": 7, "amount": Decimal("1.50"), "channel": "web"},
        {"Id": 8, "amount": None, "channel": None},
        {"Id": 9, "amount": Decimal("2.00"), "channel": "web"},
    ]
    with pytest.raises(ConstraintViolationError):
        load(lake, "s.t", write("c.csv", "id\n\n"))


def test_json_keeps_nested_values_and_what_has_no_common_type(lake: Lake, write: Write) -> None:
    lines = [
        {"id": 1, "at": "2024-01-15T10:30:00", "tags": ["a"], "who": {"name": "Ada"}, "any": 1},
        {"id": 2, "at": None, "tags": [], "who": {"age": 36}, "any": {"x": [1.50]}},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    load(lake, "s.t", write("a.ndjson", text))
    found = types(lake, "s.t")
    assert found["at"] == pa.timestamp("us")
    assert found["any"] == pa.json_(pa.string())
    first, second = rows(lake, "s.t")
    assert (first["tags"], first["who"]) == (["a"], {"name": "Ada", "age": None})
    assert (second["who"], second["any"]) == ({"name": None, "age": 36}, '{"x":[1.5]}')


def test_parquet_and_arrow_bring_their_own_types(lake: Lake, tmp_path: Path) -> None:
    table = pa.table(
        {
            "k": pa.array([1, 2], pa.uint32()),
            "at": pa.array([0, 1], pa.timestamp("ms")),
            "name": pa.array(["a", None]),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    with pa.ipc.new_file(str(tmp_path / "b.arrow"), table.schema) as file:
        file.write_table(table)
    with pa.ipc.new_stream(str(tmp_path / "c.arrows"), table.schema) as stream:
        stream.write_table(table)
    files = [tmp_path / name for name in ("a.parquet", "b.arrow", "c.arrows")]
    assert load(lake, "s.t", *files).rows == 6
    assert lake.table("s.t").schema.equals(table.schema)
    assert lake.table("s.t").scan(limit=2).read_all() == table


def test_compressed_files_and_other_delimiters(lake: Lake, tmp_path: Path, write: Write) -> None:
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbfid,ok\n1,true\n"))
    load(lake, "s.t", packed)
    load(lake, "s.t", write("b.csv", "id;ok\n2;true\n"), delimiter=";")
    load(lake, "s.u", write("c.tsv", "a\tb\n1\tNA\n"), nulls=("NA",))
    load(lake, "s.v", write("d.csv", 'a;b\n"1\n2"\n'), delimiter=",")
    assert [row["id"] for row in rows(lake, "s.t")] == [1, 2]
    assert rows(lake, "s.v") == [{"a;b": "1\n2"}]
    assert rows(lake, "s.u") == [{"a": 1, "b": None}]


def test_standard_input_is_read_like_a_file(memory: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}\n{"a": 2}\n')))
    assert load(memory, "s.t", Path("-"), format="json").files[0].file == "standard input"
    assert rows(memory, "s.t") == [{"a": 1}, {"a": 2}]


def test_create_and_append_insist_on_what_they_say(memory: Lake, write: Write) -> None:
    file = write("a.csv", "id\n1\n")
    with pytest.raises(NotFoundError, match=r"there is no table `s\.t`"):
        load(memory, "s.t", file, mode="append")
    load(memory, "s.t", file, mode="create")
    with pytest.raises(AlreadyExistsError, match=r"there is already a table `s\.t`"):
        load(memory, "S.t", file, mode="create")
    assert load(memory, "s.t", file, mode="append").version == 2


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", 'id,name\n1,"two\nlines"\nx7,c\n', "a.csv:4: column `id`: Could not convert"),
        ("a.csv", 'id,name\n1,"two\nlines"\n\n2,c,d\n', "a.csv:5: 3 values for 2 columns"),
        ("a.csv", "id\n1.5\n", "a.csv:2: column `id`: '1.5' has more digits than int32 can hold"),
        (
            "a.csv",
            "at\n2024-01-15T10:00:00Z\n2024-01-15 10:00:00+02\n",
            "a.csv:3: column `at`: '2024-01-15",
        ),
        (
            "a.csv",
            "at\n2024-01-15 10:00:00.1234\n",
            "a.csv:2: column `at`: '2024-01-15 10:00:00.1234' has more",
        ),
        ("a.csv", "id,name\n1\n", "a.csv:2: 1 value for 2 columns"),
        ("a.csv", 'id,name\n1,"b\n2,c\n3,d\n', "a.csv:2: a quote begins there and never ends"),
        ("a.csv", "id;name\n1;b\n", "a.csv:1: all of it would be one column called `id;name`"),
        ("a.csv", "", "a.csv is empty"),
        ("a.csv", "id,\n1,2\n", "a.csv:1: column 2 has no name"),
        ("a.csv", "id,nmae,x\n1,2,3\n", "a.csv has columns that the table lacks: `nmae`, `x`"),
        ("a.json", '[{"id": 1},\n{"id": 2}\n{"id": 3}]', "a.json:3: expected , or ] after a row"),
        ("a.json", '{"id": 1}\n{"id": \n', "a.json:3: not JSON: Expecting value"),
        ("a.json", '{"id": 1}\n{"id": "u"}\n', "a.json:2: column `id`: Could not convert"),
        ("a.json", '{"id": 1}\n{"nmae": 2}', "a.json has columns that the table lacks: `nmae`"),
        (
            "a.json",
            '[{"name": "\\ud83d\\ude00"},\n{"name": "\\uD83D"}]',
            "a.json:2: half of a surrogate",
        ),
        ("a.json", "[1]", "a.json:1: a row is an object"),
        ("a.json", '[{"id": 1}', "a.json:1: the array is not closed"),
        ("a.json", '[{"id": 1},]', "a.json:1: a comma before the closing ]"),
        ("a.json", '[{"id": 1}] x', "a.json:1: text after the array"),
        ("a.csv", "id,ID\n1,2\n", "a.csv has two columns called `id` (names are matched without"),
        ("a.parquet", "no", "a.parquet is no Parquet file, or a damaged one"),
        ("a.arrow", "", "a.arrow is no Arrow file, or a damaged one"),
        ("a.txt", "", "the format of `{path}` cannot be told from its name"),
    ],
)
def test_a_mistake_in_a_file_is_named_and_nothing_is_loaded(
    memory: Lake, write: Write, name: str, text: str, message: str
) -> None:
    ensure_namespace(memory.catalog, "s")
    columns: list[Field] = [
        pa.field("id", pa.int32()),
        pa.field("name", pa.string()),
        pa.field("at", pa.timestamp("ms")),
    ]
    create_table(memory.catalog, TableName("s", "t"), Definition(pa.schema(columns)))
    good, bad = write("good.csv", "id\n1\n"), write(name, text)
    with pytest.raises(InvalidRequestError) as caught:
        load(memory, "s.t", good, bad)
    folder = str(bad.parent) + "/"
    assert caught.value.message.replace(folder, "").startswith(
        message.format(path=bad).replace(folder, "")
    )
    assert rows(memory, "s.t") == []
    assert not memory.table("s.t").history()


def test_a_file_without_rows_makes_no_table_but_fits_into_one(memory: Lake, write: Write) -> None:
    nothing = write("a.json", "[]")
    with pytest.raises(InvalidRequestError, match="no columns for a new table"):
        load(memory, "s.t", nothing)
    load(memory, "s.t", write("b.csv", "id\n"))
    assert load(memory, "s.t", nothing).rows == 0
    assert not memory.table("s.t").history()


@pytest.mark.parametrize(
    ("values", "data_type"),
    [
        (["1", "-20"], pa.int64()),
        (["9223372036854775808", "1"], pa.decimal128(38, 0)),
        (["1" * 39, "1"], pa.string()),
        (["1.5", "NaN", "-Infinity", "1e-3"], pa.float64()),
        (["1.50", "01.5"], pa.string()),
        (["+1", "2"], pa.string()),
        (["1", "true"], pa.string()),
        (["2024-02-29", "2024-02-30"], pa.string()),
        (["2024-02-29", "2024-02-29 10:00:00.123456"], pa.timestamp("us")),
        (["2024-02-29T10:00:00Z", "2024-02-29 10:00:00-0500"], pa.timestamp("us", "UTC")),
        (["2024-02-29T10:00:00Z", "2024-02-29 10:00"], pa.string()),
        (["10:00:00", "23:59:59.5"], pa.time64("us")),
        (["25:00:00"], pa.string()),
        (["", ""], pa.string()),
    ],
)
def test_types_are_guessed_from_every_value(
    memory: Lake, write: Write, values: list[str], data_type: pa.DataType
) -> None:
    text = "id,v\r\n" + "".join(f"{place},{value}\r\n" for place, value in enumerate(values))
    load(memory, "s.t", write("a.csv", text))
    assert types(memory, "s.t")["v"] == data_type


def test_bytes_that_are_no_text_are_refused(memory: Lake, tmp_path: Path) -> None:
    for name in ("a.csv", "a.json"):
        (tmp_path / name).write_bytes(b'{"a": "\xff"}\n1\n')
        with pytest.raises(InvalidRequestError, match="is not UTF-8 text"):
            load(memory, "s.t", tmp_path / name)


def test_a_packed_file_that_is_damaged_is_named(memory: Lake, tmp_path: Path) -> None:
    for name in ("a.csv.gz", "a.json.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"id\n" * 9)[:-12] + bytes(12))
        with pytest.raises(InvalidRequestError, match=f"{name} cannot be"):
            load(memory, "s.t", tmp_path / name)


def test_a_load_that_fails_leaves_no_new_table(lake: Lake, tmp_path: Path) -> None:
    one, two = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(pa.table({"a": [1]}), one)
    pq.write_table(pa.table({"a": [2]}), two)
    # The footer is whole and the rows are not: only reading them finds out.
    damaged = bytearray(two.read_bytes())
    damaged[4:40] = bytes(36)
    two.write_bytes(damaged)
    with pytest.raises(LakeportError):
        load(lake, "fresh.t", one, two)
    assert lake.tables() == []
    assert "fresh" not in [info.name for info in lake.namespaces()]


def test_types_that_exclude_each_other_are_named(memory: Lake, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "b.parquet")
    with pytest.raises(InvalidRequestError, match=r"`a` is BIGINT in .* and VARCHAR in"):
        load(memory, "s.t", tmp_path / "a.parquet", tmp_path / "b.parquet")


@pytest.mark.parametrize("table", ["s..t", "s/x.t", "s. t"])
def test_names_that_no_table_may_have_are_refused(memory: Lake, write: Write, table: str) -> None:
    with pytest.raises(InvalidRequestError, match="cannot be called"):
        load(memory, table, write("a.csv", "id\n1\n"))


def test_files_are_read_in_pieces(
    memory: Lake, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_module, "BLOCK_BYTES", 256)
    monkeypatch.setattr(json_module, "CHUNK_BYTES", 64)
    monkeypatch.setattr(json_module, "BATCH_ROWS", 7)
    long = "ü" * 300
    objects = [
        {"id": number, "text": long if number == 20 else f"é{number}"} for number in range(40)
    ]
    lines = "".join(f"{row['id']},{row['text']}\n" for row in objects)
    load(memory, "s.csv", write("a.csv", "id,text\n" + lines))
    load(memory, "s.array", write("a.json", json.dumps(objects, indent=1, ensure_ascii=False)))
    load(memory, "s.lines", write("a.jsonl", "\n".join(json.dumps(row) for row in objects)))
    assert rows(memory, "s.csv") == rows(memory, "s.array") == rows(memory, "s.lines") == objects
