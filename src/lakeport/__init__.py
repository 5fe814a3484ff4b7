"""Lakeport: an airport for a lakehouse.

Only the public names live here. Importing this module loads no heavy library (pyarrow, duckdb,
pyiceberg, sqlglot, pyspark); a test holds it to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from lakeport.app.lake.lake import Lake

__version__ = "0.1.0"

__all__ = ["__version__", "open"]


def open(project: str | PathLike[str] | None = None) -> Lake:  # noqa: A001  `lakeport.open` reads as it should
    """The lake of a project: of this folder, or of the nearest one above the working folder.

    >>> with lakeport.open("shop") as lake:
    ...     with lake.table("raw.orders").scan(where="amount > 100", limit=10) as rows:
    ...         print(rows.read_all())
    """
    from lakeport.app.lake.open import open_lake  # noqa: PLC0415  loads pyarrow and PyIceberg

    return open_lake(project)
