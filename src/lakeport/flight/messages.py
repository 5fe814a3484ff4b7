"""Flight's messages as values, byte for byte what other Flight libraries read and write.

Every message has `encode()` and, where one may arrive from outside, `decode()`. The stream message
FlightData is not here: `flight/framing.py` handles it, because its body must not be copied about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeVar

from lakeport.core.errors import InvalidRequestError
from lakeport.flight import protobuf as wire

# "Come back to me on the connection you already have."
REUSE_CONNECTION = "arrow-flight-reuse-connection://?"

T = TypeVar("T")

_PATH, _COMMAND = 1, 2
_NANOS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class FlightDescriptor:
    """A path or a command; neither of them is the empty descriptor."""

    path: tuple[str, ...] | None = None
    command: bytes | None = None

    @property
    def is_empty(self) -> bool:
        return not self.path and not self.command

    def encode(self) -> bytes:
        if self.path is not None:
            return wire.put_int(1, _PATH) + b"".join(
                wire.put_message(3, part.encode()) for part in self.path
            )
        if self.command is not None:
            return wire.put_int(1, _COMMAND) + wire.put_bytes(2, self.command)
        return b""

    @classmethod
    def decode(cls, message: bytes | memoryview) -> Self:
        kind, command, path = 0, b"", list[str]()
        for field, value in wire.fields(message):
            if field == 1:
                kind = wire.as_int(value)
            elif field == 2:
                command = wire.as_bytes(value)
            elif field == 3:
                path.append(wire.as_text(value))
        if kind == _PATH:
            return cls(path=tuple(path))
        if kind == _COMMAND:
            return cls(command=command)
        if kind or path or command:
            raise InvalidRequestError(
                "the flight descriptor is neither a path nor a command",
                hint="set its type to PATH or CMD",
            )
        return cls()


@dataclass(frozen=True, slots=True)
class Ticket:
    ticket: bytes

    def encode(self) -> bytes:
        return wire.put_bytes(1, self.ticket)

    @classmethod
    def decode(cls, message: bytes | memoryview) -> Self:
        return cls(_only_bytes(message))


@dataclass(frozen=True, slots=True)
class FlightEndpoint:
    """Where rows are. Without a location the DuckDB client fails: name at least `REUSE_CONNECTION`."""

    ticket: bytes
    locations: tuple[str, ...] = (REUSE_CONNECTION,)
    expiration_ns: int | None = None
    app_metadata: bytes = b""

    def encode(self) -> bytes:
        places = (wire.put_message(2, wire.put_text(1, uri)) for uri in self.locations)
        return b"".join(
            (
                wire.put_message(1, Ticket(self.ticket).encode()),
                *places,
                _put_time(3, self.expiration_ns),
                wire.put_bytes(4, self.app_metadata),
            )
        )

    @classmethod
    def decode(cls, message: bytes | memoryview) -> Self:
        ticket, expiration, metadata, locations = b"", None, b"", list[str]()
        for field, value in wire.fields(message):
            if field == 1:
                ticket = Ticket.decode(wire.as_view(value)).ticket
            elif field == 2:
                locations.append(_only(wire.as_view(value), wire.as_text, ""))
            elif field == 3:
                expiration = _time(wire.as_view(value))
            elif field == 4:
                metadata = wire.as_bytes(value)
        return cls(ticket, tuple(locations), expiration, metadata)


@dataclass(frozen=True, slots=True)
class FlightInfo:
    """`schema` is the encapsulated IPC message, `pa.Schema.serialize()`; -1 means unknown."""

    schema: bytes
    descriptor: FlightDescriptor | None = None
    endpoints: tuple[FlightEndpoint, ...] = ()
    total_records: int = -1
    total_bytes: int = -1
    ordered: bool = False
    app_metadata: bytes = b""

    def encode(self) -> bytes:
        about = b"" if self.descriptor is None else wire.put_message(2, self.descriptor.encode())
        return b"".join(
            (
                wire.put_bytes(1, self.schema),
                about,
                *(wire.put_message(3, endpoint.encode()) for endpoint in self.endpoints),
                wire.put_int(4, self.total_records),
                wire.put_int(5, self.total_bytes),
                wire.put_int(6, int(self.ordered)),
                wire.put_bytes(7, self.app_metadata),
            )
        )

    @classmethod
    def decode(cls, message: bytes | memoryview) -> Self:
        schema, descriptor, endpoints = b"", None, list[FlightEndpoint]()
        records, size, ordered, metadata = 0, 0, False, b""
        for field, value in wire.fields(message):
            if field == 1:
                schema = wire.as_bytes(value)
            elif field == 2:
                descriptor = FlightDescriptor.decode(wire.as_view(value))
            elif field == 3:
                endpoints.append(FlightEndpoint.decode(wire.as_view(value)))
            elif field == 4:
                records = wire.as_int(value)
            elif field == 5:
                size = wire.as_int(value)
            elif field == 6:
                ordered = wire.as_uint(value) != 0
            elif field == 7:
                metadata = wire.as_bytes(value)
        return cls(schema, descriptor, tuple(endpoints), records, size, ordered, metadata)


@dataclass(frozen=True, slots=True)
class PollInfo:
    """A query's state; without a descriptor it is complete."""

    info: FlightInfo
    descriptor: FlightDescriptor | None = None
    progress: float | None = None
    expiration_ns: int | None = None

    def encode(self) -> bytes:
        again = b"" if self.descriptor is None else wire.put_message(2, self.descriptor.encode())
        progress = b"" if self.progress is None else wire.put_double(3, self.progress)
        expires = _put_time(4, self.expiration_ns)
        return wire.put_message(1, self.info.encode()) + again + progress + expires


