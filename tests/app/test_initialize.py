from __future__ import annotations

import csv
import py_compile
import tomllib
from decimal import Decimal
from importlib import resources
from pathlib import Path

import duckdb
import pytest
import sqlglot

from lakeport.app.initialize import Example, initialize
from lakeport.app.project.load import checked_project, load_graph
from lakeport.app.settings import load
from lakeport.core.errors import AlreadyExistsError, UnavailableError

KINDS: tuple[Example | None, ...] = (None, "shop")


@pytest.mark.parametrize("example", KINDS)
def test_a_new_project_has_valid_settings_and_models(
    tmp_path: Path, example: Example | None
) -> None:
    made = initialize(tmp_path / "new", example)
    settings = load(folder=made.folder, variables={})
    assert settings.file == made.folder / "lakeport.toml"
    assert load_graph(checked_project(settings), None).nodes


@pytest.mark.parametrize("example", KINDS)
def test_every_file_written_is_reported(tmp_path: Path, example: Example | None) -> None:
    made = initialize(tmp_path, example)
    there = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert there == set(made.written)
    assert made.kept == ()
    assert (tmp_path / ".gitignore").read_text() == ".lakeport/\n"


def test_what_an_installer_compiled_is_not_part_of_an_example(tmp_path: Path) -> None:
    model = resources.files("lakeport.app.projects") / "shop" / "models" / "marts"
    py_compile.compile(str(model / "customer_segments.py"))
    made = initialize(tmp_path, "shop")
    assert "models/marts/customer_segments.py" in made.written
    assert not [name for name in made.written if name.endswith(".pyc")]


def test_the_shops_sources_describe_its_files(tmp_path: Path) -> None:
    initialize(tmp_path, "shop")
    declared = tomllib.loads((tmp_path / "sources.toml").read_text())["raw"]
    for path in (tmp_path / "data").glob("*.csv"):
        with path.open(newline="") as stream:
            assert next(csv.reader(stream)) == list(declared[path.stem]["columns"])
    assert set(declared) == {path.stem for path in (tmp_path / "data").glob("*.csv")}


def test_the_shops_models_run_and_give_what_the_data_says(tmp_path: Path) -> None:
    initialize(tmp_path, "shop")
    lake = duckdb.connect()
    declared = tomllib.loads((tmp_path / "sources.toml").read_text())["raw"]
    for namespace in ("raw", "staging", "intermediate", "marts"):
        lake.execute(f"CREATE SCHEMA {namespace}")
    for table, source in declared.items():
        columns = ", ".join(f"{name} {kind}" for name, kind in source["columns"].items())
        lake.execute(
            f"CREATE TABLE raw.{table} ({columns.replace('string', 'varchar').replace('_ntz', '')})"
        )
        lake.execute(f"COPY raw.{table} FROM '{tmp_path}/data/{table}.csv' (HEADER)")
    settings = load(folder=tmp_path, variables={})
    graph = load_graph(checked_project(settings), None, is_incremental=lambda _table: False)
    for node in graph.nodes:
        if node.model.language == "sql":
            query = sqlglot.transpile(node.query.sql, read="spark", write="duckdb")[0]
            lake.execute(f"CREATE TABLE {node.table} AS {query.replace('$loyal_after', '3')}")
    revenue = lake.execute(
        "SELECT day::VARCHAR, orders, revenue FROM marts.daily_revenue ORDER BY day"
    )
    assert revenue.fetchall() == [
        ("2024-02-01", 2, Decimal("87.40")),
        ("2024-02-02", 2, Decimal("67.50")),
        ("2024-02-03", 1, Decimal("24.50")),
        ("2024-02-12", 1, Decimal("49.80")),
        ("2024-02-21", 1, Decimal("28.50")),
    ]
    loyal = lake.execute("SELECT name FROM marts.customer_value WHERE is_loyal").fetchall()
    assert loyal == [("Ada Winter",)]
    unsold = lake.execute("SELECT name, sold FROM marts.product_sales ORDER BY sold DESC LIMIT 1")
    assert unsold.fetchall() == [("Notebook", 11)]


def test_a_project_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_text("# mine\n")
    with pytest.raises(AlreadyExistsError) as caught:
        initialize(tmp_path)
    assert caught.value.message == f"{tmp_path} is a project already: it has a lakeport.toml"
    assert [path.name for path in tmp_path.iterdir()] == ["lakeport.toml"]


def test_a_file_in_the_way_stops_it_before_anything_is_written(tmp_path: Path) -> None:
    mine = tmp_path / "models" / "marts" / "daily_revenue.sql"
    mine.parent.mkdir(parents=True)
    mine.write_text("SELECT 1")
    with pytest.raises(AlreadyExistsError, match=r"already has models/marts/daily_revenue\.sql"):
        initialize(tmp_path, "shop")
    assert mine.read_text() == "SELECT 1"
    assert not (tmp_path / "lakeport.toml").exists()


def test_a_folder_with_models_is_given_no_other(tmp_path: Path) -> None:
    mine = tmp_path / "models" / "marts" / "ships.sql"
    mine.parent.mkdir(parents=True)
    mine.write_text("SELECT 1 AS one")
    made = initialize(tmp_path)
    assert made.written == (".gitignore", "README.md", "lakeport.toml")
    project = checked_project(load(folder=tmp_path, variables={}))
    assert [str(name) for name in project.models] == ["marts.ships"]


def test_a_readme_and_a_gitignore_are_kept(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / ".gitignore").write_text("mine")
    made = initialize(tmp_path)
    assert made.kept == (".gitignore", "README.md")
    assert (tmp_path / "README.md").read_text() == "mine"
    assert (tmp_path / ".gitignore").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnavailableError, match="cannot be written: not a directory"):
        initialize(tmp_path / "file" / "new")


def test_half_a_project_is_not_left_behind(tmp_path: Path) -> None:
    (tmp_path / "models").touch()
    with pytest.raises(UnavailableError, match=r"models.* cannot be written"):
        initialize(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["models"]


def test_queries_that_lie_about_are_named_and_no_example_is_put_beside_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "ships.sql").write_text("SELECT 1 AS one")
    made = initialize(tmp_path)
    assert made.loose == ("ships.sql",)
    assert made.written == (".gitignore", "README.md", "lakeport.toml")
