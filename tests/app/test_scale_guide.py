"""The guide to clusters, services and several machines: what it tells to write is what the settings take."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from lakeport.app.settings import Settings
from lakeport.app.spark import spark_options
from lakeport.app.wiring import profile_of
from lakeport.pipeline.session.contradictions import require_agreement
from lakeport.pipeline.session.jars import RUNTIME, VERSIONS, Artifact
from lakeport.state.heartbeat import EVERY_SECONDS
from lakeport.state.leases import TTL_SECONDS

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "scale.md"
TEXT = GUIDE.read_text()
EXAMPLES = [
    textwrap.dedent(block)
    for block in re.findall(r"^ *```toml\n(.*?)^ *```", TEXT, re.DOTALL | re.MULTILINE)
]
GLUE, CLUSTER, CONNECT, ROLE, SEVERAL = EXAMPLES

Read = Callable[..., Settings]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_a_project_whose_spark_could_be_started(read: Read, example: str) -> None:
    settings = read(example)
    require_agreement(spark_options(settings))
    assert profile_of(settings).name == "lake"


def test_glue_is_a_service_whose_files_are_in_s3(read: Read) -> None:
    settings = read(GLUE)
    profile = profile_of(settings)
    assert (profile.type, profile.warehouse) == ("rest", "111122223333")
    assert profile.properties["lakeport.table-location"].startswith("s3://")
    assert spark_options(settings).s3


def test_a_cluster_is_tuned_for_volume_and_never_quick(read: Read) -> None:
    settings = read(CLUSTER)
    options = spark_options(settings)
    assert (options.is_local, options.profile) == (False, "throughput")
    assert (settings.pipeline.workers, options.conf["spark.executor.memory"]) == (4, "8g")


def test_spark_connect_comes_in_by_the_door_of_a_server(read: Read) -> None:
    settings = read(CONNECT, variables={"LAKEPORT_PIPELINE_TOKEN": "secret"})
    assert spark_options(settings).connect == "sc://spark.example.com:15002/;use_ssl=true"
    assert settings.pipeline.door == "https://lake.example.com/iceberg"
    assert settings.pipeline.token == "secret"  # noqa: S105  of nobody
    assert "LAKEPORT_PIPELINE_TOKEN" in TEXT
    assert Artifact(RUNTIME, VERSIONS[0]).coordinates in TEXT


def test_roles_are_said_in_spark_s_own_words(read: Read) -> None:
    (key,) = spark_options(read(ROLE)).conf
    assert key == "spark.sql.catalog.lake.client.factory"


def test_machines_share_catalog_and_state(read: Read) -> None:
    settings = read(SEVERAL)
    assert profile_of(settings).type == "sql"
    assert (settings.state.uri or "").startswith("postgresql+psycopg2://")
    assert spark_options(settings).s3


def test_the_times_and_sizes_it_promises_are_ours(read: Read) -> None:
    told = re.search(
        r"renewed every (\d+) seconds and ends (\d+) seconds after", " ".join(TEXT.split())
    )
    assert told is not None
    assert (float(told[1]), float(told[2])) == (EVERY_SECONDS, TTL_SECONDS)
    assert spark_options(read("")).profile == "quick"
