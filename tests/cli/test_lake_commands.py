"""The lake from the shell: what a person types and sees, in a real project on disk."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lakeport as library
from lakeport.app.lake.writing import create_table, ensure_namespace
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import (
    Check,
    Definition,
    PrimaryKey,
    with_comment,
    with_default,
)
from lakeport.catalog.ports import ViewHost, require
from lakeport.core.names import TableName
from tests.catalog.iceberg.views.bodies import creation
from tests.cli.conftest import Run

ITEMS = "k,name,price\n1,pen,1.20\n2,ink,7\n3,,\n"


@pytest.fixture
def project(lakeport: Run) -> Run:
    """An empty project in the working folder."""
    assert lakeport("init").code == 0
    return lakeport


@pytest.fixture
def shop(project: Run) -> Run:
    """A project with `shop.items`, two commits."""
    Path("items.csv").write_text(ITEMS)
    Path("more.json").write_text('[{"k": 4, "name": "nib"}]')
    assert project("load", "shop.items", "items.csv").code == 0
    assert project("load", "shop.items", "more.json").code == 0
    return project


def plain(text: str) -> str:
    """Without what is new each time: ids, moments, sizes."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "UUID", text)
    text = re.sub(r"-[0-9a-f]{32}\b", "-UUID", text)
    text = re.sub(r"\b\d{15,19}\b", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    text = re.sub(r"[\d.]+ kB", "SIZE", text)
    text = re.sub(r"file:\S+/\.lakeport", "file:…/.lakeport", text)
    return re.sub(r" +", " ", text)


# -- tables --------------------------------------------------------------------------------------


def test_an_empty_lake_says_what_to_do(project: Run) -> None:
    shown = project("tables")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out == "there are no tables yet; `lakeport load NAMESPACE.TABLE FILE` makes one\n"
    assert json.loads(project("tables", "--json").out) == []


def test_tables_are_listed_by_name(shop: Run) -> None:
    Path("b.csv").write_text("a\n1\n")
    shop("load", "shop.eu.b", "b.csv")
    assert shop("tables").out == "table\nshop.items\nshop.eu.b\n2 tables in 2 namespaces\n"
    assert shop("tables", "shop.EU").out == "table\nshop.eu.b\n1 table in 1 namespace\n"
    assert json.loads(shop("tables", "--json").out)[0] == {
        "name": "shop.items",
        "namespace": "shop",
        "table": "items",
        "kind": "table",
    }


def test_views_are_told_from_tables_and_shown_with_their_sql(shop: Run) -> None:
    with library.open() as lake:
        namespace = require(lake.catalog.namespace("shop"), ViewHost, "the namespace")
        namespace.views().create("ones", creation())
    assert shop("tables").out == (
        "table\nshop.items\nshop.ones (view)\n1 table, 1 view in 1 namespace\n"
    )
    (_, listed) = json.loads(shop("tables", "-l", "--json").out)
    assert (listed["kind"], listed["comment"], listed["version"]) == ("view", "Ones.", 1)
    assert re.sub(r"[0-9a-f-]{36}", "UUID", shop("show", "shop.ONES").out) == (
        "shop.ones  Ones.\n\n"
        "column  type    null  default  comment\n"
        "a       BIGINT  yes\n\n"
        "about         value\n"
        "view          its SQL is kept for other engines and not run here\n"
        "SQL of spark  SELECT 1 AS a\n"
        "version       1\n"
        "uuid          UUID\n"
    )
    for command in ("read", "history"):
        refused = shop(command, "shop.ones")
        assert (refused.code, refused.out) == (1, "")
        assert "`shop.ones` is a view: its SQL is shown here, not run" in refused.err


def test_long_lists_have_sizes(shop: Run) -> None:
    assert plain(shop("tables", "--long").out) == (
        "table rows size version changed comment\n"
        "shop.items 4 SIZE 2 TIME\n"
        "1 table in 1 namespace\n"
    )
    (listed,) = json.loads(shop("tables", "-l", "--json").out)
    assert (listed["rows"], listed["version"], listed["columns"]) == (4, 2, 3)
    assert listed["bytes"] > 0


def test_one_damaged_table_does_not_hide_the_others(shop: Run) -> None:
    Path("b.csv").write_text("a\n1\n")
    shop("load", "shop.broken", "b.csv")
    for file in Path(".lakeport/warehouse/shop").glob("broken-*/metadata/*.metadata.json"):
        file.unlink()
    assert shop("tables").code == 0
    shown = shop("tables", "--long")
    assert shown.code == 1
    broken, items = shown.out.splitlines()[1:3]
    assert items.split()[:2] == ["shop.items", "4"]
    assert broken.startswith("shop.broken")
    assert "metadata" in broken


def test_an_unknown_namespace_is_no(shop: Run) -> None:
    shown = shop("tables", "shp")
    assert (shown.code, shown.out) == (1, "")
    assert "no namespace `shp`" in shown.err
    assert "did you mean `shop`?" in shown.err


# -- show ----------------------------------------------------------------------------------------


def test_show_tells_everything_about_a_table(project: Run) -> None:
    columns: list[Field] = [
        with_comment(pa.field("id", pa.int64(), nullable=False), "who"),
        with_default(pa.field("tags", pa.list_(pa.string())), "[]"),
        pa.field("at", pa.timestamp("us", "UTC")),
    ]
    rules = (PrimaryKey(("id",)), Check("id > 0", "positive"))
    layout = Definition(pa.schema(columns), rules, "all people", ("day(at)",), ("id",), {"a": "b"})
    with library.open() as lake:
        ensure_namespace(lake.catalog, "hr")
        create_table(lake.catalog, TableName("hr", "people"), layout)
    assert plain(project("show", "hr.PEOPLE").out) == (
        "hr.people all people\n"
        "\n"
        "column type null default comment\n"
        "id BIGINT no who\n"
        "tags VARCHAR[] yes []\n"
        "at TIMESTAMP WITH TIME ZONE yes\n"
        "\n"
        "about value\n"
        "rule PRIMARY KEY (id)\n"
        "rule CONSTRAINT positive CHECK (id > 0)\n"
        "partitioned by day(at)\n"
        "sorted by id\n"
        "rows 0\n"
        "data files 0\n"
        "size 0 B\n"
        "version 0\n"
        "snapshots 0\n"
        "format iceberg 2\n"
        "location file:…/.lakeport/warehouse/hr/people-UUID\n"
        "uuid UUID\n"
        "property a = b\n"
    )


def test_show_as_json_has_arrow_types_too(shop: Run) -> None:
    found = json.loads(shop("show", "shop.items", "--json").out)
    assert found["columns"][2] == {
        "name": "price",
        "type": "DOUBLE",
        "arrow": "double",
        "nullable": True,
        "default": None,
        "comment": None,
    }
    assert found["figures"]["rows"] == 4
    assert found["figures"]["data_files"] == 2
    assert (found["version"], found["snapshots"]) == (2, 2)
    assert found["snapshot"]["operation"] == "append"
    assert found["storage"]["format"] == "iceberg 2"
    assert [ref["name"] for ref in found["refs"]] == ["main"]


def test_show_can_look_back(shop: Run) -> None:
    assert json.loads(shop("show", "shop.items", "--at", "1", "--json").out)["figures"]["rows"] == 3


# -- history -------------------------------------------------------------------------------------


def test_history_is_oldest_first(shop: Run) -> None:
    assert plain(shop("history", "shop.items").out) == (
        "version snapshot time operation added deleted rows then\n"
        " 1 ID TIME append 3 0 3\n"
        " 2 ID TIME append 1 0 4\n"
    )
    commits = json.loads(shop("history", "shop.items", "--json").out)
    assert [set(commit) for commit in commits] == [
        {"snapshot_id", "version", "timestamp", "operation", "summary"}
    ] * 2
    assert [commit["version"] for commit in commits] == [1, 2]
    assert commits[1]["summary"]["total-records"] == "4"


def test_a_table_without_history_says_so(project: Run) -> None:
    Path("a.csv").write_text("a\n")
    project("load", "s.t", "a.csv")
    assert project("history", "s.t").out == "nothing was written to it yet\n"
    assert json.loads(project("history", "s.t", "--json").out) == []


# -- read ----------------------------------------------------------------------------------------


def test_rows_are_aligned_and_counted(shop: Run) -> None:
    assert shop("read", "shop.items").out == (
        "k  name  price\n1  pen     1.2\n2  ink     7.0\n3  NULL   NULL\n4  nib    NULL\n4 rows\n"
    )
    assert shop("read", "shop.items", "--limit", "1", "--columns", "NAME,k").out == (
        "name  k\npen   1\n1 row (limit 1)\n"
    )
    assert shop("read", "shop.items", "--where", "k > 9").out == "k  name  price\n0 rows\n"


def test_json_has_explicit_nulls(shop: Run) -> None:
    expected = [{"k": 3, "name": None, "price": None}]
    asked = ("read", "shop.items", "--where", "name IS NULL")
    assert json.loads(shop(*asked, "--format", "json").out) == expected
    assert json.loads(shop(*asked, "--json").out) == expected
    assert shop("read", "shop.items", "--where", "false", "--json").out == "[]\n"


def test_csv_can_be_loaded_again(shop: Run) -> None:
    written = shop("read", "shop.items", "--format", "csv")
    assert written.out == "k,name,price\n1,pen,1.2\n2,ink,7.0\n3,,\n4,nib,\n"
    Path("again.csv").write_text(written.out)
    shop("load", "shop.again", "again.csv")
    assert shop("read", "shop.again", "--json").out == shop("read", "shop.items", "--json").out


def test_arrow_goes_into_a_file_or_a_pipe(shop: Run) -> None:
    shown = shop("read", "shop.items", "--format", "arrow", "--output", "rows.arrows")
    assert (shown.code, shown.out, shown.err) == (0, "", "")
    with pa.ipc.open_stream(Path("rows.arrows").read_bytes()) as reader:
        assert reader.read_all().column("k").to_pylist() == [1, 2, 3, 4]


def test_arrow_is_not_for_a_terminal(shop: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = shop("read", "shop.items", "--format", "arrow")
    assert (shown.code, shown.out) == (2, "")
    assert "--output FILE" in shown.err


def test_a_file_that_cannot_be_written_is_named(shop: Run) -> None:
    shown = shop("read", "shop.items", "--output", "nowhere/rows.txt")
    assert shown.code == 3
    assert shown.err == "error: nowhere/rows.txt cannot be written: no such file or directory\n"


@pytest.mark.parametrize(
    ("point", "keys"),
    [
        ("1", [1, 2, 3]),
        ("version:2", [1, 2, 3, 4]),
        ("version:0", []),
        ("2001-09-09", []),
        ("2001-09-09T01:46:40Z", []),
        ("ts:1000000000", []),
        ("main", [1, 2, 3, 4]),
        ("branch:main", [1, 2, 3, 4]),
    ],
)
def test_any_point_of_the_history_can_be_read(shop: Run, point: str, keys: list[int]) -> None:
    shown = shop("read", "shop.items", "--at", point, "--json")
    assert [row["k"] for row in json.loads(shown.out)] == keys


def test_a_snapshot_can_be_read_by_its_id(shop: Run) -> None:
    first = json.loads(shop("history", "shop.items", "--json").out)[0]
    at = f"snapshot:{first['snapshot_id']}"
    assert len(json.loads(shop("read", "shop.items", "--at", at, "--json").out)) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (("shop.itmes",), 1, "there is no table `shop.itmes`", "did you mean `shop.items`?"),
        (("items",), 2, "`items` has no namespace", "did you mean `shop.items`?"),
        (("shop.items", "--columns", "prize"), 1, "no column `prize`", "did you mean `price`?"),
        (("shop.items", "--columns", "a,,b"), 2, "names no column", "--columns a,b"),
        (("shop.items", "--where", "prize > 1"), 2, "there is no column `prize`", "`price`"),
        (("shop.items", "--where", "price +"), 2, "cannot be read", "DuckDB's dialect"),
        (("shop.items", "--where", "k + 1"), 2, "is no condition", "compare it"),
        (("shop.items", "--limit", "-1"), 2, "a limit cannot be negative", ""),
        (("shop.items", "--at", "9"), 1, "no version 9", "newest version is 2"),
        (("shop.items", "--at", "tag:v1"), 1, "no tag `v1`", ""),
        (("shop.items", "--at", "2024-02-30"), 2, "a day that does not exist", ""),
        (("shop.items", "--format", "xml"), 2, "xml", "read --help"),
    ],
)
def test_a_question_that_makes_no_sense_is_answered(
    shop: Run, arguments: tuple[str, ...], code: int, message: str, hint: str
) -> None:
    shown = shop("read", *arguments)
    assert (shown.code, shown.out) == (code, "")
    assert message in shown.err
    assert hint in shown.err
    as_json = shop("read", *arguments, "--json")
    assert message in json.loads(as_json.out)["error"]["message"]


