"""A call of every overload of every function that may be evaluated, over columns of its types.

`call_of` gives a table with the arguments and what DuckDB answers for them, `r`; the filters
`call = r` and `call <> r` then say whether the answer is the same here, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import duckdb
import pyarrow as pa

from lakeport.catalog.expressions.arrow import plain_type, shaped
from lakeport.catalog.expressions.functions import FUNCTIONS
from tests.airport.pushdown.samples import values

_MOST_ROWS = 300
_PER_ARGUMENT = 7
# What `duckdb_functions()` calls a type that stands for others.
_CHOSEN = {
    "ANY": "INTEGER",
    "T": "INTEGER",
    "T[]": "INTEGER[]",
    "ANY[]": "INTEGER[]",
    "K": "VARCHAR",
    "V": "INTEGER",
    "DECIMAL": "DECIMAL(9,2)",
    "STRUCT": "STRUCT(a INTEGER, b VARCHAR)",
    "MAP": "MAP(VARCHAR, INTEGER)",
    "MAP(K, V)": "MAP(VARCHAR, INTEGER)",
    "ARRAY": "INTEGER[3]",
}


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    parameters: tuple[str, ...]


def signatures() -> Iterator[Signature]:
    with duckdb.connect() as connection:
        found = connection.execute(
            "SELECT DISTINCT function_name, parameter_types FROM duckdb_functions()"
            " WHERE function_type = 'scalar' ORDER BY ALL"
        ).fetchall()
    for name, parameters in found:
        if name.lower() in FUNCTIONS and len(parameters) <= 4 and "UNION" not in parameters:
            yield Signature(name, tuple(parameters))


@dataclass(frozen=True, slots=True)
class Answered:
    sql: str
    rows: pa.Table


def call_of(signature: Signature) -> Answered | None:
    """None where DuckDB has no such call after all: its catalog lists more than it binds."""
    constant = dict(FUNCTIONS[signature.name.lower()].demands)
    arguments, columns = [], {}
    for at, parameter in enumerate(signature.parameters):
        data_type = _CHOSEN.get(parameter, parameter)
        if at in constant:
            arguments.append(
                "'a'" if data_type == "VARCHAR" else f"CAST({values(data_type)[1]} AS {data_type})"
            )
            continue
        arguments.append(f"c{at}")
        given = values(data_type)
        some = [given[0], *given[1 :: max(1, len(given) // _PER_ARGUMENT)]]
        columns[f"c{at}"] = [f"TRY_CAST({value} AS {data_type})" for value in some]
    if not columns:
        return None
    sql = f'"{signature.name}"({", ".join(arguments)})'
    rows = list(product(*columns.values()))[:_MOST_ROWS]
    listed = ", ".join(f"({', '.join(row)})" for row in rows)
    with duckdb.connect(config={"arrow_lossless_conversion": "true"}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        try:
            found = connection.execute(
                f"SELECT *, TRY({sql}) AS r FROM (VALUES {listed}) AS t({', '.join(columns)})"
            ).to_arrow_table()
        except duckdb.Error:
            return None
    return Answered(sql, _plain(found))


def _plain(table: pa.Table) -> pa.Table:
    arrays = [pa.concat_arrays(column.chunks) for column in table.columns]
    arrays = [shaped(array, plain_type(array.type)) for array in arrays]
    fields = [f.with_type(a.type) for f, a in zip(table.schema, arrays, strict=True)]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))
