"""What the builders of statements are given, worked out from the table, the query and the request. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.core.names import fold, quoted
from lakeport.pipeline.growth import Plan, Schema, plan_growth
from lakeport.pipeline.growth.spark_select import literal
from lakeport.pipeline.strategies import Relation, Write, builder_of, statements
from lakeport.pipeline.target import Head, Run
from lakeport.pipeline.writing.request import WriteRequest


def planned(head: Head | None, source: Schema, request: WriteRequest) -> Plan:
    return plan_growth(() if head is None else head.columns, source, request.policy)


def prepared(
    request: WriteRequest,
    plan: Plan,
    head: Head | None,
    target: Relation,
    staged: Relation,
    run: Run,
) -> Write:
    """An unusable key or range is refused here, whatever the strategy needs of it later."""
    write = Write(
        target=target,
        staged=staged,
        projection=plan.projection,
        unique_key=request.unique_key,
        null_keys=request.null_keys,
        partitioned_by=partition_terms(request, head),
        time_range=request.time_range,
        branch=run.branch,
    )
    builder_of(request.chosen)(write)
    return write


def partition_terms(request: WriteRequest, head: Head | None) -> tuple[str, ...]:
    """The table's own, once there is one."""
    return request.partitioned_by if head is None else head.definition.partitioned_by


def property_texts(request: WriteRequest, head: Head | None, target: Relation) -> tuple[str, ...]:
    """What the model wants of the table, where the table has it otherwise; a new one is made with it."""
    wanted = {} if head is None else request.wanted_properties
    held = {} if head is None else head.properties
    missing = {key: value for key, value in wanted.items() if held.get(key) != value}
    if not missing:
        return ()
    pairs = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in missing.items())
    return (f"ALTER TABLE {Relation(target.parts).sql} SET TBLPROPERTIES ({pairs})",)


def texts(request: WriteRequest, write: Write, *, aside: bool) -> tuple[str, ...]:
    return tuple(each.sql for each in statements(request.chosen, write, aside=aside))


def warnings(request: WriteRequest, plan: Plan, head: Head | None) -> Iterator[str]:
    """What is worth saying before anything is computed."""
    yield from (str(found) for found in plan.unmapped)
    if head is not None and request.partitioned_by:
        wanted, held = (
            tuple(fold(term.replace(" ", "")) for term in terms)
            for terms in (request.partitioned_by, head.definition.partitioned_by)
        )
        if wanted != held:
            shown = ", ".join(head.definition.partitioned_by) or "nothing"
            yield f"table {quoted(str(head.name))} stays partitioned by {shown}"