# -- load ----------------------------------------------------------------------------------------


def test_load_says_what_it_did(project: Run) -> None:
    Path("a.csv").write_text(ITEMS)
    Path("b.csv").write_text("k\n9\n")
    assert project("load", "shop.items", "a.csv").out == (
        "loaded 3 rows from 1 file, made shop.items, now version 1\n"
    )
    assert project("load", "shop.items", "a.csv", "b.csv").out == (
        "file   rows\n"
        "a.csv     3\n"
        "b.csv     1\n"
        "loaded 4 rows from 2 files, into shop.items, now version 2\n"
    )
    done: dict[str, Any] = json.loads(project("load", "x.y", "b.csv", "--json").out)
    assert done.pop("snapshot_id") > 0
    assert done == {
        "table": "x.y",
        "created": True,
        "replaced": False,
        "rows": 1,
        "version": 1,
        "files": [{"file": "b.csv", "rows": 1}],
    }


def test_a_bad_line_is_named_and_nothing_is_loaded(shop: Run) -> None:
    Path("bad.csv").write_text("k,name\n5,ok\nfive,no\n")
    shown = shop("load", "shop.items", "bad.csv")
    assert shown.code == 2
    assert "error: bad.csv:3: column `k`: Could not convert string 'five' to INT64" in shown.err
    assert len(json.loads(shop("history", "shop.items", "--json").out)) == 2


