"""Many batches as one, in order, for every type a table can have.

No batches make an empty one whose arrays are sound: Arrow's own empty arrays of some nested types end
the process when somebody looks inside.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrays.selection import with_columns


def glue_rows(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        pa.concat_arrays([batch.column(index) for batch in batches])
        if batches
        else nulls(0, column.type)
        for index, column in enumerate(schema)
    ]
    return with_columns(columns, schema, sum(batch.num_rows for batch in batches))
