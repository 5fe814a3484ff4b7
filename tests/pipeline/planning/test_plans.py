"""What a plan says of tables that are there and of models that changed; the catalog is real, Spark is not asked."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.changes import AddColumn
from lakeport.catalog.definition import Check, PrimaryKey
from lakeport.core.errors import NotFoundError
from lakeport.pipeline.planning.model import ModelPlan
from tests.pipeline.planning.workshop import Workshop

ORDERS = "SELECT id, amount, coupon FROM raw.orders"
REVENUE = "SELECT id, amount AS total, coupon FROM staging.orders"
DAILY = "SELECT * FROM marts.revenue"


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    made = Workshop.in_folder(
        tmp_path, staging__orders=ORDERS, marts__revenue=REVENUE, marts__daily=DAILY
    )
    made.table("raw.orders", id="bigint", amount="int", coupon="string", note="string")
    return made


def schema(plan: ModelPlan) -> dict[str, object]:
    found = plan.as_dict()["schema"]
    assert isinstance(found, dict)
    return {key: value for key, value in found.items() if value}


def test_a_project_that_was_never_run_leaves_no_lake_behind(tmp_path: Path) -> None:
    shop = Workshop.in_folder(tmp_path, one__numbers="SELECT 1 AS a, 'x' AS b")
    (plan,) = shop.plan().models
    assert (plan.status, plan.creates, plan.depth) == ("new", True, 1)
    assert schema(plan) == {
        "added": [{"name": "a", "type": "int"}, {"name": "b", "type": "string"}]
    }
    assert not (tmp_path / ".lakeport").exists()


def test_models_are_in_the_order_in_which_they_would_run(shop: Workshop) -> None:
    found = [(str(each.model), each.depth) for each in shop.plan()]
    assert found == [("staging.orders", 1), ("marts.revenue", 2), ("marts.daily", 3)]


def test_after_a_run_nothing_changes(shop: Workshop) -> None:
    shop.carry_out()
    plan = shop.plan()
    assert not plan.has_changes
    assert {each.known for each in plan} == {"last_run"}
    assert [each.reasons for each in plan] == [(), (), ()]


def test_a_column_that_leaves_is_padded_and_a_new_one_is_added(shop: Workshop) -> None:
    shop.carry_out()
    shop.model("staging.orders", "SELECT id, amount, note FROM raw.orders")
    plan = shop.of("staging.orders")
    assert schema(plan) == {
        "added": [{"name": "note", "type": "string"}],
        "padded": [{"name": "coupon", "type": "string", "new": True}],
    }
    assert [reason.code for reason in plan.reasons] == ["sql_changed", "schema"]
    assert "CAST(NULL AS STRING) AS `coupon`" in plan.sql[0]


def test_those_who_read_a_column_that_left_are_told_that_it_will_be_null(shop: Workshop) -> None:
    shop.carry_out()
    shop.model("staging.orders", "SELECT id, amount, note FROM raw.orders")
    plans = {str(each.model): each for each in shop.plan()}
    reached = [
        (str(each.model), each.column, each.cause, each.effect)
        for each in plans["staging.orders"].downstream
    ]
    assert reached == [
        ("marts.revenue", "coupon", "coupon", "null"),
        ("marts.daily", "coupon", "coupon", "null"),
    ]
    (warning,) = plans["marts.daily"].warnings
    assert warning == (
        "column `coupon` is made of `staging.orders.coupon`, which will be NULL:"
        " the model `staging.orders` no longer has it"
    )
    assert plans["marts.daily"].status == "unchanged"


def test_a_star_picks_a_new_column_up_from_the_table_that_will_be(shop: Workshop) -> None:
    shop.carry_out()
    shop.model("marts.revenue", f"{REVENUE.replace('coupon', 'coupon, id * 2 AS twice')}")
    plans = {str(each.model): each for each in shop.plan()}
    assert schema(plans["marts.daily"]) == {"added": [{"name": "twice", "type": "bigint"}]}
    (reached,) = plans["marts.revenue"].downstream
    assert (str(reached.model), reached.column, reached.effect) == ("marts.daily", "twice", "new")
    assert [reason.code for reason in plans["marts.daily"].reasons] == [
        "upstream_changed",
        "schema",
    ]


def test_a_wider_column_widens_what_is_made_of_it(shop: Workshop) -> None:
    shop.carry_out()
    shop.model("staging.orders", ORDERS.replace("amount,", "CAST(amount AS BIGINT) AS amount,"))
    plans = {str(each.model): each for each in shop.plan()}
    assert schema(plans["staging.orders"]) == {
        "widened": [{"name": "amount", "from": "int", "to": "bigint"}]
    }
    for model in ("marts.revenue", "marts.daily"):
        assert schema(plans[model]) == {
            "widened": [{"name": "total", "from": "int", "to": "bigint"}]
        }


def test_a_refused_change_has_remedies_and_blocks_those_after_it(shop: Workshop) -> None:
    shop.carry_out()
    shop.model("staging.orders", ORDERS.replace("amount,", "'much' AS amount,"))
    plan = shop.plan()
    assert plan.is_refused
    refused, *others = plan.models
    (refusal,) = refused.growth.refused if refused.growth else ()
    assert refusal.code == "type_change"
    assert any("on_type_change" in remedy for remedy in refusal.remedies)
    assert refused.sql == ()
    assert [each.status for each in others] == ["blocked", "blocked"]
    assert {each.effect for each in refused.downstream} == {"refused"}


def test_policies_decide_what_those_after_a_model_find(shop: Workshop) -> None:
    shop.carry_out()
    side = '/* lakeport\non_type_change = "side_column"\n*/\n'
    shop.model("staging.orders", side + ORDERS.replace("amount,", "'much' AS amount,"))
    shop.model("marts.daily", "SELECT * FROM staging.orders")
    plans = {str(each.model): each for each in shop.plan()}
    assert schema(plans["staging.orders"])["added"] == [
        {"name": "amount__string", "type": "string"}
    ]
    # Its own column `total` is padded, and it gets what the table of orders will have.
    added = [each["name"] for each in schema(plans["marts.daily"])["added"]]  # type: ignore[attr-defined]
    assert added == ["amount", "amount__string"]


def test_a_padded_column_is_news_only_once(shop: Workshop) -> None:
    shop.carry_out()
    shop.model("staging.orders", "SELECT id, amount FROM raw.orders")
    shop.carry_out()
    plan = shop.of("staging.orders")
    assert schema(plan) == {"padded": [{"name": "coupon", "type": "string", "new": False}]}
    assert plan.status == "unchanged"
    assert plan.downstream == ()


def test_settings_that_change_are_told_from_a_query_that_does(shop: Workshop) -> None:
    shop.carry_out()
    shop.model("staging.orders", f'/* lakeport\nunique_key = "id"\n*/\n{ORDERS}')
    plan = shop.of("staging.orders")
    assert [reason.code for reason in plan.reasons] == ["settings_changed"]
    assert plan.strategy == "delete_insert"
    assert plan.sql[0].startswith("MERGE INTO `lake`.`staging`.`orders`")


def test_a_required_column_that_leaves_is_refused_unless_it_may_be_relaxed(
    tmp_path: Path,
) -> None:
    shop = Workshop.in_folder(tmp_path, shop__people="SELECT 1 AS id")
    shop.table("shop.people", required=("name",), id="int", name="string")
    plan = shop.of("shop.people")
    assert plan.growth is not None
    assert [each.code for each in plan.growth.refused] == ["removed_required"]
    assert plan.rules == ("NOT NULL (name)",)
    shop.model("shop.people", '/* lakeport\non_removed_required = "relax"\n*/\nSELECT 1 AS id')
    assert schema(shop.of("shop.people")) == {
        "relaxed": [{"name": "name"}],
        "padded": [{"name": "name", "type": "string", "new": True}],
    }


def test_a_model_that_is_not_selected_stays_as_it_is(shop: Workshop) -> None:
    shop.carry_out()
    shop.model("marts.revenue", REVENUE.replace("coupon", "coupon, id * 2 AS twice"))
    (plan,) = shop.plan("marts.daily").models
    assert schema(plan) == {}
    assert plan.status == "unchanged"


def test_a_model_that_reads_what_is_not_built_says_so(shop: Workshop) -> None:
    (plan,) = shop.plan("marts.revenue").models
    (obstacle,) = plan.obstacles
    assert obstacle.code == "missing_upstream"
    assert obstacle.hint == "select it too: --select +marts.revenue"


def test_a_key_that_the_model_lacks_is_refused_as_a_run_would(shop: Workshop) -> None:
    shop.model("staging.orders", f'/* lakeport\nunique_key = "nummer"\n*/\n{ORDERS}')
    plan = shop.of("staging.orders")
    assert plan.status == "refused"
    assert "`nummer`" in plan.obstacles[0].message


def test_an_audit_of_a_column_that_the_rows_lack_is_refused_as_a_run_would(shop: Workshop) -> None:
    audits = '{ not_null = ["idd"] }, { unique = "kupon", severity = "warn" }, { unique = "ID" }'
    shop.model("staging.orders", f"/* lakeport\naudits = [{audits}]\n*/\n{ORDERS}")
    plan = shop.of("staging.orders")
    assert [(each.message, each.hint) for each in plan.obstacles] == [
        (
            "models/staging/orders.sql:2: for its audit `not_null_idd` the model has no column `idd`",
            "did you mean `id`? columns: amount, coupon, id",
        )
    ]
    assert plan.warnings == (
        "models/staging/orders.sql:2: for its audit `unique_kupon` the model has no column `kupon`",
    )


@pytest.mark.parametrize(
    ("term", "told"),
    [
        ("dayy(id)", "for its partitioned_by: `dayy(id)` is no transform"),
        ("day", "for its partitioned_by: the table has no column `day`"),
        ("truncate(4, coupon)", None),
    ],
)
def test_partitions_that_cannot_be_are_refused(shop: Workshop, term: str, told: str | None) -> None:
    shop.model("staging.orders", f'/* Lakeport\npartitioned_by = "{term}"\n*/\n{ORDERS}')
    found = [each.message for each in shop.of("staging.orders").obstacles]
    assert found == ([] if told is None else [told])


def test_an_audit_on_a_branch_is_asked_of_the_whole_table(shop: Workshop) -> None:
    shop.carry_out()
    settings = '/* lakeport\npublish = "branch"\naudits = [{ not_null = ["coupon"] }]\n*/'
    shop.model("staging.orders", f"{settings}\nSELECT id, amount FROM raw.orders")
    assert shop.of("staging.orders").status == "changed"


def test_a_source_that_grows_changes_a_star_that_nobody_touched(tmp_path: Path) -> None:
    shop = Workshop.in_folder(tmp_path, staging__people="SELECT * FROM raw.people")
    shop.table("raw.people", id="bigint")
    shop.carry_out()
    shop.alter("raw.people", AddColumn(pa.field("born", pa.date32())))
    plan = shop.of("staging.people")
    assert schema(plan) == {"added": [{"name": "born", "type": "date"}]}
    assert [reason.code for reason in plan.reasons] == ["schema"]


def test_an_existing_table_is_adopted(tmp_path: Path) -> None:
    shop = Workshop.in_folder(tmp_path, shop__people="SELECT 1 AS id, 'x' AS name")
    shop.table("shop.people", PrimaryKey(("id",)), Check("id > 0", "positive"), id="int")
    plan = shop.of("shop.people")
    assert not plan.creates
    assert next(reason.text for reason in plan.reasons).startswith("the table is there")
    assert plan.rules == ("PRIMARY KEY (id)", "CHECK (id > 0)")
    assert "CREATE OR REPLACE BRANCH" in plan.sql[0]


def test_an_environment_maps_models_and_nothing_else(tmp_path: Path) -> None:
    shop = Workshop.in_folder(
        tmp_path,
        '[pipeline.environments.dev]\nprefix = "dev_"\n',
        staging__orders="SELECT id FROM raw.orders",
        marts__revenue="SELECT id FROM staging.orders",
    )
    shop.table("raw.orders", id="bigint")
    shop.carry_out()
    plan = shop.of("marts.revenue", environment="dev")
    assert str(plan.table) == "dev_marts.revenue"
    assert plan.creates
    assert plan.query == "SELECT id FROM `lake`.`dev_staging`.`orders`"
    source = shop.of("staging.orders", environment="dev").query
    assert source == "SELECT id FROM `lake`.`raw`.`orders`"
    shop.carry_out(environment="dev")
    assert not shop.plan(environment="dev").has_changes


def test_ephemeral_models_and_views_have_no_table_to_grow(tmp_path: Path) -> None:
    shop = Workshop.in_folder(
        tmp_path,
        one__base='/* lakeport\nmaterialized = "ephemeral"\n*/\nSELECT 1 AS a',
        one__shown='/* lakeport\nmaterialized = "view"\n*/\nSELECT a FROM one.base',
        one__kept="SELECT a FROM one.base",
    )
    plans = {each.model.table: each for each in shop.plan()}
    assert plans["base"].growth is None
    assert plans["base"].status == "unchanged"
    assert plans["shown"].creates
    (made,) = plans["shown"].sql
    assert made.startswith("CREATE OR REPLACE VIEW `lake`.`one`.`shown`\nTBLPROPERTIES (")
    assert made.endswith("\nAS\nSELECT a FROM (\nSELECT 1 AS a\n) AS `base`")
    assert plans["kept"].query == "SELECT a FROM (\nSELECT 1 AS a\n) AS `base`"
    assert schema(plans["kept"]) == {"added": [{"name": "a", "type": "int"}]}


def test_a_changed_ephemeral_model_is_asked_for_its_columns_again(tmp_path: Path) -> None:
    head = '/* lakeport\nmaterialized = "ephemeral"\n*/\n'
    shop = Workshop.in_folder(
        tmp_path, one__base=f"{head}SELECT 1 AS a", one__kept="SELECT * FROM one.base"
    )
    shop.carry_out()
    shop.model("one.base", f"{head}SELECT 1 AS a, 'x' AS b")
    assert schema(shop.of("one.kept")) == {"added": [{"name": "b", "type": "string"}]}


def test_a_python_model_is_known_by_its_last_run_only(tmp_path: Path) -> None:
    shop = Workshop.in_folder(tmp_path)
    code = "def model(context):\n    return context.spark.sql('SELECT 1 AS a')\n"
    shop.model("one.made", code, ending="py")
    (plan,) = shop.plan().models
    assert (plan.growth, plan.columns, plan.status) == (None, None, "new")


def test_a_type_that_nobody_knows_is_said_to_be_unknown(tmp_path: Path) -> None:
    shop = Workshop.in_folder(tmp_path, one__made="SELECT 1 AS a, some_function(a) AS b")
    (plan,) = shop.plan().models
    assert plan.unknown == ("b",)
    assert plan.sql == ()
    assert schema(plan) == {"added": [{"name": "a", "type": "int"}]}


def test_the_interval_goes_on_where_the_last_run_ended(tmp_path: Path) -> None:
    shop = Workshop.in_folder(
        tmp_path,
        one__made='/* lakeport\nlookback = "1d"\n*/\nSELECT id FROM raw.t WHERE at >= :start',
    )
    shop.table("raw.t", id="int", at="timestamp")
    interval = shop.of("one.made").interval
    assert interval is not None
    assert interval.start.isoformat() == "1970-01-01T00:00:00+00:00"


def test_a_selector_that_means_nothing_is_an_error(shop: Workshop) -> None:
    with pytest.raises(NotFoundError, match="revenu"):
        shop.plan("revenu")


def test_modified_models_are_those_whose_files_changed(shop: Workshop) -> None:
    shop.carry_out()
    assert shop.plan("state:modified").models == ()
    shop.model("marts.revenue", f"{REVENUE} WHERE id > 0")
    found = [str(each.model) for each in shop.plan("state:modified+")]
    assert found == ["marts.revenue", "marts.daily"]


def test_a_bare_null_is_news_only_once(tmp_path: Path) -> None:
    shop = Workshop.in_folder(tmp_path, one__made="SELECT 1 AS id, NULL AS later")
    shop.carry_out()
    plan = shop.of("one.made")
    assert plan.status == "unchanged"
    assert plan.growth is not None
    assert [each.path for each in plan.growth.padded] == [("later",)]
    shop.model("one.made", "SELECT 1 AS id, 'now' AS later")
    shop.carry_out()
    shop.model("one.made", "SELECT 1 AS id, NULL AS later")
    assert [each.path for each in shop.of("one.made").newly_padded] == [("later",)]


def test_a_view_has_the_types_that_a_catalog_can_keep(tmp_path: Path) -> None:
    head = '/* lakeport\nmaterialized = "view"\n*/\n'
    shop = Workshop.in_folder(
        tmp_path,
        one__seen=f"{head}SELECT CAST(1 AS TINYINT) AS n, named_struct('s', 2S) AS s, NULL AS v",
        two__read="SELECT n, s.s + n AS sum FROM one.seen",
    )
    plans = {str(each.model): each for each in shop.plan()}
    seen = plans["one.seen"].as_dict()["columns"]
    assert seen == [
        {"name": "n", "type": "int"},
        {"name": "s", "type": "struct<s:int>"},
        {"name": "v", "type": "void"},
    ]
    assert schema(plans["two.read"])["added"] == [
        {"name": "n", "type": "int"},
        {"name": "sum", "type": "int"},
    ]
    shop.model("one.seen", f"{head}SELECT INTERVAL 1 DAY AS n")
    refused = shop.of("one.seen")
    assert refused.status == "refused"
    (obstacle,) = refused.obstacles
    assert obstacle.message == "column `n` has the type interval day, which no view can have"


def test_a_field_that_left_is_news_only_once(tmp_path: Path) -> None:
    made = "SELECT named_struct('a', 1, 'b', array(named_struct('c', 2, 'd', 3))) AS s"
    shop = Workshop.in_folder(tmp_path, one__made=made)
    shop.carry_out()
    shop.model("one.made", made.replace(", 'd', 3", ", 'e', 4"))
    changed = shop.of("one.made")
    assert [each.path for each in changed.newly_padded] == [("s", "b", "element", "d")]
    shop.carry_out()
    assert shop.of("one.made").status == "unchanged"
    shop.model("one.made", "SELECT named_struct('a', 1) AS s")
    assert [each.path for each in shop.of("one.made").newly_padded] == [("s", "b")]


def test_an_ephemeral_model_that_changes_is_told_and_so_are_its_readers(tmp_path: Path) -> None:
    head = '/* lakeport\nmaterialized = "ephemeral"\n*/\n'
    shop = Workshop.in_folder(
        tmp_path, one__base=f"{head}SELECT 1 AS a", one__kept="SELECT * FROM one.base"
    )
    shop.carry_out()
    assert not shop.plan().has_changes
    shop.model("one.base", f"{head}SELECT 2 AS a")
    plans = {each.model.table: each for each in shop.plan()}
    assert plans["base"].status == "changed"
    assert [reason.text for reason in plans["base"].reasons] == ["its query changed"]
    assert [reason.text for reason in plans["kept"].reasons] == ["`one.base` changes before it"]
    shop.carry_out()
    assert not shop.plan().has_changes