def test_load_can_insist(shop: Run) -> None:
    shown = shop("load", "shop.items", "items.csv", "--create")
    assert (shown.code, "there is already a table `shop.items`" in shown.err) == (1, True)
    shown = shop("load", "shop.itmes", "items.csv", "--append")
    assert (shown.code, "did you mean `shop.items`?" in shown.err) == (1, True)
    assert shop("load", "shop.items", "items.csv", "--create", "--append").code == 2


def test_load_can_replace_all_rows(shop: Run) -> None:
    Path("new.csv").write_text("k,name\n7,nib\n")
    assert shop("load", "shop.items", "new.csv", "--replace").out == (
        "loaded 1 row from 1 file, in place of all rows of shop.items, now version 3\n"
    )
    assert json.loads(shop("read", "shop.items", "--columns", "k", "--json").out) == [{"k": 7}]
    assert len(json.loads(shop("read", "shop.items", "--at", "2", "--json").out)) == 4
    assert shop("load", "shop.fresh", "new.csv", "--replace").out == (
        "loaded 1 row from 1 file, made shop.fresh, now version 1\n"
    )
    shown = shop("load", "shop.items", "new.csv", "--replace", "--append")
    assert (shown.code, "--append and --replace exclude" in shown.err) == (2, True)


def test_a_new_table_may_have_a_layout(shop: Run) -> None:
    layout = ("--partition-by", "bucket(2, k)", "--sort-by", "name desc")
    assert shop("load", "shop.laid", "items.csv", *layout).code == 0
    shown = shop("show", "shop.laid").out
    assert "partitioned by  bucket(2, k)" in shown
    assert "sorted by       name desc" in shown
    shown_error = shop("load", "shop.laid", "items.csv", *layout)
    assert (shown_error.code, "does not change its layout" in shown_error.err) == (2, True)
    bad = shop("load", "shop.bad", "items.csv", "--partition-by", "week(k)")
    assert (bad.code, "shop.bad" in shop("tables").out) == (2, False)


