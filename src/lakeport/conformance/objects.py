"""An object of the catalog as its FlightInfo tells it, read as strictly as the client depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import pyarrow as pa

from lakeport.conformance.attached import decoded
from lakeport.conformance.packing import map_of, schema_of, text_of, unpack
from lakeport.conformance.verdicts import broken
from lakeport.flight.messages import FlightDescriptor, FlightInfo

Kind: TypeAlias = Literal["table", "table_function", "scalar_function"]

ROW_ID = 2**64 - 1
_KINDS = ("table", "table_function", "scalar_function")
_STABILITIES = (b"consistent", b"volatile", b"consistent_within_query")


@dataclass(frozen=True)
class Entry:
    """As it stands in the client's catalog."""

    kind: Kind
    namespace: str
    name: str
    schema: pa.Schema
    descriptor: FlightDescriptor
    parameters: pa.Schema | None
    metadata: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.namespace}.{self.name}"

    @property
    def row_id(self) -> int | None:
        return next(
            (at for at, each in enumerate(self.schema) if is_flagged(each, "is_rowid")), None
        )

    @property
    def columns(self) -> pa.Schema:
        """What SQL sees: without the row id."""
        kept = [each for at, each in enumerate(self.schema) if at != self.row_id]
        return pa.schema(kept)

    @property
    def is_counted(self) -> bool:
        """Whether the client asks for statistics."""
        return bool((self.schema.metadata or {}).get(b"can_produce_statistics"))

    @property
    def is_in_out(self) -> bool:
        parameters: pa.Schema = self.parameters if self.parameters is not None else pa.schema([])
        return any(is_flagged(each, "is_table_type") for each in parameters)

    def place(self, column_id: int) -> int:
        """Where in the Arrow schema the column of an id lies."""
        if column_id == ROW_ID:
            if self.row_id is None:
                raise ValueError("there is no row id")
            return self.row_id
        return column_id if self.row_id is None or column_id < self.row_id else column_id + 1


def is_flagged(field: pa.Field[Any], flag: str) -> bool:
    return bool((field.metadata or {}).get(flag.encode()))


def entry_of(message: object, rule: str, catalog: str, namespace: str | None = None) -> Entry:
    """`namespace` is where it was listed."""
    if not isinstance(message, bytes):
        raise broken(rule, "an object is not a serialised FlightInfo")
    info: FlightInfo = decoded(FlightInfo.decode, message, rule, "the FlightInfo of an object")
    return entry_from(info, rule, catalog, namespace)


def entry_from(info: FlightInfo, rule: str, catalog: str, namespace: str | None = None) -> Entry:
    if not info.app_metadata:
        raise broken(rule, "an object has no app_metadata", "it is skipped without a word")
    told = map_of(unpack(info.app_metadata, rule, "app_metadata"), rule, "app_metadata")
    name = text_of(told.get("name"), rule, "`name` in app_metadata")
    what = f"`{name}`"
    kind = text_of(told.get("type"), rule, f"`type` of {what}")
    if kind not in _KINDS:
        raise broken(rule, f"{what} is of the unknown type `{kind}`")
    _same(told.get("catalog"), catalog, rule, f"the catalog of {what}")
    within = text_of(told.get("schema"), rule, f"`schema` of {what}")
    if namespace is not None and within != namespace:
        raise broken(rule, f"{what} is listed in `{namespace}` and says that it is in `{within}`")
    if not name:
        raise broken(rule, "an object has no name")
    if info.descriptor is None or info.descriptor.is_empty:
        raise broken(rule, f"{what} has no flight descriptor")
    for key in ("comment", "description", "action_name"):
        if told.get(key) is not None:
            text_of(told[key], rule, f"`{key}` of {what}")
    schema = schema_of(info.schema, rule, f"the schema of {what}")
    parameters = _parameters(told, kind, rule, what)
    if kind == "table":
        _look_at_table(schema, rule, what)
    elif kind == "scalar_function":
        _look_at_scalar(schema, told, rule, what)
    return Entry(cast("Kind", kind), within, name, schema, info.descriptor, parameters, told)


def _same(value: object, wanted: str, rule: str, what: str) -> None:
    found = text_of(value, rule, what)
    if found != wanted:
        raise broken(rule, f"{what} is `{found}` where `{wanted}` is attached")


def _parameters(told: dict[str, Any], kind: str, rule: str, what: str) -> pa.Schema | None:
    if kind == "table":
        return None
    parameters = schema_of(told.get("input_schema"), rule, f"`input_schema` of {what}")
    tables = sum(is_flagged(each, "is_table_type") for each in parameters)
    if tables > 1 or (tables and kind == "scalar_function"):
        raise broken(rule, f"{what} has {tables} parameters that are tables")
    if tables and any(is_flagged(each, "is_named_parameter") for each in parameters):
        raise broken(rule, f"{what} takes a table and named parameters", "the call does not bind")
    return parameters


def _look_at_scalar(schema: pa.Schema, told: dict[str, Any], rule: str, what: str) -> None:
    if len(schema) != 1:
        raise broken(rule, f"the scalar function {what} gives {len(schema)} columns, not one")
    if told.get("extra_data") is None:
        return
    data = told["extra_data"]
    extra = map_of(
        unpack(data, rule, f"`extra_data` of {what}") if isinstance(data, bytes) else data,
        rule,
        f"`extra_data` of {what}",
    )
    if extra.get("stability") not in _STABILITIES:
        raise broken(rule, f"`stability` of {what} is {extra.get('stability')!r}")


def _look_at_table(schema: pa.Schema, rule: str, what: str) -> None:
    if sum(is_flagged(each, "is_rowid") for each in schema) > 1:
        raise broken(rule, f"{what} has several row ids")
    checks = (schema.metadata or {}).get(b"check_constraints")
    if checks:
        found = map_of(unpack(checks, rule, "check_constraints"), rule, "check_constraints")
        listed = found.get("constraints")
        if not isinstance(listed, list) or not all(isinstance(each, bytes) for each in listed):
            raise broken(rule, f"`check_constraints` of {what} are no list of SQL texts")
