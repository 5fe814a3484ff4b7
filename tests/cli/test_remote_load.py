"""`load --server`: what it loads, makes, says and refuses is what a load here does."""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lakeport as library
from lakeport.app.serve import Running
from lakeport.app.settings import load
from tests.arrow_rows import random_array
from tests.cli.conftest import Outcome, Run
from tests.cli.here import served_here
from tests.cli.test_remote_commands import EVERY, KEYED, TOML
from tests.strategies import seeded


class Both(Protocol):
    def __call__(self, *arguments: str) -> Outcome: ...


@pytest.fixture
def homes(lakeport: Run) -> tuple[Path, Path]:
    """Two projects that hold the same; the working folder around them is none."""
    del lakeport  # keeps this machine's variables out
    both = (Path("near"), Path("far"))
    for home in both:
        home.mkdir()
        (home / "lakeport.toml").write_text(TOML)
        with library.open(home) as lake:
            lake.create_table("shop.keyed", KEYED).append([{"k": 1, "u": 1}])
    return both


@pytest.fixture
def server(homes: tuple[Path, Path]) -> Iterator[Running]:
    with served_here(load(project=homes[1])) as server:
        yield server


@pytest.fixture
def both(server: Running, lakeport: Run) -> Both:
    """Load into the one and, over the wire, into the other: what is said is the same."""

    def both(*arguments: str) -> Outcome:
        near = lakeport("load", *arguments, "--project", "near")
        far = lakeport("load", *arguments, "--server", server.grpc)
        assert plain(far) == plain(near)
        return near

    return both


@pytest.fixture
def same(server: Running, lakeport: Run) -> Run:
    """Read from both, with what a table is made of: there is no difference. Gives the rows."""

    def same(table: str) -> Outcome:
        asked = (("read", table, "--json"), ("show", table), ("tables",))
        near = [lakeport(*words, "--project", "near") for words in asked]
        far = [lakeport(*words, "--server", server.grpc) for words in asked]
        assert [plain(one) for one in far] == [plain(one) for one in near]
        return near[0]

    return same


def plain(outcome: Outcome) -> Outcome:
    """Ids, moments and places differ from one commit to the next, and sizes with what files are called."""
    return Outcome(outcome.code, _DIFFERENT.sub("#", outcome.out), outcome.err)


_DIFFERENT = re.compile(
    r"\d{15,}|\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}-[0-9a-f-]{27}|[\d.]+ k?B|file:\S+"
)


def written(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_every_format_makes_the_same_table(both: Both, same: Run) -> None:
    rng = seeded(5)
    every = pa.RecordBatch.from_arrays(
        [random_array(rng, kind, 50) for kind in EVERY],
        names=[f"c{place}" for place in range(len(EVERY))],
    )
    with pa.ipc.new_stream("every.arrows", every.schema) as stream:
        stream.write_batch(every)
    pq.write_table(pa.table({"a": [1, None], "b": [["x"], []]}), "p.parquet")
    written("c.csv", "id,day,name\n1,2024-01-15,ä\n2,,\n")
    Path("c.csv.gz").write_bytes(gzip.compress(Path("c.csv").read_bytes()))
    written("j.json", '[{"id": 1, "deep": {"x": [1.5]}}, {"id": 2}]')
    for table, file in (
        ("new.eu.every", "every.arrows"),
        ("new.parquet", "p.parquet"),
        ("new.csv", "c.csv"),
        ("New.csv", "c.csv.gz"),
        ("new.json", "j.json"),
    ):
        assert both(table, file).code == 0
        assert both(table, file, "--json").code == 0
        assert json.loads(same(table).out)


def test_files_of_different_columns_become_one_commit(both: Both, same: Run) -> None:
    written("one.csv", "K,u\n2,2\n3,3\n")
    written("two.json", '{"k": 4, "name": null, "day": "2024-02-03"}\n{"k": 5}\n')
    pq.write_table(pa.table({"old": [1.5], "k": pa.array([6], pa.int16())}), "three.parquet")
    done = both("SHOP.keyed", "one.csv", "two.json", "three.parquet")
    assert done.out.endswith("into shop.keyed, now version 2\n")
    rows = {row["k"]: row["name"] for row in json.loads(same("shop.keyed").out)}
    assert rows == {1: "none", 2: "none", 3: "none", 4: None, 5: "none", 6: "none"}


def test_rows_are_replaced_in_one_commit(both: Both, same: Run) -> None:
    written("all.csv", "k\n8\n9\n")
    assert "in place of all rows" in both("shop.keyed", "all.csv", "--replace").out
    assert [row["k"] for row in json.loads(same("shop.keyed").out)] == [8, 9]
    written("none.csv", "k\n")
    assert both("shop.keyed", "none.csv", "--replace").code == 0
    assert both("shop.keyed", "none.csv").code == 0
    assert same("shop.keyed").out == "[]\n"
    assert both("shop.fresh", "all.csv", "--replace").code == 0


def test_a_new_table_gets_its_layout(both: Both, same: Run) -> None:
    written("days.csv", "at,price\n2024-01-15 10:00:00,2\n2024-02-15 10:00:00,1\n")
    layout = ("--partition-by", "month(at)", "--sort-by", "price desc")
    assert both("shop.days", "days.csv", *layout).code == 0
    same("shop.days")
    with library.open("far") as lake:
        definition = lake.table("shop.days").port.state().definition
    assert (definition.partitioned_by, definition.sorted_by) == (("month(at)",), ("price desc",))


def test_standard_input_is_sent(
    server: Running, lakeport: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"k\n7\n")))
    done = lakeport("load", "shop.piped", "-", "--format", "csv", "--server", server.grpc)
    assert done.out == "loaded 1 row from 1 file, made shop.piped, now version 1\n"