@dataclass(frozen=True, slots=True)
class Action:
    type: str
    body: bytes = b""

    def encode(self) -> bytes:
        return wire.put_text(1, self.type) + wire.put_bytes(2, self.body)

    @classmethod
    def decode(cls, message: bytes | memoryview) -> Self:
        name, body = "", b""
        for field, value in wire.fields(message):
            if field == 1:
                name = wire.as_text(value)
            elif field == 2:
                body = wire.as_bytes(value)
        return cls(name, body)


@dataclass(frozen=True)
class ActionType:
    type: str
    description: str

    def encode(self) -> bytes:
        return self._encoded

    @cached_property
    def _encoded(self) -> bytes:
        """Once: all of them are listed all the time."""
        return wire.put_text(1, self.type) + wire.put_text(2, self.description)


@dataclass(frozen=True, slots=True)
class Handshake:
    """Request and answer look the same."""

    payload: bytes = b""
    protocol_version: int = 0

    def encode(self) -> bytes:
        return wire.put_int(1, self.protocol_version) + wire.put_bytes(2, self.payload)

    @classmethod
    def decode(cls, message: bytes | memoryview) -> Self:
        version, payload = 0, b""
        for field, value in wire.fields(message):
            if field == 1:
                version = wire.as_uint(value)
            elif field == 2:
                payload = wire.as_bytes(value)
        return cls(payload, version)


def encode_result(body: bytes) -> bytes:
    """An action's Result, a SchemaResult or a PutResult: one field of bytes each."""
    return wire.put_bytes(1, body)


def decode_result(message: bytes | memoryview) -> bytes:
    return _only_bytes(message)


def decode_criteria(message: bytes | memoryview) -> bytes:
    return _only_bytes(message)


def _only_bytes(message: bytes | memoryview) -> bytes:
    return _only(message, wire.as_bytes, b"")


def _only(message: bytes | memoryview, read: Callable[[wire.Value], T], default: T) -> T:
    found = default
    for field, value in wire.fields(message):
        if field == 1:
            found = read(value)
    return found


def _put_time(field: int, nanoseconds: int | None) -> bytes:
    if nanoseconds is None:
        return b""
    seconds, rest = divmod(nanoseconds, _NANOS)
    return wire.put_message(field, wire.put_int(1, seconds) + wire.put_int(2, rest))


def _time(message: memoryview) -> int:
    seconds, nanoseconds = 0, 0
    for field, value in wire.fields(message):
        if field == 1:
            seconds = wire.as_int(value)
        elif field == 2:
            nanoseconds = wire.as_int(value)
    return seconds * _NANOS + nanoseconds
