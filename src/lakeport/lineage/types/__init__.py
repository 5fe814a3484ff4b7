"""Types of columns and expressions: read, written, inferred, widened and compared."""

from __future__ import annotations

from lakeport.lineage.types.generators import generated_types
from lakeport.lineage.types.infer import infer
from lakeport.lineage.types.mismatch import clash, clash_between, mismatch, mismatches
from lakeport.lineage.types.model import Field, SqlType, array_of, struct_of
from lakeport.lineage.types.nested import field_type, star_fields, without_field
from lakeport.lineage.types.read import read_type, type_of_node
from lakeport.lineage.types.widen import common_of, common_type
from lakeport.lineage.types.write import canonical_family, type_text

__all__ = [
    "Field",
    "SqlType",
    "array_of",
    "canonical_family",
    "clash",
    "clash_between",
    "common_of",
    "common_type",
    "field_type",
    "generated_types",
    "infer",
    "mismatch",
    "mismatches",
    "read_type",
    "star_fields",
    "struct_of",
    "type_of_node",
    "type_text",
    "without_field",
]
