"""Conditions and values that are more than a comparison: SQL, run by a locked-down DuckDB.

    expression = parse_expression("lower(name) LIKE 'a%'", schema)
    rows = keep(expression, batch)

`docs/concepts/expressions.md` says what may be written and why it is safe.
"""

from lakeport.catalog.expressions.cast import cast_array, default_array
from lakeport.catalog.expressions.evaluate import SECONDS, evaluate, keep, result_type
from lakeport.catalog.expressions.parse import (
    Expression,
    column_names,
    parse_expression,
    rename_column,
    replace_columns,
)
from lakeport.catalog.expressions.pruning import Condition, narrow
from lakeport.catalog.expressions.type_text import type_text

__all__ = [
    "SECONDS",
    "Condition",
    "Expression",
    "cast_array",
    "column_names",
    "default_array",
    "evaluate",
    "keep",
    "narrow",
    "parse_expression",
    "rename_column",
    "replace_columns",
    "result_type",
    "type_text",
]
