"""Functions in Python that are called from SQL: how to write them, and how they are run.

`@scalar_function`, `@table_function` and `@table_in_out` make a Python function one that a namespace holds;
it stays callable as it was. `workers` runs functions in processes of their own, `project` finds those of a
project's folder. Names are loaded when they are asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lakeport.catalog.scan import Scan
    from lakeport.core.request import Request, current_request
    from lakeport.functions.declared import RowCount
    from lakeport.functions.in_out import table_in_out
    from lakeport.functions.limits import Limits
    from lakeport.functions.mistakes import DeclarationError
    from lakeport.functions.scalar import scalar_function
    from lakeport.functions.table import table_function

__all__ = [
    "DeclarationError",
    "Limits",
    "Request",
    "RowCount",
    "Scan",
    "current_request",
    "scalar_function",
    "table_function",
    "table_in_out",
]

_HOMES = {
    "DeclarationError": "lakeport.functions.mistakes",
    "Limits": "lakeport.functions.limits",
    "Request": "lakeport.core.request",
    "RowCount": "lakeport.functions.declared",
    "Scan": "lakeport.catalog.scan",
    "current_request": "lakeport.core.request",
    "scalar_function": "lakeport.functions.scalar",
    "table_function": "lakeport.functions.table",
    "table_in_out": "lakeport.functions.in_out",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)
