"""Where a file may be entered: the first rows of its row groups, one after the other, and its end.

Whoever wants rows here and there needs to know what lies between them. Formats other than Parquet are
read from their beginning.
"""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
from pyiceberg.schema import Schema

from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.files.footer import footer_of
from lakeport.catalog.iceberg.files.task import task_of
from lakeport.catalog.iceberg.files.wanted import Wanted
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.iceberg.storage import open_file
from lakeport.catalog.rows.rowid import Numbers


def group_starts(source: Source, file: DataFile) -> Numbers:
    """The last entry is the number of rows."""
    if file.format.upper() != "PARQUET":
        return np.array([0, file.rows], np.int64)
    task = task_of(source, file, Wanted(Schema(), ()))
    with reading(task.what), ExitStack() as stack:
        footer = footer_of(task, lambda: stack.enter_context(open_file(source.io, file.path)))
        return footer.starts