def test_history_counts_rows_that_left(shop: Run) -> None:
    with library.open() as lake:
        items = lake.table("shop.items")
        items.update({"name": "'x'"}, where="k <= 2")
        items.delete(where="k = 3")
        items.delete(where="k = 4")
        items.overwrite([{"k": 1}])
    rows = [line.split()[-3:] for line in shop("history", "shop.items").out.splitlines()[3:]]
    assert rows == [
        ["2", "2", "4"],
        ["0", "1", "3"],
        ["0", "1", "2"],
        ["1", "2", "1"],
    ]


def test_a_lake_needs_a_project(lakeport: Run, tmp_path: Path) -> None:
    for arguments in (("tables",), ("show", "a.b"), ("history", "a.b"), ("read", "a.b")):
        shown = lakeport(*arguments)
        assert (shown.code, shown.out) == (1, "")
        assert "there is no lakeport.toml here or in any folder above" in shown.err
    assert list(tmp_path.iterdir()) == []


def test_a_catalog_may_be_given_without_a_project(lakeport: Run, tmp_path: Path) -> None:
    place = f"catalog.uri=sqlite:///{tmp_path}/c.db", f"catalog.warehouse={tmp_path}/w"
    options = [word for setting in place for word in ("--set", setting)]
    Path("a.csv").write_text("a\n1\n")
    assert lakeport("load", "s.t", "a.csv", *options).code == 0
    assert json.loads(lakeport("read", "s.t", "--json", *options).out) == [{"a": 1}]
