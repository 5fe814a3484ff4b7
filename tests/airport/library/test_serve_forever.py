"""A program that serves until it is told to end."""

from __future__ import annotations

import signal
import subprocess
import sys

import pyarrow.flight as fl

PROGRAM = """
from lakeport.airport import Catalog, Server

demo = Catalog("demo")
demo.schema("s").table("t", [{"n": 1}])
Server(demo).serve_forever()
"""


def test_it_greets_serves_and_ends_when_told() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        greeting = [server.stdout.readline().strip() for _ in range(3)]
        location = greeting[0].removeprefix("serving at ")
        assert greeting[2] == f"ATTACH 'demo' AS \"demo\" (TYPE airport, LOCATION '{location}');"
        with fl.connect(location) as client:
            info = client.get_flight_info(fl.FlightDescriptor.for_path("s", "t"))
            assert client.do_get(info.endpoints[0].ticket).read_all().num_rows == 1
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
