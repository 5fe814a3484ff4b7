"""A server of catalogs: on a port of its own, in the thread that waits for it, or beside the rest of a program.

    with Server(catalog) as server:
        print(server.location)

`lakeport serve` is built on it. Beyond this machine it asks for tokens and TLS, or for `insecure=True`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

from lakeport.access import NO_LIMITS, Ability, Pace, StatementLimits
from lakeport.access.exposure import check_exposure
from lakeport.access.identity import Judge
from lakeport.access.recognise import Auth, recognising
from lakeport.airport.addresses import Addresses
from lakeport.airport.announcements import Announcements
from lakeport.airport.library.actions import custom_action
from lakeport.airport.library.attach import attach_statements
from lakeport.airport.library.guard import guarded
from lakeport.airport.scans import Lends, Pins, lends_none
from lakeport.airport.service import AirportService, Audits
from lakeport.airport.transactions import TransactionManager
from lakeport.airport.visible import Overlay
from lakeport.catalog.catalogs import Catalogs
from lakeport.catalog.ports import Catalog
from lakeport.core.errors import ConfigurationError
from lakeport.core.signals import stop_signals
from lakeport.flight.call import Watcher
from lakeport.flight.limits import Limits
from lakeport.flight.options import Options, Tls
from lakeport.flight.server import FlightServer

H = TypeVar("H", bound=Callable[[Any], Any])
PathLike: TypeAlias = "str | Path"

GRACE_SECONDS = 10.0


class Server:
    """`port` 0 is any free one. `public_address` is what clients are told to dial, where that differs."""

    def __init__(  # noqa: PLR0913  one keyword per choice
        self,
        *catalogs: Catalog,
        host: str = "127.0.0.1",
        port: int = 0,
        auth: Auth = None,
        authorise: Judge | None = None,
        transactions: TransactionManager | None = None,
        tls: Tls | tuple[PathLike, PathLike] | None = None,
        client_ca: PathLike | None = None,
        public_address: str | None = None,
        limits: Limits | None = None,
        statement_limits: StatementLimits = NO_LIMITS,
        message_bytes: int | None = None,
        existing_schema_ok: bool = False,
        log_level: str | int | None = None,
        insecure: bool = False,
        audit: Audits | None = None,
        overlay: Overlay | None = None,
        pins: Pins | None = None,
        lends: Lends = lends_none,
        announcements: Announcements | None = None,
        pace: Pace | None = None,
        watchers: Iterable[Watcher] = (),
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        options = Options(host, port, _tls(tls, client_ca), _limits(limits, message_bytes))
        check_exposure(
            (host,),
            has_tokens=auth is not None,
            has_tls=options.tls is not None,
            insecure=insecure,
        )
        if log_level is not None:
            _set_level(log_level)
        self._is_open = auth is None
        self._public = public_address
        self._grace_seconds = grace_seconds
        self.service = AirportService(
            Catalogs((guarded(catalog) for catalog in catalogs), may_be_empty=True),
            recognising(auth, authorise),
            audit=audit,
            addresses=Addresses(public_address, lambda: self.address),
            overlay=overlay,
            existing_schema_ok=existing_schema_ok,
            pins=pins,
            limits=statement_limits,
            lends=lends,
            managed=transactions,
            announcements=announcements,
            pace=pace,
        )
        self._flight = FlightServer(self.service, options, watchers=watchers)

    # -- catalogs and actions, at any time -------------------------------------------------------

    @property
    def catalogs(self) -> tuple[Catalog, ...]:
        return self.service.catalogs

    def add(self, catalog: Catalog) -> Self:
        """`ConfigurationError` if one of that name is served already, in whatever spelling."""
        self.service.add_catalog(guarded(catalog))
        return self

    def remove(self, name: str) -> Catalog:
        """Streams of it go on to their end; the next call finds it gone."""
        return self.service.remove_catalog(name)

    def action(
        self,
        name: str,
        *,
        description: str | None = None,
        packed: bool = False,
        needs: str | None = None,
    ) -> Callable[[H], H]:
        """A decorator: the function is the action. It takes bytes and gives bytes, or text, or None.

        With `packed` it takes and gives values, in msgpack on the wire. `needs` is what its callers must be
        granted on the whole catalog (`read`, `write`, `ddl`, `admin`); without it all who may come in may call it.
        """

        def decorate(handler: H) -> H:
            said = description or (handler.__doc__ or "").strip().partition("\n")[0] or name
            ability = None if needs is None else Ability(needs)
            self.service.add_action(
                custom_action(name, handler, description=said, packed=packed, needs=ability)
            )
            return handler

        return decorate

    # -- running ---------------------------------------------------------------------------------

    def start(self) -> Self:
        self._flight.start()
        return self

    def stop(self, grace_seconds: float | None = None) -> None:
        """Refuse new calls, let running ones finish, end those that are left after the grace."""
        self._flight.stop(self._grace_seconds if grace_seconds is None else grace_seconds)

    def serve_forever(self) -> None:
        """Started if it is not, greeting whoever looks; until Ctrl-C or SIGTERM, and then stopped."""
        with stop_signals() as wait:
            if not self._flight.is_started:
                self.start()
            print(self.greeting(), flush=True)  # noqa: T201  what it is for
            wait()
            self.stop()

    @property
    def port(self) -> int:
        return self._flight.port

    @property
    def address(self) -> str:
        """What it is bound to: `grpc://HOST:PORT`."""
        return self._flight.address

    @property
    def location(self) -> str:
        """What clients dial."""
        return self._public or self.address

    def attach_statements(self) -> tuple[str, ...]:
        """SQL for DuckDB, ready to paste."""
        names = (catalog.name for catalog in self.catalogs)
        return attach_statements(self.location, names, with_token=not self._is_open)

    def greeting(self) -> str:
        return "\n".join((f"serving at {self.location}", *self.attach_statements()))

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _tls(given: Tls | tuple[PathLike, PathLike] | None, client_ca: PathLike | None) -> Tls | None:
    """A pair is the files of certificate and key."""
    authority = None if client_ca is None else Path(client_ca)
    if given is None or isinstance(given, Tls):
        if client_ca is not None:
            raise ConfigurationError(
                "`client_ca` goes with a certificate and a key of the server",
                hint="give `tls=(CERT, KEY)`",
            )
        return given
    cert, key = given
    return Tls(Path(cert), Path(key), authority)


def _limits(given: Limits | None, message_bytes: int | None) -> Limits:
    if given is not None and message_bytes is not None:
        raise ConfigurationError("`message_bytes` is one of `limits`", hint="give one of the two")
    if message_bytes is None:
        return given or Limits()
    if message_bytes < 1:
        raise ConfigurationError(f"a message has at least one byte, not {message_bytes}")
    return Limits(message_bytes=message_bytes)


def _set_level(level: str | int) -> None:
    """Of everything that is Lakeport's; where the lines go is for the program to say."""
    try:
        logging.getLogger("lakeport").setLevel(level.upper() if isinstance(level, str) else level)
    except ValueError:
        raise ConfigurationError(
            f"there is no log level `{level}`", hint="debug, info, warning, error or critical"
        ) from None
