from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lakeport.app.settings import Settings
from lakeport.app.spark import VOLUME, fresh_spark_options, spark_options
from lakeport.core.errors import ConfigurationError
from lakeport.pipeline.session.daemon import fingerprint

Read = Callable[..., Settings]


def test_spark_is_started_as_lakeport_toml_says(read: Read) -> None:
    settings = read(
        '[pipeline]\nprofile = "throughput"\njars = ["a.jar"]\narchive = false\n'
        '[pipeline.spark]\nmaster = "local[3]"\nconf = { "spark.x" = "y" }\n'
    )
    options = spark_options(settings)
    assert options.jars == (settings.root / "a.jar",)
    assert (options.profile, options.master, options.archive) == ("throughput", "local[3]", False)
    assert options.conf == {"spark.x": "y"}
    assert options.log == settings.root / ".lakeport" / "spark.log"


def test_java_home_comes_with_where_it_was_set(read: Read, tmp_path: Path) -> None:
    options = spark_options(read(variables={"JAVA_HOME": str(tmp_path)}))
    assert (options.java_home, options.java_source) == (tmp_path, "JAVA_HOME")


@pytest.mark.parametrize(
    ("spark", "profile"),
    [("", "quick"), ('master = "yarn"', "throughput"), ('master = "local"', "quick")],
)
def test_the_profile_follows_from_where_spark_runs(read: Read, spark: str, profile: str) -> None:
    assert spark_options(read(f"[pipeline.spark]\n{spark}\n")).profile == profile


@pytest.mark.parametrize(
    ("profile", "stored", "taken"),
    [
        ("auto", None, "quick"),
        ("auto", str(VOLUME - 1), "quick"),
        ("auto", f"{VOLUME}\n", "throughput"),
        ("auto", "nonsense", "quick"),
        ("quick", str(VOLUME), "quick"),
        ("throughput", "0", "throughput"),
    ],
)
def test_auto_goes_by_what_the_last_run_stored(
    read: Read, profile: str, stored: str | None, taken: str
) -> None:
    settings = read(f'[pipeline]\nprofile = "{profile}"\n')
    if stored is not None:
        settings.home.mkdir(exist_ok=True)
        (settings.home / "volume").write_text(stored)
    assert fresh_spark_options(settings).profile == taken


def test_a_daemon_matches_whatever_the_last_run_stored(read: Read) -> None:
    settings = read()
    before = fingerprint(spark_options(settings))
    settings.home.mkdir(exist_ok=True)
    (settings.home / "volume").write_text(str(VOLUME))
    assert fingerprint(spark_options(settings)) == before


def test_a_cluster_is_for_volume_whatever_was_stored(read: Read) -> None:
    settings = read('[pipeline.spark]\nmaster = "yarn"\n')
    assert fresh_spark_options(settings).profile == "throughput"


def test_the_profile_remote_needs_a_server(read: Read) -> None:
    with pytest.raises(ConfigurationError, match=r"there is no `pipeline\.spark\.connect`"):
        spark_options(read('[pipeline]\nprofile = "remote"\n'))
    with_server = '[pipeline]\nprofile = "remote"\n[pipeline.spark]\nconnect = "sc://h:1"\n'
    assert spark_options(read(with_server)).connect == "sc://h:1"


@pytest.mark.parametrize(("warehouse", "s3"), [("s3://bucket/lake", True), ("lake", False)])
def test_tables_in_s3_are_seen_by_their_warehouse(read: Read, warehouse: str, *, s3: bool) -> None:
    assert spark_options(read(f'[catalog]\nwarehouse = "{warehouse}"\n')).s3 is s3


@pytest.mark.parametrize(
    ("catalog", "s3"),
    [
        ('type = "rest"\nuri = "https://x"\nwarehouse = "prod"', False),
        ('type = "rest"\nuri = "https://x"\n"s3.region" = "eu-central-1"', True),
        ('type = "rest"\nuri = "https://x"\n"rest.sigv4-enabled" = "true"', True),
        ('type = "glue"', True),
    ],
)
def test_a_service_in_s3_is_seen_by_what_is_said_of_it(
    read: Read, catalog: str, *, s3: bool
) -> None:
    assert spark_options(read(f"[catalog]\n{catalog}\n")).s3 is s3
