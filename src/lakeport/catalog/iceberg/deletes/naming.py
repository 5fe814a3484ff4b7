"""What messages call a delete file."""

from __future__ import annotations

from lakeport.catalog.iceberg.failures import last_name
from lakeport.catalog.iceberg.parts import DeleteFile, Source
from lakeport.core.names import quoted


def delete_name(source: Source, delete: DeleteFile) -> str:
    return f"delete file {quoted(last_name(delete.path))} of table {quoted(str(source.name))}"
