from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.pipeline.session.command import Place, command, cores, properties, settings
from lakeport.pipeline.session.options import SparkOptions

OPTIONS = SparkOptions(Path("/cache"), Path("/log"), master="local[3]")
PLACE = Place(Path("/jdk/java"), Path("/spark"), Path("/scratch"), (Path("/jars/iceberg.jar"),))


def line(options: SparkOptions = OPTIONS, **variables: str) -> list[str]:
    return command(options, PLACE, variables)


def test_the_jars_come_first_on_the_class_path_and_each_once() -> None:
    told = line()
    assert told[:3] == ["/jdk/java", "-cp", "/jars/iceberg.jar:/spark/jars/*"]
    assert told[-1] == "pyspark-shell"


def test_the_folders_of_clusters_are_on_the_class_path() -> None:
    path = line(HADOOP_CONF_DIR="/etc/hadoop", SPARK_CONF_DIR="/etc/spark")[2]
    assert path.split(os.pathsep) == [
        "/jars/iceberg.jar", "/etc/spark", "/etc/hadoop", "/spark/jars/*"
    ]  # fmt: skip


def test_quick_has_one_compiler_and_one_collector_and_throughput_what_java_has() -> None:
    quick = {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"}
    assert quick <= set(line())
    assert not quick & set(line(replace(OPTIONS, profile="throughput")))


def test_a_collector_that_somebody_wants_is_the_only_one() -> None:
    wanted = {"spark.driver.extraJavaOptions": "-XX:+UseG1GC -XX:TieredStopAtLevel=4"}
    told = line(replace(OPTIONS, conf=wanted))
    assert [part for part in told if part.endswith("GC")] == ["-XX:+UseG1GC"]
    assert [part[-1] for part in told if "TieredStopAtLevel" in part] == ["1", "4"]


def test_a_crash_is_written_down_beside_the_log() -> None:
    assert "-XX:ErrorFile=/log.%p.crash" in line()


def test_a_module_that_small_runtimes_lack_is_not_asked_for() -> None:
    assert not any("incubator" in part for part in line())


def test_what_spark_says_about_its_jvm_holds_for_the_one_that_is_started() -> None:
    conf = {
        "spark.driver.memory": "3g",
        "spark.driver.extraJavaOptions": '-Da=b "-Dc=d e"',
        "spark.driver.extraClassPath": "/more.jar",
    }
    told = line(replace(OPTIONS, conf=conf))
    assert {"-Xmx3g", "-Da=b", "-Dc=d e"} <= set(told)
    assert told[2] == "/jars/iceberg.jar:/more.jar:/spark/jars/*"


def test_no_value_of_a_setting_is_an_argument() -> None:
    secret = "hush"  # noqa: S105
    told = line(replace(OPTIONS, conf={"spark.hadoop.fs.s3a.secret.key": secret}))
    assert not any(secret in part for part in told)


def test_the_user_s_settings_win_and_extensions_are_joined() -> None:
    conf = {
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.extensions": "my.Extension",
        "spark.sql.shuffle.partitions": "7",
    }
    told = settings(replace(OPTIONS, conf=conf), PLACE)
    assert told["spark.sql.session.timeZone"] == "Asia/Tokyo"
    assert told["spark.sql.shuffle.partitions"] == "7"
    assert told["spark.sql.extensions"] == (
        "my.Extension,org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
    )


def test_quick_has_no_page_and_a_partition_for_each_core() -> None:
    told = settings(OPTIONS, PLACE)
    assert told["spark.ui.enabled"] == "false"
    assert told["spark.sql.shuffle.partitions"] == "3"


def test_on_this_machine_nothing_listens_beyond_it() -> None:
    told = settings(OPTIONS, PLACE)
    assert told["spark.driver.host"] == told["spark.driver.bindAddress"] == "127.0.0.1"
    assert "spark.jars" not in told


def test_executors_of_a_cluster_get_the_jars_and_find_the_driver() -> None:
    told = settings(replace(OPTIONS, master="spark://host:7077", profile="throughput"), PLACE)
    assert told["spark.jars"] == "/jars/iceberg.jar"
    assert "spark.driver.host" not in told
    more = replace(
        OPTIONS, master="spark://host:7077", profile="throughput", conf={"spark.jars": "/my.jar"}
    )
    assert settings(more, PLACE)["spark.jars"] == "/jars/iceberg.jar,/my.jar"
    assert "spark.sql.shuffle.partitions" not in told


@pytest.mark.parametrize(
    ("master", "expected"), [("local", 1), ("local[4]", 4), ("local[2, 3]", 2), ("local[*]", None)]
)
def test_cores_of_a_local_master(master: str, expected: int | None) -> None:
    assert cores(master) == (expected or os.cpu_count())


def test_properties_survive_java_s_reading() -> None:
    told = {"a key": " b=c:d#e!", "back\\slash": "line\nnext\ttab", "plain": "é"}
    assert properties(told) == (
        "a\\ key=\\ b\\=c\\:d\\#e\\!\nback\\\\slash=line\\nnext\\ttab\nplain=é\n"
    )
