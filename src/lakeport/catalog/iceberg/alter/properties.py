"""Properties of tables and namespaces: the ones that hold what Iceberg lacks, and the ones nobody may set.

A property is a setting for whoever opens the table, so it must not say where or how its files are
reached: that is the operator's to configure, and a table that could choose would read and write with the
server's rights wherever its creator likes. The location of a namespace is where its tables would go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.definition import Definition
from lakeport.catalog.evolution.rules import CONSTRAINTS
from lakeport.catalog.iceberg.definition import COMMENT, OWN
from lakeport.catalog.iceberg.rules import (
    DEFAULTS,
    default_expressions,
    write_constraints,
    write_defaults,
)
from lakeport.catalog.iceberg.travel import newest_version
from lakeport.catalog.iceberg.types import (
    PAST,
    TYPES,
    Column,
    remember_types,
    write_annotations,
)
from lakeport.catalog.iceberg.types.words import Annotation
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted

_FORMAT = "format-version"
_STORAGE = re.compile(
    # the settings of a kind of storage, or of a client for it
    r"(?:s3|gcs|adls|abfss?|wasbs?|hdfs|hf|oss|fs|hadoop|client|rest|header|encryption)\..*"
    # code to reach files with
    r"|.*io-impl|.*location-provider.*impl"
    # places and keys
    r"|location|warehouse|uri|token|credential"
    r"|write\.(?:data|metadata|object-storage|folder-storage)\.path",
    re.IGNORECASE,
)


def own_properties(
    definition: Definition,
    columns: Sequence[Column],
    annotations: Mapping[int, Annotation],
    before: TableMetadata | None = None,
) -> dict[str, str | None]:
    """What a definition says beyond Iceberg, by the ids of its columns; None where nothing is said.

    What the table `before` knows of fields that are gone is kept: its history still has them.
    """
    known = {} if before is None else before.properties
    types = write_annotations(annotations, known.get(TYPES))
    found = {
        COMMENT: definition.comment,
        TYPES: None if types == "{}" else types,
        DEFAULTS: write_defaults(columns, default_expressions(definition.schema)),
        CONSTRAINTS: write_constraints(definition.constraints, columns, known.get(CONSTRAINTS)),
    }
    if before is not None:
        past, version = known.get(PAST), newest_version(before) + 1
        found[PAST] = remember_types(past, version, known.get(TYPES), types, before.last_column_id)
    return found


def checked_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """What a user asks for, unless it is not the user's to say."""
    for key in properties:
        if key.lower().startswith(OWN) or key.lower() == _FORMAT:
            raise InvalidRequestError(
                f"the property {quoted(key)} is Lakeport's own", hint="leave it out"
            )
        if says_how_files_are_reached(key):
            raise InvalidRequestError(
                f"the property {quoted(key)} would say where or how files are reached",
                hint="leave it out; storage is configured for the whole catalog",
            )
    return dict(properties)


def says_how_files_are_reached(key: str) -> bool:
    return _STORAGE.fullmatch(key) is not None
