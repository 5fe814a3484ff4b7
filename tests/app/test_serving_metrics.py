"""What Prometheus reads of a running server: every family, and no label that a caller can invent."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from prometheus_client.parser import text_string_to_metric_families

import lakeport
from lakeport import open as opened
from lakeport.airport.service import REGISTRY
from lakeport.app.serve import running
from lakeport.app.settings import load
from lakeport.flight.messages import Action, FlightDescriptor
from lakeport.web.app import build
from tests.flight.raw import RawClient

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "metrics.md"
ACTIONS = {each.type for each in REGISTRY}


class Scraped:
    def __init__(self, text: str) -> None:
        self.families = {each.name: each for each in text_string_to_metric_families(text)}

    def value(self, name: str, **labels: str) -> float:
        samples = (sample for each in self.families.values() for sample in each.samples)
        (found,) = (one.value for one in samples if one.name == name and one.labels == labels)
        return float(found)

    def labels(self, name: str) -> set[str]:
        samples = (sample for each in self.families.values() for sample in each.samples)
        return {value for one in samples for key, value in one.labels.items() if key == name}


@contextmanager
def serving(folder: Path, **limits: int) -> Iterator[tuple[RawClient, Any]]:
    """A client, and a function that scrapes."""
    (folder / "lakeport.toml").write_text("")
    with opened(folder) as lake:
        rows = pa.table({"id": [1, 2, 3]})
        lake.create_table("shop.orders", rows.schema).append(rows)
    flags = {"server.grpc": "127.0.0.1:0", "server.http": "127.0.0.1:0"}
    flags |= {f"server.limits.{name}": str(value) for name, value in limits.items()}
    with running(load(project=folder, flags=flags, variables={}), build) as server:

        def scrape() -> Scraped:
            connection = http.client.HTTPConnection(server.http.removeprefix("http://"), timeout=30)
            with closing(connection):
                connection.request("GET", "/metrics")
                return Scraped(connection.getresponse().read().decode())

        with RawClient(server.grpc.removeprefix("grpc://")) as client:
            yield client, scrape


def test_calls_are_counted_by_method_action_and_code(tmp_path: Path) -> None:
    with serving(tmp_path) as (client, scrape):
        client.ask("DoAction", Action("GetSchemas", b"{}").encode())
        client.failure("DoAction", Action("GetTables", b'{"schema_name": "nowhere"}').encode())
        client.ask("GetSchema", FlightDescriptor(path=("shop", "orders")).encode())
        found = scrape()
    counted = "lakeport_calls_total"
    assert found.value(counted, method="DoAction", action="GetSchemas", code="OK") == 1
    assert found.value(counted, method="DoAction", action="GetTables", code="NOT_FOUND") == 1
    assert found.value(counted, method="GetSchema", action="", code="OK") == 1
    seconds = "lakeport_call_seconds_count"
    assert found.value(seconds, method="DoAction", action="GetSchemas") == 1
    assert found.value("lakeport_calls_running", method="DoAction") == 0


def test_a_caller_cannot_invent_a_label(tmp_path: Path) -> None:
    with serving(tmp_path) as (client, scrape):
        for name in ("drop everything", "shop.orders", "GetTables "):
            client.failure("DoAction", Action(name).encode(), [("airport-action-name", name)])
        found = scrape()
    assert found.labels("action") <= ACTIONS | {""}
    unknown = {"method": "DoAction", "action": "", "code": "UNIMPLEMENTED"}
    assert found.value("lakeport_calls_total", **unknown) == 3


def test_refusals_are_counted_by_their_limit(tmp_path: Path) -> None:
    with serving(tmp_path, action_bytes=1024) as (client, scrape):
        client.failure("DoAction", Action("GetSchemas", bytes(2_000)).encode())
        assert scrape().value("lakeport_calls_refused_total", limit="action_bytes") == 1


def test_caches_tell_what_they_hold_and_save(tmp_path: Path) -> None:
    path = FlightDescriptor(path=("shop", "orders")).encode()
    with serving(tmp_path) as (client, scrape):
        client.ask("GetSchema", path)
        first = scrape()
        client.ask("GetSchema", path)
        second = scrape()
    of_metadata = {"catalog": "lake", "cache": "metadata"}
    assert first.value("lakeport_cache_misses_total", **of_metadata) == 1
    assert second.value("lakeport_cache_misses_total", **of_metadata) == 1
    hits = "lakeport_cache_hits_total"
    assert second.value(hits, **of_metadata) > first.value(hits, **of_metadata)
    assert second.value("lakeport_cache_bytes", **of_metadata) > 0
    assert second.value("lakeport_cache_entries", **of_metadata) == 1
    assert "manifests" in second.labels("cache")


def test_what_runs_is_told(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, scrape):
        found = scrape()
    assert found.labels("version") == {lakeport.__version__}
    assert found.value("lakeport_audit_dropped_total") == 0
    assert found.value("process_resident_memory_bytes") > 0


def test_every_family_is_documented_and_no_other(tmp_path: Path) -> None:
    documented = set(re.findall(r"^\| `(lakeport_[a-z_]+)", PAGE.read_text(), re.MULTILINE))
    with serving(tmp_path) as (_, scrape):
        families = {each for each in scrape().families if each.startswith("lakeport_")}
    # The client's library adds to each counter when it was made.
    exposed = {name for name in families if not name.endswith("_created")}
    assert {name.removesuffix("_total") for name in documented} == exposed
