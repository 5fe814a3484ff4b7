"""Calls of functions that the workload creates: what their values and rows are made of.

A function's body is bound once, where it is created; what each of its columns reads is kept as names
of stored columns and numbers of parameters, and put together with the arguments of each call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.scope import FILTER, Column, Ref, Relation
from lakeport.lineage.bind.tables import known_table
from lakeport.lineage.names import dotted
from lakeport.lineage.routines import Body, Input, Made

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Scope
    from lakeport.lineage.names import Name


def body_called(binder: Binder, function: exp.Expr) -> Body | None:
    """The function of the workload that a call means, if what its body reads is known."""
    if not binder.registry.has_routines or function.__class__ is not exp.Anonymous:
        return None
    arguments = len(function.expressions)
    routine = binder.registry.routine(function.name, arguments)
    return routine.body if routine is not None and routine.fits(arguments) else None


def call_inputs(
    binder: Binder, function: exp.Expr, body: Body, scope: Scope
) -> list[tuple[list[Ref], bool]]:
    """For each column that a call gives: what it is made of, and whether that is copied."""
    arguments = _arguments(binder, function, body, scope)
    tables: dict[Name, Relation] = {}

    def found(inputs: tuple[Input, ...]) -> list[Ref]:
        refs: list[Ref] = []
        for source in inputs:
            if isinstance(source.origin, int):
                refs += [_through(ref, source) for ref in arguments.get(source.origin, ())]
            else:
                refs += _stored(binder, source, source.origin, tables)
        return refs

    columns = [(found(made.inputs), made.copied) for made in body.made or ()]
    if binder.wants_indirect:
        scope.indirect += [(replace(ref, role=FILTER), "FILTER") for ref in found(body.decides)]
    return columns


def _arguments(
    binder: Binder, function: exp.Expr, body: Body, scope: Scope
) -> dict[int, list[Ref]]:
    """What each argument reads, by the number of its parameter."""
    read: dict[int, list[Ref]] = {}
    for place, argument in enumerate(function.expressions):
        if isinstance(argument, exp.Kwarg | exp.PropertyEQ):
            name = binder.folding.column(argument.this.name)
            place = body.parameters.index(name) if name in body.parameters else place  # noqa: PLW2901
        read[place] = binder.read(argument, scope)
    return read


def _through(ref: Ref, source: Input) -> Ref:
    """What an argument reads is computed with, even where a body hands it on as it is."""
    masking = ref.masking or source.masking
    return replace(ref, role=source.role or ref.role, derived=True, masking=masking)


def _stored(binder: Binder, source: Input, name: Name, tables: dict[Name, Relation]) -> list[Ref]:
    """A column of a table that the body reads, which the call reads, too."""
    relation = tables.get(name)
    if relation is None:
        # What there is to say about the table was said where the function is created.
        relation = tables[name] = known_table(binder, name, name, exp.Table(), write=True)
        relation.is_read = True
        binder.reads.setdefault(dotted(relation.name))
    if source.column is None:
        known = source.operation is not None
        return [Ref(relation, source.role, approximate=not known, operation=source.operation)]
    key = binder.folding.column(source.column, quoted=True)
    column = relation.find(key) or binder.inferred(relation, source.column, key)
    if column is None:
        return []
    return [Ref(column, source.role, masking=source.masking, derived=not source.copied)]


def read_body(
    columns: list[Column],
    shown: tuple[tuple[str, str], ...],
    decides: list[tuple[Ref, str]],
    parameters: Relation,
) -> Body:
    """What the columns of a body are made of, in stored columns and parameters."""
    numbers = {id(column): place for place, column in enumerate(parameters.columns)}
    made = [Made(_traced(column, numbers), copied=column.identity) for column in columns]
    filters = _traced(Column("", "", refs=[ref for ref, _ in decides]), numbers)
    names = tuple(column.key for column in parameters.columns)
    return Body(shown, tuple(made), filters, names)


def united(bodies: list[Body]) -> Body:
    """What a function gives that returns the rows of one query or another."""
    first = bodies[0]
    if len(bodies) == 1:
        return first
    made = [body.made for body in bodies if body.made is not None]
    if len(made) < len(bodies) or len({len(columns) for columns in made}) > 1:
        return Body(first.columns)
    columns = [
        Made(
            tuple(dict.fromkeys(source for part in parts for source in part.inputs)),
            copied=all(part.copied for part in parts),
        )
        for parts in zip(*made, strict=True)
    ]
    decides = tuple(dict.fromkeys(source for body in bodies for source in body.decides))
    return Body(first.columns, tuple(columns), decides, first.parameters)


def _traced(column: Column, numbers: dict[int, int]) -> tuple[Input, ...]:
    """The stored columns and parameters that a column of a body comes from, through its queries."""
    found: dict[Input, None] = {}
    seen: set[tuple[int, int, bool, bool]] = set()
    pending = [(ref, ref.role, column.identity, ref.masking) for ref in reversed(column.refs)]
    while pending:
        ref, role, copied, masking = pending.pop()
        origin = ref.origin
        copied = copied and not ref.derived and not ref.path
        way = (id(origin), role, copied, masking)
        if way in seen:
            continue
        seen.add(way)
        relation = origin.relation if isinstance(origin, Column) else origin
        if id(origin) in numbers:
            found[Input(numbers[id(origin)], None, role, copied, masking)] = None
        elif relation is not None and relation.local_kind is None:
            name = origin.key if isinstance(origin, Column) else None
            found[Input(relation.name, name, role, copied, masking, ref.operation)] = None
        elif isinstance(origin, Column):
            pending += [
                (inner, role or inner.role, copied and origin.identity, masking or inner.masking)
                for inner in reversed(origin.refs)
            ]
    return tuple(found)
