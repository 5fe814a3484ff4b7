"""A standalone cluster on loopback: the executors get Iceberg from the driver, and write its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import lakeport
from lakeport.pipeline.session import SparkOptions, start_spark
from tests.spark.session.alone import alone
from tests.spark.session.programs import cluster


def _modelled(options: SparkOptions, folder: Path) -> dict[str, object]:
    (folder / "lakeport.toml").touch()
    with (
        lakeport.open(folder) as lake,
        lake.rest(growth=True) as door,
        start_spark(options) as spark,
    ):
        session = spark.session(door.for_spark())
        session.sql("CREATE NAMESPACE shop")
        session.sql("CREATE TABLE shop.t (id BIGINT, note STRING) USING iceberg")
        session.sql("INSERT INTO shop.t SELECT id, 'first' FROM range(100)")
        session.sql(
            "MERGE INTO shop.t USING (SELECT id, 'second' AS note FROM range(90, 110)) AS s"
            " ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
        (row,) = session.sql("SELECT count(*), count_if(note = 'second') FROM shop.t").collect()
        return {
            "rows": tuple(row),
            "is_local": spark.is_local,
            "master": session.conf.get("spark.master"),
        }


@pytest.mark.long
@pytest.mark.timeout(400)
def test_models_run_on_a_cluster_by_its_master_s_address(
    options: SparkOptions, tmp_path: Path
) -> None:
    with cluster(tmp_path) as url:
        conf = {
            "spark.driver.host": "127.0.0.1",
            "spark.executor.memory": "512m",
            "spark.sql.shuffle.partitions": "1",
        }
        remote = replace(options, master=url, profile="throughput", conf=conf)
        told = alone(_modelled, remote, tmp_path)
    assert told == {"rows": (110, 20), "is_local": False, "master": url}
    assert list((tmp_path / "work").rglob("iceberg-spark-runtime-*.jar"))  # as an executor got it
