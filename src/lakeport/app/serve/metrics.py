"""How busy the server is, for Prometheus: calls, their time and outcome, and what they moved.

Labels are methods, actions of ours, gRPC codes, limits, and names of configured catalogs and their caches:
closed lists all of them. Names of tables and callers would grow without bound, and are nobody's business
who may read metrics; the audit has them.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

import lakeport
from lakeport.catalog.caching import Caching
from lakeport.catalog.ports import Catalog
from lakeport.flight.call import Call, Method

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_OK = "OK"


class CallMetrics:
    """A `flight.call.Watcher`. Every method has its series from the start, so rates begin at zero."""

    def __init__(self, catalogs: Sequence[Catalog], audit_dropped: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        self._running = self._gauge("calls_running", "Calls in progress.", "method")
        self._calls = self._counter("calls", "Calls that ended.", "method", "action", "code")
        self._refused = self._counter("calls_refused", "Calls that a limit ended.", "limit")
        self._bytes = self._counter("bytes", "Bytes moved.", "method", "direction")
        self._rows = self._counter("rows", "Rows moved.", "method", "direction")
        self._seconds = Histogram(
            "lakeport_call_seconds",
            "How long calls took.",
            ("method", "action"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._registry.register(_Held(catalogs, audit_dropped))
        ProcessCollector(registry=self._registry)
        # Looked up once: finding a series by its labels takes longer than counting.
        self._of = {method: self._series(method) for method in Method}

    def began(self, call: Call) -> None:
        self._of[call.method].running.inc()

    def ended(self, call: Call) -> None:
        action = call.action or ""
        series = self._of[call.method]
        series.running.dec()
        self._calls.labels(call.method, action, _OK if call.code is None else call.code.name).inc()
        self._seconds.labels(call.method, action).observe(call.seconds or 0.0)
        if call.limit is not None:
            self._refused.labels(call.limit).inc()
        traffic = call.traffic
        series.bytes_in.inc(traffic.bytes_in)
        series.bytes_out.inc(traffic.bytes_out)
        series.rows_in.inc(traffic.rows_in)
        series.rows_out.inc(traffic.rows_out)

    def exposition(self) -> bytes:
        return generate_latest(self._registry)

    def _series(self, method: Method) -> _Series:
        self._calls.labels(method, "", _OK)
        self._seconds.labels(method, "")
        return _Series(
            self._running.labels(method),
            self._bytes.labels(method, "in"),
            self._bytes.labels(method, "out"),
            self._rows.labels(method, "in"),
            self._rows.labels(method, "out"),
        )

    def _gauge(self, name: str, about: str, *labels: str) -> Gauge:
        return Gauge(f"lakeport_{name}", about, labels, registry=self._registry)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"lakeport_{name}", about, labels, registry=self._registry)


@dataclass(frozen=True, slots=True)
class _Series:
    """Those that every call of a method moves."""

    running: Gauge
    bytes_in: Counter
    bytes_out: Counter
    rows_in: Counter
    rows_out: Counter


class _Held(Collector):
    """What others count; they are asked when somebody looks."""

    def __init__(self, catalogs: Sequence[Catalog], audit_dropped: Callable[[], int]) -> None:
        self._catalogs = catalogs
        self._audit_dropped = audit_dropped

    def collect(self) -> Iterator[Metric]:
        build = {"version": lakeport.__version__, "python": platform.python_version()}
        yield InfoMetricFamily("lakeport_build", "What is running.", build)
        yield CounterMetricFamily(
            "lakeport_audit_dropped",
            "Calls that could not be written to the audit.",
            value=self._audit_dropped(),
        )
        yield from self._caches()

    def _caches(self) -> Iterator[Metric]:
        labels = ("catalog", "cache")
        hits = CounterMetricFamily("lakeport_cache_hits", "Found in memory.", labels=labels)
        misses = CounterMetricFamily("lakeport_cache_misses", "Read anew.", labels=labels)
        held = GaugeMetricFamily("lakeport_cache_bytes", "About what is held.", labels=labels)
        entries = GaugeMetricFamily("lakeport_cache_entries", "How many are held.", labels=labels)
        for catalog in self._catalogs:
            if not isinstance(catalog, Caching):
                continue
            for cache, figures in catalog.cache_figures().items():
                place = (catalog.name, cache)
                hits.add_metric(place, figures.hits)
                misses.add_metric(place, figures.misses)
                held.add_metric(place, figures.bytes)
                entries.add_metric(place, figures.entries)
        yield from (hits, misses, held, entries)
