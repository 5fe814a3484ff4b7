"""The gRPC server: starts, tells its health, and stops within its grace period whatever its clients do."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Self

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from lakeport.core.errors import PreconditionError, UnavailableError
from lakeport.flight.call import Watcher
from lakeport.flight.deadlines import Deadlines
from lakeport.flight.gate import Gate
from lakeport.flight.handlers import SERVICE, Handlers
from lakeport.flight.options import Options
from lakeport.flight.rpc import House
from lakeport.flight.service import FlightService
from lakeport.flight.workers import Workers

_log = logging.getLogger(__name__)

# Beside the calls that may run: refusals, health checks, and the freeing of calls whose client left.
_SPARE_WORKERS = 8
# For calls that were ended to find their way out: about what it takes to read one chunk of a file.
_UNWIND_SECONDS = 2.0


class FlightServer:
    def __init__(
        self,
        service: FlightService,
        options: Options | None = None,
        *,
        watchers: Iterable[Watcher] = (),
    ) -> None:
        self.options = options or Options()
        limits = self.options.limits
        self._gate = Gate(limits)
        self._deadlines = Deadlines(limits)
        self._workers = Workers(limits.calls + _SPARE_WORKERS, "flight")
        self._health = health.HealthServicer()
        self._stopping = threading.Lock()
        self._stopped = False
        self._port: int | None = None
        house = House(self._gate, self._deadlines, self._workers, limits, tuple(watchers))
        self._server = grpc.server(
            self._workers,
            handlers=[Handlers(service, limits, house).generic()],
            options=self.options.channel_arguments(),
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)

    def start(self) -> Self:
        self._port = self._bind()
        self._server.start()
        self._deadlines.start()
        for name in ("", SERVICE):
            self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return self

    @property
    def is_started(self) -> bool:
        return self._port is not None

    @property
    def port(self) -> int:
        if self._port is None:
            raise PreconditionError("the server has not been started")
        return self._port

    @property
    def address(self) -> str:
        return f"{self.options.scheme}://{_joined(self.options.host, self.port)}"

    def stop(self, grace_seconds: float = 10.0) -> None:
        """Refuse new calls, let running ones finish, end those that are still there after the grace.

        Then no thread works for a client any more, unless one is stuck: it is left behind, and logged.
        """
        with self._stopping:
            if self._stopped:
                return
            self._health.enter_graceful_shutdown()
            self._gate.close()
            self._server.stop(grace_seconds).wait()
            self._deadlines.stop()
            self._workers.shutdown()
            if not self._workers.join(_UNWIND_SECONDS):
                _log.warning("server.calls_left_behind")
            self._stopped = True

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _bind(self) -> int:
        wanted = _joined(self.options.host, self.options.port)
        tls = self.options.tls
        try:
            port: int = (
                self._server.add_insecure_port(wanted)
                if tls is None
                else self._server.add_secure_port(wanted, tls.credentials())
            )
        except RuntimeError:
            raise UnavailableError(
                f"cannot listen on {wanted}",
                hint="another program uses the port, or the host is not this machine's; "
                "choose another with `--grpc HOST:PORT` (port 0 means any free one)",
            ) from None
        return port


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
