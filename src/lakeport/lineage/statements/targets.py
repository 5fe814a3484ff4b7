"""Writing: a target relation, and query columns assigned to its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.scope import Column, Item, Output, Ref, Relation, Tail, explicit
from lakeport.lineage.bind.tables import known_table, report_computed, report_lookup
from lakeport.lineage.bind.written_names import is_table_variable, written_name
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def target_table(binder: Binder, node: exp.Expr, *, expected: bool = True) -> Relation:
    """The relation a statement writes to; `expected` ones must exist already."""
    parts, shown = written_name(binder, node)
    report_computed(binder, node, shown)
    if not isinstance(node.this, exp.Identifier | exp.Dot) and not is_table_variable(
        binder, node.this
    ):
        text = shown[-1] if shown else node.sql(comments=False)
        relation = binder.external(text, text, read=False)
    else:
        relation = known_table(binder, parts, shown, node, write=True)
        if expected:
            report_lookup(binder, binder.registry.lookup(parts), relation)
    relation.written = True
    binder.writes.setdefault(dotted(relation.name))
    return relation


def target_column(binder: Binder, target: Relation, identifier: exp.Expr) -> Column:
    """A column named in a statement's own list; unknown ones are reported and kept."""
    key = binder.key(identifier)
    return target.find(key) or new_column(binder, target, identifier.name, key, identifier)


def new_column(  # noqa: PLR0913 - a column, and where it is told from
    binder: Binder,
    target: Relation,
    name: str,
    key: str,
    at: exp.Expr | None = None,
    *,
    extent: tuple[int, int] | None = None,
    expected: bool = False,
) -> Column:
    """One that nobody told of. Where all are known it is reported, and what reaches it is a guess.

    That is so unless it was to be `expected`.
    """
    column = Column(name, key)
    column.inferred = True
    if target.complete and not expected:
        column.approximate = True
        binder.report(
            IssueCode.UNKNOWN_COLUMN,
            f"`{dotted(target.name)}` has no column `{name}`",
            at=at,
            extent=extent,
            relation=target,
            column=name,
        )
    return target.add(column)


def assign(
    target: Column, source: Column, operation: str | None = None, *, approximate: bool = False
) -> None:
    """A value flows into a column of the target."""
    refs = explicit(source, operation)
    if approximate or (target.inferred and target.approximate):
        # A column the target is known not to have is a guess, and so is what reaches it.
        refs = [replace(ref, approximate=True) for ref in refs]
    target.refs = [*target.refs, *refs]
    target.identity = True
    if source.text is not None and target.text is None and not source.identity:
        target.text = source.text
    target.expression = source.expression


def assign_by_position(
    binder: Binder, target: Relation, columns: list[Column], output: Output, at: exp.Expr
) -> None:
    """Query columns to target columns in order, exact up to the first open tail."""
    items = output.items
    for position, item in enumerate(items):
        if isinstance(item, Tail):
            _assign_open(target, columns[position:], items[position:])
            return
        if position < len(columns):
            assign(columns[position], item)
    if not _fits(binder, len(items), len(columns), at):
        binder.report(
            IssueCode.COLUMN_COUNT_MISMATCH,
            f"`{dotted(target.name)}` takes {len(columns)} columns, but the query has {len(items)}",
            at=at,
            relation=target,
            hint="name one target column for each column of the query",
        )
        for item in items[len(columns) :]:
            if isinstance(item, Column):
                target.inputs += [
                    ref.origin for ref in item.refs if isinstance(ref.origin, Relation)
                ]


def _fits(binder: Binder, given: int, wanted: int, at: exp.Expr) -> bool:
    """Whether the rows are wide enough; a row of defaults has no columns at all, and always is."""
    if not given or given == wanted:
        return True
    return given < wanted and binder.dialect.short_rows and not isinstance(at.this, exp.Schema)


def _assign_open(target: Relation, columns: list[Column], items: list[Item]) -> None:
    """After an open tail positions mean nothing: by name where possible, else table to table."""
    named = {column.key: column for column in columns}
    for item in items:
        if isinstance(item, Tail):
            target.tails = (*target.tails, item)
            for key, column in named.items():
                if key not in item.excluded and not column.refs:
                    origin = item.relation.find(key)
                    if origin is not None:
                        column.refs, column.identity = [Ref(origin, approximate=True)], True
        elif item.key in named:
            assign(named[item.key], item, approximate=True)


def assign_by_name(binder: Binder, target: Relation, output: Output, *, known: bool) -> None:
    """`BY NAME`, or a target of which nothing is known: names decide."""
    for item in output.items:
        if isinstance(item, Tail):
            target.tails = (*target.tails, item)
            continue
        column = target.find(item.key)
        if column is None:
            place, expected = item.span, not known
            column = new_column(
                binder, target, item.name, item.key, extent=place, expected=expected
            )
            column.span, column.generated = place, item.generated
        elif column.refs and not known:
            # A repeated name in a query into an unknown table: position is identity.
            column = Column(item.name, item.key)
            target.add(column)
        assign(column, item, approximate=not known and item.generated)
