"""The columns of a model's query, told by whoever knows them without computing anything.

First the last run, if model and inputs are what they were then: Spark itself said it. Then lineage, where
it is certain of every type. Then Spark, if it may be asked. What nobody knows stays unknown, by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

from lakeport.core.names import NameMap
from lakeport.pipeline.graph.model import Node
from lakeport.pipeline.growth.model import Field, Schema
from lakeport.pipeline.planning.model import Known, PlannedColumn
from lakeport.pipeline.planning.staged import StagedColumns

NOT_LOADED = "SOURCE_NOT_LOADED"
"""The graph's own word for a source that is declared and not there."""

# Spark may refuse such a query, or may mean something else by it.
_DOUBTFUL = frozenset(
    {
        *("UNKNOWN_COLUMN", "AMBIGUOUS_COLUMN", "UNRESOLVED_REFERENCE", "COLUMN_COUNT_MISMATCH"),
        *("TYPE_MISMATCH", "UNSUPPORTED_SYNTAX", "PARSE_ERROR"),
    }
)


@dataclass(frozen=True, slots=True)
class Told:
    """`columns` is None where not even names are known."""

    columns: tuple[PlannedColumn, ...] | None
    known: Known | None

    @property
    def schema(self) -> Schema | None:
        """All of it, or None."""
        if self.columns is None:
            return None
        typed = tuple(Field(each.name, each.type) for each in self.columns if each.type is not None)
        return typed if len(typed) == len(self.columns) else None

    @property
    def unknown(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.columns or () if each.type is None)

    def over(self, held: Schema) -> Schema | None:
        """The query's columns as far as a growth plan can be made of them, None without names.

        Where the table has a column of that name it is taken to stay as it is; a new one whose type
        nobody knows is left out.
        """
        if self.columns is None:
            return None
        types = NameMap((field.name, field.type) for field in held)
        found = ((each.name, each.type or types.get(each.name)) for each in self.columns)
        return tuple(Field(name, type_) for name, type_ in found if type_ is not None)


def told_by(schema: Schema, known: Known) -> Told:
    return Told(tuple(PlannedColumn(field.name, field.type) for field in schema), known)


def from_lineage(node: Node) -> Told:
    """Types that are guesses are left out; `known` only if there is none."""
    if node.columns is None:
        return Told(None, None)
    columns = tuple(
        PlannedColumn(each.name, each.type if each.certain else None) for each in node.columns
    )
    is_whole = all(each.type is not None for each in columns)
    is_sure = not any(issue.code in _DOUBTFUL for issue in node.issues)
    return Told(columns, "lineage" if is_whole and is_sure else None)


def still_holds(
    staged: StagedColumns | None, was: str | None, node: Node, reads: Mapping[str, str | None]
) -> TypeGuard[StagedColumns]:
    """Whether a record is of this model on these inputs; `reads` are their marks, None if unknown."""
    if staged is None or staged.reads is None or was != node.model.fingerprint:
        return False
    if any(each.kind == "self" for each in node.references):
        return False  # its own table has grown since
    return dict(staged.reads) == dict(reads)
