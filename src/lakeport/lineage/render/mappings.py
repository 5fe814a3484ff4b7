"""Mappings as rows: which column or relation depends on which, one line per pair."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from lakeport.lineage.render.picture import picture_of

if TYPE_CHECKING:
    from lakeport.lineage.result import AnalyzeResult


_HOW = {"data_flow": "copied", "derivation": "computed", "join_dependency": "joins"}
_DECIDES = {"FILTER": "filters", "JOIN": "joins", "GROUP_BY": "groups", "SORT": "sorts"}


@dataclass(frozen=True, slots=True)
class Mapping:
    """One source of one target. Without a column an end is a whole relation: a star nobody could
    expand, rows that are counted or joined, and what conditions decide about.
    """

    target: str
    target_column: str
    source: str
    source_column: str
    kind: str
    approximate: bool
    role: str = ""

    @property
    def how(self) -> str:
        """For people."""
        return _HOW.get(self.kind) or _DECIDES.get(self.role, "decides")

    @property
    def target_name(self) -> str:
        return f"{self.target}.{self.target_column}" if self.target_column else self.target

    @property
    def source_name(self) -> str:
        whole = f"rows of {self.source}"
        return f"{self.source}.{self.source_column}" if self.source_column else whole


def mappings(result: AnalyzeResult) -> list[Mapping]:
    """What flows into each column, then into relations as a whole, in the order of the result."""
    picture = picture_of(result)
    return [
        Mapping(
            target=picture.relations[picture.home(arrow.target)].name,
            target_column=picture.names.get(arrow.target, ""),
            source=picture.relations[picture.home(arrow.source)].name,
            source_column=picture.names.get(arrow.source, ""),
            kind=arrow.kind,
            approximate=arrow.approximate,
            role=arrow.role,
        )
        for arrow in picture.listed()
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
