"""A Spark Connect server that is killed at work: told within a quarter of a minute, and closed at once."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from lakeport.core.errors import UnavailableError
from lakeport.pipeline.session import SparkOptions, checkpointed, start_spark
from tests.spark.session.alone import alone
from tests.spark.session.catalogs import QUESTION, catalog_that
from tests.spark.session.programs import connect_server


def _killed(options: SparkOptions, process: int) -> list[str]:
    told = []
    with start_spark(options) as spark:
        with catalog_that(lambda: os.kill(process, signal.SIGKILL)) as settings:
            session = spark.session(settings)
            kept = checkpointed(session.sql("SELECT 1"))
            try:
                session.sql(QUESTION).collect()
            except Exception as error:  # noqa: BLE001  gRPC's, in PySpark's clothes
                told.append(str(spark.gone(error)))
            try:
                spark.session(settings)
            except UnavailableError as error:
                told.append(str(error))
        del kept  # which PySpark wants to tell the server
    return told


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_server_that_is_killed_is_told_in_a_sentence(options: SparkOptions, jar: Path) -> None:
    with connect_server(options, jar) as (process, url):
        told = alone(_killed, replace(options, connect=url, conf={}), process)
    sentence = (
        f"the Spark Connect server at {url} is gone"
        " (see what its own log says; when it is there again, run this again)"
    )
    assert told == [sentence, sentence]


@pytest.mark.long
def test_something_else_at_that_address_is_told_in_a_sentence(options: SparkOptions) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        url = f"sc://127.0.0.1:{server.server_port}"
        try:
            with pytest.raises(UnavailableError) as refused:
                start_spark(replace(options, connect=url, conf={}))
        finally:
            server.shutdown()
            serving.join()
    assert refused.value.message.startswith(f"the Spark Connect server at {url} gives no session: ")
    assert "\n" not in str(refused.value)
    assert "correct `pipeline.spark.connect`" in (refused.value.hint or "")
