from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.catalog.expressions import evaluate, parse_expression


def test_a_struct_with_nulls_over_a_union_is_read() -> None:
    codes = pa.array([0, 1, 0], pa.int8())
    members: list[Array] = [pa.array([1, 2, 3], pa.int8()), pa.array(["a", "b", "c"])]
    union = pa.UnionArray.from_sparse(codes, members, ["n", "s"])
    column = pa.StructArray.from_arrays([union], ["u"], mask=pa.array([False, True, False]))
    batch = pa.RecordBatch.from_arrays([column], names=["s"])
    expression = parse_expression("s IS NULL", batch.schema)
    assert evaluate(expression, batch).to_pylist() == [False, True, False]
    assert evaluate(expression, batch.slice(1)).to_pylist() == [True, False]
