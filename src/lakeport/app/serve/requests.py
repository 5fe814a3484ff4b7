"""How busy the Iceberg door is, for Prometheus. Labels are actions of ours and statuses: closed lists both."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from lakeport.rest.account import Done

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class RequestMetrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lakeport_rest_requests",
            "Requests of the Iceberg door that ended.",
            ("action", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "lakeport_rest_request_seconds",
            "How long requests of the Iceberg door took.",
            ("action",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._bytes = Counter(
            "lakeport_rest_bytes",
            "Bytes moved by the Iceberg door.",
            ("direction",),
            registry=self._registry,
        )

    def count(self, done: Done) -> None:
        """A `rest.account.Watch`."""
        self._requests.labels(done.action, done.status).inc()
        self._seconds.labels(done.action).observe(done.seconds)
        self._bytes.labels("in").inc(done.bytes_in)
        self._bytes.labels("out").inc(done.bytes_out)

    def exposition(self) -> bytes:
        return generate_latest(self._registry)
