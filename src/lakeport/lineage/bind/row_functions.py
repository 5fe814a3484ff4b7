"""BigQuery's functions of rows: what goes in as a table or a query comes out again, with columns added to it.

`APPENDS` tells how the rows came, a model adds what it makes of them, `GAP_FILL` keeps what it is told to fill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.qualified import relation_refs
from lakeport.lineage.bind.scope import VALUE, Column, Ref, Relation, Scope, copied
from lakeport.lineage.types import SqlType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakeport.lineage.bind.binder import Binder

_CHANGES = frozenset({"appends", "changes"})
_CHANGE_COLUMNS = (("_CHANGE_TYPE", "string"), ("_CHANGE_TIMESTAMP", "timestamp"))
# What a model is applied to comes out with what it says.
_APPLIED = frozenset(
    {
        *("detect_anomalies", "explain_predict", "generate_bool", "generate_double"),
        *("generate_embedding", "generate_int", "generate_table", "generate_text", "m_l_translate"),
        *("predict", "process_document", "range_sessionize", "transcribe", "transform"),
        *("annotate_image", "understand_text", "features_at_time"),
    }
)
# Of these the first argument is the rows, of other functions with a model it is the model.
_WITHOUT_MODEL = (exp.AIForecast, exp.FeaturesAtTime, exp.GapFill)


def fill_from_rows(
    binder: Binder, function: exp.Expr, label: str, relation: Relation, scope: Scope
) -> bool:
    """Give a function the columns of its rows, and more; False if it is none of these."""
    if binder.dialect.name != "bigquery":
        return False
    if label not in _CHANGES and label not in _APPLIED and not isinstance(function, exp.GapFill):
        return False
    rows = _rows(function)
    if rows is None:
        return False
    inner = Scope(scope, scope.ctes)
    binder.source(rows, inner)
    if isinstance(function, exp.GapFill):
        _fill_gaps(binder, function, relation, inner)
        return True
    relation.arguments = []
    for source in inner.sources:
        for column in source.relation.known():
            relation.add(copied(column))
        relation.arguments += [
            replace(ref, derived=True) for ref in relation_refs(source.relation, VALUE)
        ]
    if label not in _CHANGES or not all(source.relation.complete for source in inner.sources):
        relation.complete = False
    for name, kind in _CHANGE_COLUMNS if label in _CHANGES else ():
        column = Column(name, binder.folding.column(name))
        column.type, column.typed = SqlType(kind), True
        relation.add(column)
    return True


def table_argument(function: exp.Expr) -> exp.Expr | None:
    """The rows of a function that takes some, whatever it makes of them."""
    return _rows(function) if isinstance(function, _WITHOUT_MODEL) else None


def _rows(function: exp.Expr) -> exp.Expr | None:
    """The table or query among the arguments."""
    if isinstance(function, exp.Anonymous):
        found = next((one for one in function.expressions if isinstance(one, exp.Query)), None)
    else:
        found = function.args.get("this" if isinstance(function, _WITHOUT_MODEL) else "expression")
    if isinstance(found, exp.Query) and not isinstance(found, exp.Subquery):
        return exp.Subquery(this=found)
    return found if isinstance(found, exp.Table | exp.Subquery) else None


def _fill_gaps(binder: Binder, function: exp.Expr, relation: Relation, scope: Scope) -> None:
    """The columns that are named in the call: those of time, of series and of values."""
    rows = scope.sources[0].relation if scope.sources else None
    for name in _named(function):
        key = binder.folding.column(name)
        found = None if rows is None else rows.find(key) or binder.inferred(rows, name, key)
        column = Column(name, key)
        column.refs = [] if found is None else [Ref(found, derived=True)]
        relation.add(column)


def _named(function: exp.Expr) -> Iterator[str]:
    for argument in ("ts_column", "partitioning_columns", "value_columns"):
        node = function.args.get(argument)
        value = node.expression if isinstance(node, exp.Kwarg) else node
        for item in value.expressions if isinstance(value, exp.Array) else [value]:
            first = item.expressions[0] if isinstance(item, exp.Tuple) else item
            if isinstance(first, exp.Literal):
                yield first.name
