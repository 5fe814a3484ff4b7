"""Rows that failed an audit, kept in a table where their owner can look at them: those of the last time."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping

from lakeport.core.errors import LakeportError
from lakeport.core.names import TableName
from lakeport.pipeline.graph import Node
from lakeport.pipeline.growth import Policy
from lakeport.pipeline.project.model import Audit
from lakeport.pipeline.staging import Query
from lakeport.pipeline.target import Run
from lakeport.pipeline.writing import Engine, WriteRequest

_log = logging.getLogger(__name__)

AUDITS = "lakeport_audits"
"""The namespace of such tables."""

KEPT = 1_000
"""Rows of each audit."""


def failure_table(node: Node, audit: Audit) -> TableName:
    namespace = node.table.namespace.replace(".", "__")
    return TableName(AUDITS, f"{namespace}__{node.table.table}__{audit.name}".replace("/", "_"))


def store(
    engine: Engine,
    node: Node,
    audit: Audit,
    failing: str,
    parameters: Mapping[str, object],
    run: Run,
) -> TableName | None:
    """None if they could not be stored, which is no reason to say anything else than that they fail."""
    into = failure_table(node, audit)
    request = WriteRequest(into, strategy="full", policy=Policy("side_column", "relax"))
    # Not the run's own id: a run that is repeated after a crash stores what fails then.
    kept = Run(f"{run.id}-{uuid.uuid4().hex[:8]}", model=f"{node.name}:{audit.name}")
    query = f"SELECT * FROM (\n{failing}\n) LIMIT {KEPT}"  # noqa: S608
    try:
        engine.write(Query(query, parameters), request, kept)
    except LakeportError as error:
        _log.warning(
            "audit.not_stored",
            extra={"model": str(node.name), "audit": audit.name, "reason": str(error)},
        )
        return None
    return into
