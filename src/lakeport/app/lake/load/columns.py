"""Columns of a file that make no sense by themselves, or not for the table they are loaded into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import fold, nearest, quoted, twins


def refuse_twins(label: str, names: Sequence[str]) -> None:
    pair = twins(names)
    if pair is None:
        return
    detail = "" if pair[0] == pair[1] else " (names are matched without regard to case)"
    raise InvalidRequestError(
        f"{label} has two columns called {quoted(pair[0])}{detail}", hint="rename one of them"
    )


def refuse_others(label: str, names: Iterable[str], schema: pa.Schema) -> None:
    """A load never changes a table's columns."""
    known = {fold(name) for name in schema.names}
    others = [name for name in names if fold(name) not in known]
    if not others:
        return
    close = nearest(others[0], schema.names) if len(others) == 1 else None
    held = ", ".join(schema.names[:12]) + (", …" if len(schema.names) > 12 else "")
    raise InvalidRequestError(
        f"{label} has columns that the table lacks: {', '.join(map(quoted, others))}",
        hint=f"did you mean {quoted(close)}?" if close else f"the table has {held}",
    )
