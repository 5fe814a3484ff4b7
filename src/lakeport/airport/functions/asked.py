"""Which function is meant, and with which arguments: from JSON, msgpack and the paths we give out.

`{"function_name", "parameters"}` comes by contract 001's action, in a descriptor's command or as a ticket
(there in msgpack, too), its parameters by name or as a list. A path of ours names the function and, in an
element that no table has, which of its overloads: `["geo", "area", "@scalar.1a2b3c4d"]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from lakeport.airport.functions.declared import Declared
from lakeport.airport.requested import decoded, encoded
from lakeport.airport.wire.fields import Fields
from lakeport.core.errors import InvalidRequestError
from lakeport.flight.messages import FlightDescriptor

_MSGPACK_MAPS = frozenset({*range(0x80, 0x90), 0xDE, 0xDF})
_OVERLOAD = re.compile(r"(scalar|table|in_out)\.[0-9a-f]{8}")
_PATH = "send [namespace, function] or [catalog, namespace, function]"


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """`spelled` is the namespace and name as a path has them, where they decode to something else."""

    function_name: str
    parameters: Mapping[str, object] | Sequence[object] = field(default_factory=dict)
    schema_name: str | None = None
    catalog_name: str | None = None
    overload: str | None = None
    spelled: tuple[str, str] | None = None

    def encode(self) -> bytes:
        """As a ticket and as a descriptor's command."""
        members = {
            "catalog_name": self.catalog_name,
            "schema_name": self.schema_name,
            "function_name": self.function_name,
            "overload": self.overload,
            "parameters": self.parameters,
        }
        present = {key: value for key, value in members.items() if value is not None}
        return msgspec.json.encode(present)


def function_call(fields: Fields) -> FunctionCall:
    given = fields.values.get("parameters")
    return FunctionCall(
        fields.required_text("function_name"),
        tuple(given) if isinstance(given, list) else dict(fields.map("parameters").values),
        fields.text("schema_name") or None,
        fields.text("catalog_name") or None,
        _overload(fields.text("overload")),
    )


def function_in(message: bytes, what: str) -> FunctionCall | None:
    """The call in a command or a ticket; None if that is about something else."""
    if message.lstrip()[:1] == b"{":
        fields = Fields.of_json(message, what)
    elif message and message[0] in _MSGPACK_MAPS:
        fields = Fields.of_msgpack(message, what)
    else:
        return None
    return function_call(fields) if "function_name" in fields else None


def function_meant(descriptor: FlightDescriptor) -> FunctionCall | None:
    """The function, where a descriptor is about one and not about a table."""
    if descriptor.command:
        return function_in(descriptor.command, "the descriptor's command")
    path = descriptor.path or ("",)
    is_marked = path[-1].startswith("@") and _OVERLOAD.fullmatch(path[-1][1:])
    return function_at(path) if is_marked else None


def function_of(descriptor: FlightDescriptor) -> FunctionCall:
    """The function of a request that can be about nothing else: here a plain path is one, too."""
    found = function_meant(descriptor)
    if found is not None:
        return found
    if descriptor.path:
        return function_at(descriptor.path)
    raise InvalidRequestError(
        "the descriptor names no function", hint="send the path [namespace, function]"
    )


def function_at(path: tuple[str, ...]) -> FunctionCall:
    names, overload = path, None
    if len(path) > 2 and path[-1].startswith("@"):
        names, overload = path[:-1], _overload(path[-1][1:])
    if not 2 <= len(names) <= 3 or not all(names[-2:]):
        raise InvalidRequestError("that is no path of a function", hint=_PATH)
    *before, namespace, function = map(decoded, names)
    spelled = names[-2], names[-1]
    return FunctionCall(
        function,
        {},
        namespace,
        before[0] or None if before else None,
        overload,
        spelled if spelled != (namespace, function) else None,
    )


def path_of(function: Declared) -> tuple[str, ...]:
    name = function.name
    return encoded(name.namespace), encoded(name.table), f"@{function.overload}"


def _overload(text: str) -> str | None:
    if text and not _OVERLOAD.fullmatch(text):
        raise InvalidRequestError(
            "the overload is none that this server gave out",
            hint="in DuckDB, DETACH and ATTACH the catalog again",
        )
    return text or None