REFUSED = {
    ("shop.keyed", "repeated.csv"): 1,
    ("shop.keyed", "negative.csv"): 1,
    ("shop.keyed", "text.csv"): 2,
    ("shop.keyed", "other.csv"): 2,
    ("shop.keyed", "other.json"): 2,
    ("shop.keyed", "large.parquet"): 2,
    ("shop.keyed", "good.csv", "repeated.csv"): 1,
    ("shop.keyed", "good.csv", "--create"): 1,
    ("shop.keyed", "good.csv", "--sort-by", "k"): 2,
    ("shop.keyed", "good.csv", "--create", "--append"): 2,
    ("shop.keyed", "absent.csv"): 1,
    ("shop.keyed", "good.csv", "--catalog", "nowhere"): 1,
    ("shop.keyd", "good.csv", "--append"): 1,
    ("keyed", "good.csv"): 2,
    ("fresh.table", "text.csv", "broken.csv"): 2,
    ("fresh.table", "good.csv", "--partition-by", "month(nothing)"): 1,
    ("fresh.table", "good.csv", "--partition-by", "fortnight(k)"): 2,
    ("fresh.table", "nothing.csv"): 2,
    ("fresh.ta\\ble", "good.csv"): 2,
    ("fre/sh.table", "good.csv"): 2,
}


def test_what_is_refused_here_is_refused_there(both: Both, same: Run, lakeport: Run) -> None:
    written("good.csv", "k,u\n20,20\n")
    written("repeated.csv", "k,u\n30,30\n1,31\n")
    written("negative.csv", "k\n-1\n")
    written("text.csv", "k\n1\none\n")
    written("other.csv", "k,colour\n5,red\n")
    written("other.json", '{"k": 5}\n{"k": 6, "colour": "red"}\n')
    written("broken.csv", "k\n1,2\n")
    written("nothing.csv", "")
    pq.write_table(pa.table({"k": pa.array([2**63], pa.uint64())}), "large.parquet")
    before = same("shop.keyed")
    assert {arguments: both(*arguments).code for arguments in REFUSED} == REFUSED
    assert same("shop.keyed") == before
    assert "fresh" not in lakeport("tables", "--project", "far").out


def test_tables_of_another_catalog_are_loaded(both: Both, lakeport: Run) -> None:
    written("good.csv", "k\n20\n")
    for _ in range(2):
        assert both("shop.keyed", "good.csv", "--catalog", "other").code == 0
    assert "2 rows" in lakeport("read", "shop.keyed", "--catalog", "other", "--project", "far").out
