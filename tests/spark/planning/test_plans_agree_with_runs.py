"""What a plan says is what the run does: on the shop, and on tables that grow in every way there is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lakeport.app.initialize import initialize
from lakeport.cli.main import run as lakeport
from lakeport.pipeline.session import Spark
from tests.spark.planning.agreement import agreed, plan_of
from tests.spark.running.folder import Folder

ORDERS = "SELECT id, amount, coupon, at FROM VALUES (1, 10, 'x', DATE '2026-01-01') AS t(id, amount, coupon, at)"
STAR = "SELECT *, amount * 2 AS twice FROM staging.orders"
DAILY = "SELECT at AS day, sum(amount) AS total, count(*) AS orders FROM staging.orders GROUP BY at"
# Its type is what another function finds in a text, which nobody else looks into.
PARSED = """from_json('{"a": 1}', schema_of_json('{"a": 1, "b": "x"}'))"""


@pytest.fixture(scope="session")
def first_run(jvm: Spark, tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, Path]:
    """A project after its first run, and a copy of all its files."""
    root = tmp_path_factory.mktemp("plans") / "shop"
    root.mkdir()
    folder = Folder(root, jvm)
    folder.toml("")
    folder.model("staging.orders", ORDERS, unique_key=["id"])
    folder.model("marts.star", STAR)
    folder.model("marts.daily", DAILY, materialized="table")
    agreed(folder)
    return folder, Path(shutil.copytree(root, root.with_name("kept")))


@pytest.fixture
def shop(first_run: tuple[Folder, Path]) -> Folder:
    """As the first run left it, in the same place: tables know their files by whole paths."""
    folder, kept = first_run
    shutil.rmtree(folder.root)
    shutil.copytree(kept, folder.root)
    return Folder(folder.root, folder.jvm)


def test_after_a_run_nothing_changes_and_spark_is_not_asked(shop: Folder) -> None:
    plan = plan_of(shop)
    assert not plan.has_changes
    assert not plan.asked_spark
    assert {each.known for each in plan} == {"last_run"}


def test_a_column_leaves_and_one_arrives(shop: Folder) -> None:
    shop.model(
        "staging.orders",
        ORDERS.replace("coupon, at FROM", "id * 2 AS more, at FROM"),
        unique_key=["id"],
    )
    found = agreed(shop)
    assert {each.effect for each in found.of("staging.orders").downstream} == {"null", "new"}
    assert not plan_of(shop).has_changes


@pytest.mark.parametrize(
    ("before", "after", "settings"),
    [
        pytest.param("amount,", "CAST(amount AS BIGINT) AS amount,", {}, id="wider"),
        pytest.param("amount,", "CAST(amount AS SMALLINT) AS amount,", {}, id="narrower"),
        pytest.param("amount,", "amount, CAST(1 AS TINYINT) AS tiny,", {}, id="a byte"),
        pytest.param("amount,", "amount, NULL AS nothing,", {}, id="a bare NULL"),
        pytest.param("amount,", "amount, INTERVAL 1 DAY AS pause,", {}, id="unmappable"),
        pytest.param("amount,", "amount, named_struct('a', 1, 'b', 'x') AS s,", {}, id="a struct"),
        pytest.param("amount,", "'much' AS amount,", {}, id="refused"),
        pytest.param(
            "amount,", "'much' AS amount,", {"on_type_change": "side_column"}, id="a side column"
        ),
        pytest.param("amount,", "'7' AS amount,", {"on_type_change": "cast"}, id="a cast"),
        pytest.param("id, amount,", "id AS ID, amount AS Amount,", {}, id="another case"),
    ],
)
def test_every_way_to_grow_and_not_to(
    shop: Folder, before: str, after: str, settings: dict[str, object]
) -> None:
    shop.model("staging.orders", ORDERS.replace(before, after, 1), unique_key=["id"], **settings)
    agreed(shop)


def test_a_struct_that_grows_inside(folder: Folder) -> None:
    folder.model("one.made", "SELECT 1 AS id, named_struct('a', 1) AS s")
    folder.model("two.read", "SELECT id, s FROM one.made")
    agreed(folder)
    folder.model("one.made", "SELECT 1 AS id, named_struct('b', 'x') AS s")
    found = agreed(folder)
    growth = found.of("two.read").growth
    assert growth is not None
    assert [each.path for each in growth.added] == [("s", "b")]


def test_types_that_only_spark_knows_are_asked_for_once(folder: Folder) -> None:
    folder.model("one.made", f"SELECT 1 AS id, {PARSED} AS parsed")
    folder.model("two.read", "SELECT *, parsed.a AS a FROM one.made")
    folder.model("three.read", "SELECT a + 1 AS next, parsed FROM two.read")
    assert agreed(folder).plan.asked_spark
    again = plan_of(folder)
    assert not again.asked_spark
    assert not again.has_changes


def test_views_and_ephemeral_models(folder: Folder) -> None:
    folder.model("one.base", "SELECT 1 AS id, 'x' AS name", materialized="ephemeral")
    folder.model("one.shown", "SELECT id, upper(name) AS name FROM one.base", materialized="view")
    folder.model("one.kept", "SELECT * FROM one.shown")
    agreed(folder)
    folder.model("one.base", "SELECT 1 AS id, 'x' AS name, 2 AS more", materialized="ephemeral")
    folder.model("one.shown", "SELECT *, upper(name) AS loud FROM one.base", materialized="view")
    found = agreed(folder)
    growth = found.of("one.kept").growth
    assert growth is not None
    assert [each.path[0] for each in growth.added] == ["more", "loud"]


def test_a_selected_model_meets_the_tables_of_those_that_are_not(shop: Folder) -> None:
    shop.model(
        "staging.orders",
        ORDERS.replace("coupon, at FROM", "coupon, at, 1 AS more FROM"),
        unique_key=["id"],
    )
    found = agreed(shop, "marts.star")
    assert found.of("marts.star").status == "unchanged"


def test_a_full_refresh_and_an_environment(shop: Folder) -> None:
    shop.toml('[pipeline.environments.dev]\nprefix = "dev_"\n')
    agreed(shop, full_refresh=True)
    found = agreed(shop, environment="dev")
    assert str(found.of("marts.star").table) == "dev_marts.star"
    assert not plan_of(shop, environment="dev").has_changes


def test_a_query_that_spark_refuses_is_refused_by_the_plan(folder: Folder) -> None:
    folder.model("one.made", "SELECT 1 AS id")
    folder.model("two.read", "SELECT nothing FROM one.made")
    found = agreed(folder)
    refused, ran = found.of("two.read"), found.run.models[1]
    assert refused.status == "refused"
    (obstacle,) = refused.obstacles
    assert ran.error is not None
    # The same words, with the place in the author's file, though a plan asks another text.
    assert obstacle.message == ran.error.message
    assert obstacle.message.startswith("models/two/read.sql:1:8: there is no column `nothing`\n")
    assert obstacle.hint == ran.error.hint
    assert refused.warnings == ()


def test_the_shop_example(folder: Folder) -> None:
    root = folder.root / "example"
    initialize(root, example="shop")
    shop = Folder(root, folder.jvm)
    for file in sorted((root / "data").glob("*.csv")):
        load = ["load", f"raw.{file.stem}", str(file), "--project", str(root)]
        assert lakeport(load) == 0
    agreed(shop)
    plan = plan_of(shop)
    assert not plan.has_changes
    assert not plan.asked_spark
    products = root / "models" / "staging" / "products.sql"
    products.write_text(products.read_text().replace("category", "upper(name) AS loud"))
    found = agreed(shop)
    assert "null" in {each.effect for each in found.of("staging.products").downstream}


def test_views_and_texts_are_remembered_so_that_spark_is_asked_once(folder: Folder) -> None:
    parsed = f"{PARSED} AS parsed"
    folder.model("one.seen", f"SELECT 1 AS id, {parsed}", materialized="view")
    folder.model("one.text", f"SELECT 1 AS id, {parsed}", materialized="ephemeral")
    folder.model("one.more", "SELECT *, parsed.b AS b FROM one.text", materialized="ephemeral")
    folder.model("two.read", "SELECT *, parsed.a + parsed.a AS twice FROM one.seen")
    folder.model("two.also", "SELECT id, parsed FROM one.more")
    assert agreed(folder).plan.asked_spark
    again = plan_of(folder)
    assert not again.asked_spark
    assert not again.has_changes
    stored = {each.known for each in again if each.materialized != "ephemeral"}
    assert stored == {"last_run"}
    folder.model("one.text", f"SELECT 2 AS id, {parsed}", materialized="ephemeral")
    assert plan_of(folder).asked_spark


def test_the_history_and_the_branches_of_a_table_are_read_as_such(folder: Folder) -> None:
    folder.model("one.base", "SELECT 1 AS id")
    folder.run()
    folder.model("two.log", "SELECT operation FROM one.base.snapshots ORDER BY committed_at")
    folder.model("two.kept", "SELECT id FROM one.base.branch_main")
    agreed(folder, "two.*")
    assert folder.rows("two.log") == [("overwrite",)]
    assert folder.rows("two.kept") == [(1,)]


@pytest.mark.parametrize("publish", ["branch", "run-atomic"])
def test_rows_that_are_written_aside(folder: Folder, publish: str) -> None:
    folder.model("one.base", "SELECT 1 AS id", properties={"team": "me"})
    folder.model("one.kept", "SELECT id FROM base", unique_key=["id"])
    agreed(folder, publish=publish)
    folder.model("one.base", "SELECT 1 AS id, 'x' AS t", properties={"team": "you"})
    found = agreed(folder, publish=publish)
    assert "branch_lakeport_RUN" in found.of("one.base").sql[-1]
    assert found.of("one.base").sql[0].endswith("SET TBLPROPERTIES ('team' = 'you')")
