"""Reads an Avro data file through PyIceberg's decoder, record by record, and makes columns of it.

Nobody stores much data this way: it is right, and slow. Of PyIceberg's two decoders it is the one in
Python, which notices where its input ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pyarrow as pa
from pyiceberg.avro.decoder import StreamingBinaryDecoder
from pyiceberg.avro.resolver import construct_reader
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import IcebergType, ListType, MapType, StructType
from pyiceberg.utils.schema_conversion import AvroSchemaConversion

from lakeport.catalog.arrays.containers import child_fields, is_nested, with_child_fields
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.files.constants import partition_constants
from lakeport.catalog.iceberg.files.convert import plain_type
from lakeport.catalog.iceberg.files.mapping import identified
from lakeport.catalog.iceberg.files.nodes import nodes_of
from lakeport.catalog.iceberg.files.projection import Matcher
from lakeport.catalog.iceberg.files.task import Task
from lakeport.catalog.iceberg.manifests.container import SCHEMA, open_container
from lakeport.catalog.iceberg.parts import Chunk
from lakeport.catalog.iceberg.storage import OpenFile
from lakeport.catalog.iceberg.types.stored import stored_type

_RECORDS = 4096


def read_avro(task: Task, opened: Callable[[], OpenFile]) -> Iterator[Chunk]:
    container = open_container(opened().read_tail(opened().size))
    schema = _schema(json.loads(container.header[SCHEMA]))
    task.check_rows(container.count)
    constants = partition_constants(task.source, task.file)
    nodes = identified(task, nodes_of(schema_to_pyarrow(schema)), constants)
    projection = Matcher(task.what, nodes, constants).match(task.request.columns)
    leaves = set(projection.leaves)
    places = [place for place, node in enumerate(nodes) if not leaves.isdisjoint(node.leaves)]
    reader = construct_reader(schema)
    decoder = StreamingBinaryDecoder(container.data[: container.end])
    size = min(task.wanted.batch_rows, _RECORDS)
    for start in range(0, container.count, size):
        rows = min(size, container.count - start)
        records = [reader.read(decoder) for _ in range(rows)]
        yield task.chunk(start, projection, _columns(schema, places, records), rows)


def _schema(avro: dict[str, Any]) -> Schema:
    try:
        return AvroSchemaConversion().avro_to_iceberg(avro)
    except (TypeError, AttributeError) as error:
        message = f"its schema makes no sense: {error}"
        raise ValueError(message) from error


def _columns(schema: Schema, places: list[int], records: list[Record]) -> tuple[Array, ...]:
    columns: list[Array] = []
    for place in places:
        kind = schema.fields[place].field_type
        values = [_value(kind, record[place]) for record in records]
        columns.append(pa.array(values, _bare(stored_type(kind))))
    return tuple(columns)


def _bare(data_type: pa.DataType) -> pa.DataType:
    """Without extension types, which Arrow cannot build from Python values inside of containers."""
    if not is_nested(data_type):
        return plain_type(data_type)
    fields = (field.with_type(_bare(field.type)) for field in child_fields(data_type))
    return with_child_fields(data_type, tuple(fields))


def _value(kind: IcebergType, value: Any) -> Any:
    """As Arrow takes it: structs as tuples, maps as pairs."""
    if value is None:
        return None
    match kind:
        case StructType():
            return tuple(
                _value(field.field_type, value[place]) for place, field in enumerate(kind.fields)
            )
        case ListType():
            return [_value(kind.element_type, element) for element in value]
        case MapType():
            return [
                (_value(kind.key_type, key), _value(kind.value_type, item))
                for key, item in value.items()
            ]
    return value.bytes if isinstance(value, UUID) else value
