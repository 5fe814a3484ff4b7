"""How busy the server is, for Prometheus: calls, their time and outcome, and what they moved.

Labels are methods and gRPC codes only. Names of tables and callers would grow without bound, and are
nobody's business who may read metrics; the audit has them.
"""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from lakeport.flight.call import Call, Method

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_OK = "OK"


class CallMetrics:
    """A `flight.call.Watcher`. Every method has its series from the start, so rates begin at zero."""

    def __init__(self, audit_dropped: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        self._running = Gauge(
            "lakeport_calls_running", "Calls in progress.", ("method",), registry=self._registry
        )
        self._calls = Counter(
            "lakeport_calls", "Calls that ended.", ("method", "code"), registry=self._registry
        )
        self._seconds = Histogram(
            "lakeport_call_seconds",
            "How long calls took.",
            ("method",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._bytes = Counter(
            "lakeport_bytes",
            "Bytes of Arrow data moved.",
            ("method", "direction"),
            registry=self._registry,
        )
        self._rows = Counter(
            "lakeport_rows", "Rows moved.", ("method", "direction"), registry=self._registry
        )
        self._registry.register(_Dropped(audit_dropped))
        for method in Method:
            self._running.labels(method)
            self._calls.labels(method, _OK)
            self._seconds.labels(method)

    def began(self, call: Call) -> None:
        self._running.labels(call.method).inc()

    def ended(self, call: Call) -> None:
        self._running.labels(call.method).dec()
        self._calls.labels(call.method, _OK if call.code is None else call.code.name).inc()
        self._seconds.labels(call.method).observe(call.seconds or 0.0)
        traffic = call.traffic
        for counter, moved_in, moved_out in (
            (self._bytes, traffic.bytes_in, traffic.bytes_out),
            (self._rows, traffic.rows_in, traffic.rows_out),
        ):
            counter.labels(call.method, "in").inc(moved_in)
            counter.labels(call.method, "out").inc(moved_out)

    def exposition(self) -> bytes:
        return generate_latest(self._registry)


class _Dropped(Collector):
    """The audit counts what it lost; it is asked when somebody looks."""

    def __init__(self, dropped: Callable[[], int]) -> None:
        self._dropped = dropped

    def collect(self) -> list[Metric]:
        return [
            CounterMetricFamily(
                "lakeport_audit_dropped",
                "Calls that could not be written to the audit.",
                value=self._dropped(),
            )
        ]
