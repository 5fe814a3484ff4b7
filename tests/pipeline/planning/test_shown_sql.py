"""The queries that a plan shows are those that a run sends: with the tables that it really reads."""

from __future__ import annotations

from pathlib import Path

from tests.pipeline.planning.workshop import Workshop


def test_names_without_a_namespace_are_shown_as_the_tables_that_are_read(tmp_path: Path) -> None:
    shop = Workshop.in_folder(
        tmp_path,
        '[pipeline.environments.dev]\nprefix = "dev_"\n',
        staging__orders="SELECT id FROM raw.orders",
        marts__late="SELECT orders.id FROM orders WHERE orders.id > 1;",
        marts__log="SELECT snapshot_id FROM staging.orders.snapshots",
    )
    shop.table("raw.orders", id="bigint")
    shop.carry_out("staging.orders")
    assert (
        shop.of("marts.late", environment="dev").query
        == "SELECT orders.id FROM `lake`.`dev_staging`.`orders` WHERE orders.id > 1"
    )
    log = shop.of("marts.log", environment="dev").query
    assert log == "SELECT snapshot_id FROM `lake`.`dev_staging`.`orders`.`snapshots`"


def test_models_that_are_published_together_read_the_branches_of_the_run(tmp_path: Path) -> None:
    shop = Workshop.in_folder(
        tmp_path,
        a__one="SELECT id FROM raw.orders",
        a__seen='/* lakeport\nmaterialized = "view"\n*/\nSELECT id FROM a.one',
        a__two="SELECT one.id FROM a.one JOIN raw.orders USING (id)",
        a__three="SELECT id FROM a.seen",
    )
    shop.table("raw.orders", id="bigint")
    plans = {each.model.table: each for each in shop.plan(publish="run-atomic")}
    branch = "`branch_lakeport_RUN`"
    assert branch in plans["one"].sql[0]
    assert plans["one"].query == "SELECT id FROM `lake`.`raw`.`orders`"
    assert plans["two"].query == (
        f"SELECT one.id FROM `lake`.`a`.`one`.{branch} AS `one`"
        " JOIN `lake`.`raw`.`orders` USING (id)"
    )
    # What is stored of a view knows no branch; whoever reads it in this run reads its query.
    assert branch not in plans["seen"].sql[0]
    assert plans["three"].query == (
        f"SELECT id FROM (\nSELECT id FROM `lake`.`a`.`one`.{branch} AS `one`\n) AS `seen`"
    )
    direct = {each.model.table: each for each in shop.plan()}
    assert direct["two"].query == plans["two"].query.replace(f".{branch} AS `one`", "")
