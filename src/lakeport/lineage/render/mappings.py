"""Column mappings as rows: which column gets its values from which, one line per pair."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from lakeport.lineage.render.picture import picture_of

if TYPE_CHECKING:
    from lakeport.lineage.result import AnalyzeResult


@dataclass(frozen=True, slots=True)
class Mapping:
    """One source of one column. `source_column` is empty when a whole relation is counted."""

    target: str
    target_column: str
    source: str
    source_column: str
    kind: str
    approximate: bool


def mappings(result: AnalyzeResult) -> list[Mapping]:
    """Every pair of columns with values flowing between them, in the order of the result."""
    picture = picture_of(result)
    return [
        Mapping(
            target=picture.relations[picture.home(arrow.target)].name,
            target_column=picture.names[arrow.target],
            source=picture.relations[picture.home(arrow.source)].name,
            source_column=picture.names.get(arrow.source, ""),
            kind=arrow.kind,
            approximate=arrow.approximate,
        )
        for arrow in picture.column_arrows
    ]


def csv_text(result: AnalyzeResult) -> str:
    """The mappings as CSV with a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(field.name for field in fields(Mapping))
    for row in mappings(result):
        writer.writerow(
            str(cell).lower() if isinstance(cell, bool) else _inert(cell) for cell in astuple(row)
        )
    return out.getvalue()


def _inert(cell: str) -> str:
    """A name that a spreadsheet would run as a formula gets a quote in front."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@")) else cell
