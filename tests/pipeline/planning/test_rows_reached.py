"""Models that only choose, join, gather or sort their rows by a column are told when it changes, too."""

from __future__ import annotations

from pathlib import Path

from tests.pipeline.planning.workshop import Workshop


def test_rows_that_a_column_decides_about_are_told(tmp_path: Path) -> None:
    shop = Workshop.in_folder(
        tmp_path,
        '[pipeline.defaults]\nstrategy = "append"\n',
        a__orders="SELECT id, status, region, day FROM raw.orders",
        b__shown="SELECT id, upper(region) AS region FROM a.orders",
        b__paid="SELECT id FROM orders WHERE status = 'paid' ORDER BY day",
        b__days="WITH d AS (SELECT date(day) AS d FROM a.orders) SELECT count(*) AS n FROM d GROUP BY d",
        c__east="SELECT p.id FROM b.paid AS p JOIN b.shown AS s ON p.id = s.id AND s.region = 'E'",
        c__far="SELECT id FROM c.east",
    )
    shop.table("raw.orders", id="bigint", status="string", region="string", day="date")
    shop.model(
        "b.code", "SETTINGS = {'depends_on': ['a.orders']}\ndef model(context): ...", ending="py"
    )
    shop.carry_out()
    shop.model("a.orders", "SELECT id, 'new' AS fresh FROM raw.orders")
    plan = shop.of("a.orders")
    assert [(str(e.model), e.column, e.cause) for e in plan.downstream] == [
        ("b.shown", "region", "region")
    ]
    reached = {(str(e.model), e.cause): e for e in plan.downstream_rows}
    assert {key: each.uses for key, each in reached.items()} == {
        ("b.paid", "status"): ("filter",),
        ("b.paid", "day"): ("order",),
        ("b.days", "day"): ("group",),
        ("c.east", "region"): ("join",),
        ("b.code", "status"): (),
        ("b.code", "region"): (),
        ("b.code", "day"): (),
    }
    assert {each.effect for each in plan.downstream_rows} == {"null"}
    east = reached["c.east", "region"]
    assert [f"{table}.{column}" for table, column in east.through] == ["b.shown.region"]
    assert not east.approximate
    gone = "which will be NULL for new rows: the model `a.orders` no longer has it"
    assert shop.of("b.paid").warnings == (
        f"its rows depend (filter) on `a.orders.status`, {gone}",
        f"its rows depend (order) on `a.orders.day`, {gone}",
    )
    assert shop.of("c.far").warnings == ()


def test_keys_that_are_shown_are_told_as_columns_alone(tmp_path: Path) -> None:
    shop = Workshop.in_folder(
        tmp_path,
        a__orders="SELECT id, region, status FROM raw.orders",
        b__regions="SELECT region, count(*) AS n FROM a.orders GROUP BY region ORDER BY region",
        b__chosen="SELECT region, count(*) AS n FROM a.orders WHERE region > 'a' GROUP BY region",
    )
    shop.table("raw.orders", id="bigint", region="string", status="string")
    shop.carry_out()
    shop.model("a.orders", "SELECT id, status FROM raw.orders")
    plan = shop.of("a.orders")
    assert [str(each.model) for each in plan.downstream] == ["b.chosen", "b.regions"]
    assert [(str(each.model), each.uses) for each in plan.downstream_rows] == [
        ("b.chosen", ("filter", "group"))
    ]
