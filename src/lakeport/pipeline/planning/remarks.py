"""What is worth knowing of a model's columns beside how its table grows: what is lost, kept, or not possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lakeport.core.errors import LakeportError, NotFoundError
from lakeport.core.names import NameMap, fold, quoted
from lakeport.pipeline.graph.model import Node
from lakeport.pipeline.growth.model import Foreign, Schema
from lakeport.pipeline.growth.plan import Plan, dotted
from lakeport.pipeline.growth.planner import plan_growth
from lakeport.pipeline.growth.policy import Policy
from lakeport.pipeline.planning.columns import NOT_LOADED, Told
from lakeport.pipeline.planning.known import VOID
from lakeport.pipeline.planning.model import Obstacle
from lakeport.pipeline.planning.reasons import LastBuilt
from lakeport.pipeline.project.model import Severity


def said(node: Node) -> Iterator[str]:
    """What lineage noticed, where nobody who knows better was asked."""
    for issue in node.issues:
        if issue.severity != "info" and issue.code != NOT_LOADED:
            hint = f" ({issue.hint})" if issue.hint else ""
            yield f"{issue.place}: {issue.message}{hint}"


def kept(held: Schema, last: LastBuilt | None, policy: Policy) -> frozenset[str]:
    """Padded columns that are no news: the last run gave nothing for them either.

    Its query may have lacked them, given a bare NULL, or values of a type that are put beside them.
    """
    if last is None or last.columns is None:
        return frozenset()
    then = plan_growth(held, last.columns.columns, policy)
    return frozenset(fold(dotted(each.path)) for each in then.padded)


def emptied(growth: Plan) -> Iterator[str]:
    """What only old rows had values in, of a table whose rows are all written anew for once."""
    names = [quoted(dotted(each.path)) for each in growth.padded]
    if names:
        kept = "column" if len(names) == 1 else "columns"
        yield f"the values of {kept} {', '.join(names)} go with the rows: the model has none to put there"


def unaudited(node: Node, told: Told, beside: Schema = ()) -> Iterator[tuple[Severity, Obstacle]]:
    """Audits of columns that the rows will not have; `beside` is what the table has, where it is asked of that."""
    if told.known is None or told.columns is None:
        return
    given = [*(each.name for each in told.columns), *(field.name for field in beside)]
    names = NameMap((name, name) for name in given)
    for audit in node.model.settings.audits:
        for column in audit.columns:
            if column not in names:
                where = (
                    f"{node.model.path}:{audit.line}: for its audit {quoted(audit.name)} the model"
                )
                error = NotFoundError.among("column", column, names, where=where)
                yield audit.severity, Obstacle("audit", error.message, error.hint)


def unpartitioned(terms: Sequence[str], after: Schema) -> Iterator[Obstacle]:
    """Partitions that a new table cannot have."""
    if not terms:
        return
    from lakeport.catalog.iceberg.layout import require_partition_term  # noqa: PLC0415  loads PyIceberg
    from lakeport.pipeline.growth import arrow_schema  # noqa: PLC0415  loads Arrow

    for term in terms:
        try:
            require_partition_term(term, arrow_schema(after))
        except LakeportError as error:
            yield Obstacle(error.code, f"for its partitioned_by: {error.message}", error.hint)


def unviewable(told: Told) -> Iterator[Obstacle]:
    """A table stores such a type as text; the columns of a view are what its query gives."""
    for column in told.columns or ():
        if isinstance(column.type, Foreign) and column.type != VOID:
            yield Obstacle(
                "unmappable_type",
                f"column {quoted(column.name)} has the type {column.type.text}, which no view can have",
                f"cast it: CAST({column.name} AS STRING) AS {column.name}",
            )


def lost(known: tuple[tuple[str, str], ...], told: Told) -> list[str]:
    given = {fold(each.name) for each in told.columns or ()}
    return [name for name, _ in known if fold(name) not in given]
