"""New Iceberg tables from definitions, and tables dropped.

Everything a definition says is in the table's first metadata: types and rules refer to field ids, which
are the ones the catalog gives. A catalog that gave others would make them lies, so that is checked, and
put right by a second commit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import (
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType

from lakeport.catalog.definition import Definition
from lakeport.catalog.evolution.define import define
from lakeport.catalog.iceberg.definition import COMMENT, OWN, USUAL
from lakeport.catalog.iceberg.layout import partition_spec, sort_order
from lakeport.catalog.iceberg.rules import (
    CONSTRAINTS,
    DEFAULTS,
    default_expressions,
    write_constraints,
    write_defaults,
)
from lakeport.catalog.iceberg.types import TYPES, columns_for, describe, write_annotations
from lakeport.catalog.iceberg.write.append import append
from lakeport.core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from lakeport.core.names import TableName, quoted, why_unsafe_table

__all__ = ["append", "create_table", "drop_table"]

_FORMAT = "format-version"


def create_table(catalog: Catalog, name: TableName, definition: Definition) -> Table:
    """An empty table of format 2. What a driver raises is the caller's to translate."""
    _check_name(name)
    defined = define(definition)
    description = describe(defined.schema)
    schema = _schema(description.fields)
    columns = columns_for(schema, description.annotations)
    spec = partition_spec(defined.partitioned_by, columns, defined.schema)
    order = sort_order(defined.sorted_by, columns, defined.schema)
    try:
        table = catalog.create_table(
            _identifier(name),
            schema,
            partition_spec=spec,
            sort_order=order,
            properties={
                **USUAL,
                **_checked(definition.properties),
                **own_properties(defined, schema),
            },
        )
    except TableAlreadyExistsError as error:
        raise AlreadyExistsError(
            f"there is a table {quoted(str(name))} already", hint="choose another name"
        ) from error
    except NoSuchNamespaceError as error:
        raise NotFoundError(
            f"there is no namespace {quoted(name.namespace)}", hint="create it first"
        ) from error
    if table.schema().as_struct() != schema.as_struct():
        with table.transaction() as transaction:
            transaction.set_properties(own_properties(defined, table.schema()))
    return table


def drop_table(catalog: Catalog, name: TableName) -> None:
    """Take the table out of the catalog; its files stay until they are collected."""
    try:
        catalog.drop_table(_identifier(name))
    except NoSuchTableError as error:
        raise NotFoundError(f"there is no table {quoted(str(name))}") from error


def own_properties(defined: Definition, schema: Schema) -> dict[str, str]:
    """What a definition says beyond Iceberg, by the ids of a schema that has its columns in order."""
    ids = iter(_ids(schema))
    annotations = describe(defined.schema, lambda: next(ids)).annotations
    columns = columns_for(schema, annotations)
    found = {
        COMMENT: defined.comment,
        TYPES: write_annotations(annotations) if annotations else None,
        DEFAULTS: write_defaults(columns, default_expressions(defined.schema)),
        CONSTRAINTS: write_constraints(defined.constraints, columns),
    }
    return {key: value for key, value in found.items() if value is not None}


def _ids(schema: Schema) -> Iterator[int]:
    """The field ids in the order in which `describe` asks for them."""

    def inside(found: IcebergType) -> Iterator[int]:
        match found:
            case StructType():
                yield from (field.field_id for field in found.fields)
                for field in found.fields:
                    yield from inside(field.field_type)
            case ListType():
                yield found.element_id
                yield from inside(found.element_type)
            case MapType():
                yield from (found.key_id, found.value_id)
                yield from inside(found.key_type)
                yield from inside(found.value_type)

    return inside(schema.as_struct())


def _schema(fields: tuple[NestedField, ...]) -> Schema:
    try:
        return Schema(*fields)
    except ValueError as error:
        # It joins the names of nested fields with dots.
        raise InvalidRequestError(
            "two fields have the same name once nested names are joined with dots",
            hint="rename the field that has a dot in its name",
        ) from error


def _check_name(name: TableName) -> None:
    reason = why_unsafe_table(name.table)
    if reason is not None:
        raise InvalidRequestError(
            f"a table cannot be called {quoted(name.table)}: {reason}", hint="choose another name"
        )


def _checked(properties: Mapping[str, str]) -> dict[str, str]:
    for key in properties:
        if key.startswith(OWN) or key == _FORMAT:
            raise InvalidRequestError(
                f"the property {quoted(key)} is Lakeport's own", hint="leave it out"
            )
    return dict(properties)


def _identifier(name: TableName) -> tuple[str, ...]:
    return (*name.namespace.split("."), name.table)
