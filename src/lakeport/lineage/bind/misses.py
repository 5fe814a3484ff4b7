"""Names that do not bind cleanly: ambiguous, unknown, assumed. Each is reported once, with a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.core.names import nearest
from lakeport.lineage.bind.engine_names import called_by_engine
from lakeport.lineage.bind.scope import Column, Ref, Relation
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted
from lakeport.lineage.types import read_type

# What Spark tells of the file a row comes from, whatever its format, and of the row in some.
_FILE_METADATA = (
    "file_path:string,file_name:string,file_size:bigint,file_block_start:bigint,"
    "file_block_length:bigint,file_modification_time:timestamp"
)
_ROW_METADATA = {"parquet": ",row_index:bigint"}

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def ambiguous(binder: Binder, identifier: exp.Expr, columns: list[Column], role: int) -> list[Ref]:
    owners = [dotted(column.relation.name) for column in columns if column.relation]
    binder.report(
        IssueCode.AMBIGUOUS_COLUMN,
        f"column `{identifier.name}` could come from {' or '.join(f'`{owner}`' for owner in dict.fromkeys(owners))}",
        at=identifier,
        column=identifier.name,
        hint="qualify it with the table's alias",
    )
    return [Ref(column, role, approximate=True) for column in columns]


def several_outputs(binder: Binder, identifier: exp.Expr) -> None:
    """A clause behind the select list names two of its columns at once."""
    binder.report(
        IssueCode.AMBIGUOUS_COLUMN,
        f"several outputs are called `{identifier.name}`",
        at=identifier,
        column=identifier.name,
        hint="give each of them a name of its own",
    )


def unknown_column(
    binder: Binder,
    identifier: exp.Expr,
    name: str,
    key: str,
    relations: list[Relation],
    role: int,
) -> list[Ref]:
    meant = called_by_engine(binder, relations, key)
    if meant is not None:
        return [Ref(meant, role)]
    rows = [
        relation
        for relation in relations
        if relation.arguments and relation.columns and relation.local_kind == "lateral"
    ]
    if len(rows) == 1 and binder.dialect.name == "bigquery":
        # Nobody else has it, so it is a field of what an array of unknown type holds.
        return [Ref(rows[0].columns[0], role, approximate=True, path=name)]
    known = [column.name for relation in relations for column in binder.column_names(relation)]
    close = nearest(name, known)
    relation = relations[0] if len(relations) == 1 else None
    dropped = relation.entry.dropped_columns.get(key) if relation and relation.entry else None
    if dropped is not None:
        hint: str | None = f"dropped in statement {dropped}"
    elif close:
        hint = f"did you mean `{close}`?"
    else:
        hint = "add it to schema.tables, or correct the name"
    where = f"`{dotted(relation.name)}`" if relation else "no table in scope"
    binder.report(
        IssueCode.UNKNOWN_COLUMN,
        f"{where} has no column `{name}`" if relation else f"{where} has a column `{name}`",
        at=identifier,
        relation=relation,
        column=name,
        suggestions=[close] if close else [],
        hint=hint,
    )
    if relation is None:
        return []
    return [Ref(assumed(relation, name, key), role, approximate=True)]


def out_of_reach(binder: Binder, identifier: exp.Expr) -> None:
    """The column is there, but the engine does not look that far."""
    binder.report(
        IssueCode.UNKNOWN_COLUMN,
        f"column `{identifier.name}` belongs to a query too far out to be seen from here",
        at=identifier,
        column=identifier.name,
        hint="hand it down through the query in between",
    )


def pseudo_column(binder: Binder, relation: Relation, name: str, key: str) -> Column:
    """A column that the engine adds to every table, and that no star shows."""
    held = relation.index.get(key)
    if held is not None:
        return held
    column = assumed(relation, name, key)
    if binder.dialect.naming == "spark" and key == "_metadata":
        column.approximate = False
        file_format = relation.entry.file_format if relation.entry is not None else None
        fields = f"{_FILE_METADATA}{_ROW_METADATA.get(file_format or '', '')}"
        column.type, column.typed = read_type(f"struct<{fields}>", "spark"), True
    return column


def assumed(relation: Relation, name: str, key: str) -> Column:
    """A column the statement says exists."""
    column = Column(name, key)
    column.approximate = True
    column.inferred = True
    if relation.entry is None and relation.complete:
        # A derived table's list is what it is: do not widen it for later stars.
        column.relation = relation
        relation.index.setdefault(key, column)
        relation.extra = (*relation.extra, column)
        return column
    return relation.add(column)
