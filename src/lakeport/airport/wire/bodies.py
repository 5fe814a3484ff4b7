"""The bodies of the actions that read: msgpack maps to values (chapters 2.3, 2.6, 3.2, 3.8, 3.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from lakeport.airport.wire.fields import Fields
from lakeport.core.errors import InvalidRequestError
from lakeport.flight.messages import FlightDescriptor


@dataclass(frozen=True, slots=True)
class CatalogBody:
    """`list_schemas`, `catalog_version`, `create_transaction`; an empty name means the default."""

    catalog_name: str = ""

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        return cls(Fields.of_msgpack(body, what).text("catalog_name"))


@dataclass(frozen=True, slots=True)
class ScanParameters:
    """What a scan asks for beside its table. `column_ids` count columns without the row id."""

    json_filters: str = ""
    column_ids: tuple[int, ...] = ()
    table_function_parameters: bytes = b""
    table_function_input_schema: bytes = b""
    at_unit: str = ""
    at_value: str = ""


@dataclass(frozen=True, slots=True)
class EndpointsBody:
    descriptor: FlightDescriptor
    parameters: ScanParameters

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        fields = Fields.of_msgpack(body, what)
        wanted = fields.map("parameters")
        return cls(
            _descriptor(fields, "descriptor"),
            ScanParameters(
                wanted.text("json_filters"),
                wanted.numbers("column_ids"),
                wanted.binary("table_function_parameters"),
                wanted.binary("table_function_input_schema"),
                wanted.text("at_unit"),
                wanted.text("at_value"),
            ),
        )


@dataclass(frozen=True, slots=True)
class FlightInfoBody:
    descriptor: FlightDescriptor
    at_unit: str = ""
    at_value: str = ""

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        fields = Fields.of_msgpack(body, what)
        return cls(
            _descriptor(fields, "descriptor"), fields.text("at_unit"), fields.text("at_value")
        )


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """`parameters` is one row of arguments as an IPC stream, `table_input_schema` an IPC schema."""

    descriptor: FlightDescriptor
    parameters: bytes = b""
    table_input_schema: bytes = b""
    at_unit: str = ""
    at_value: str = ""

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        fields = Fields.of_msgpack(body, what)
        return cls(
            _descriptor(fields, "descriptor"),
            fields.binary("parameters"),
            fields.binary("table_input_schema"),
            fields.text("at_unit"),
            fields.text("at_value"),
        )


@dataclass(frozen=True, slots=True)
class InOutBody:
    """The first message of an in/out function's exchange. No projection is applied to its rows."""

    parameters: bytes = b""
    at_unit: str = ""
    at_value: str = ""

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        fields = Fields.of_msgpack(body, what)
        fields.text("json_filters")
        fields.numbers("column_ids")
        return cls(fields.binary("parameters"), fields.text("at_unit"), fields.text("at_value"))


@dataclass(frozen=True, slots=True)
class StatisticsBody:
    flight_descriptor: FlightDescriptor
    column_name: str
    type: str

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        fields = Fields.of_msgpack(body, what)
        return cls(
            _descriptor(fields, "flight_descriptor"),
            fields.required_text("column_name"),
            fields.text("type"),
        )


@dataclass(frozen=True, slots=True)
class TransactionBody:
    transaction_id: str

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        return cls(Fields.of_msgpack(body, what).required_text("transaction_id"))


def _descriptor(fields: Fields, key: str) -> FlightDescriptor:
    encoded = fields.binary(key)
    if not encoded:
        raise InvalidRequestError(
            f"{fields.what} needs `{key}`", hint="send a serialised FlightDescriptor"
        )
    return FlightDescriptor.decode(encoded)
