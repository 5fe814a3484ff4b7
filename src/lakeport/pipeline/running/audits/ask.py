"""Audits asked of rows: one statement for all of them, and one more for each that fails.

If the statement itself fails, they are asked one by one, so that the one to blame is named and the others
are answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lakeport.core.names import NameMap, TableName, nearest, quoted
from lakeport.pipeline.console import Console, SparkError
from lakeport.pipeline.graph import AuditNode, Node, Query
from lakeport.pipeline.growth import Schema
from lakeport.pipeline.project.model import Audit, Value
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.queries.sentences import in_short
from lakeport.pipeline.running.audits.questions import Question, combined, question_of
from lakeport.pipeline.running.parameters import parameters_of
from lakeport.pipeline.running.result import AuditResult
from lakeport.pipeline.strategies import Relation
from lakeport.pipeline.strategies.write import MEANING

SAMPLE = 5
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Asking:
    """Rows and who asks: `rows` is the relation, `schema` its columns.

    `keep` stores the rows of a failed audit and says where, or None.
    """

    console: Console
    node: Node
    rows: Relation
    schema: Schema
    reading: Reading
    keep: Callable[[Audit, str, Mapping[str, object]], TableName | None]
    values: Mapping[str, Value] = field(default_factory=dict)
    """Parameters that the SQL of an audit may name."""

    def rows_of(
        self, sql: str, parameters: Mapping[str, object]
    ) -> tuple[list[str], Sequence[Sequence[Any]]]:
        """With the names of their columns."""
        console = self.console
        with console.settings(MEANING), console.failing():
            frame = console.frame(sql, parameters)
            return frame.columns, frame.collect()


def ask(asking: Asking) -> tuple[AuditResult, ...]:
    """An answer for each audit of the model, in its order."""
    wrong = {id(node): _unknown_column(node.audit, asking.schema) for node in asking.node.audits}
    nodes = [node for node in asking.node.audits if wrong[id(node)] is None]
    answers = dict(zip(map(id, nodes), _answers(asking, nodes), strict=True))
    return tuple(
        answers.get(id(node)) or _unasked(node.audit, wrong[id(node)] or "")
        for node in asking.node.audits
    )


def _answers(asking: Asking, nodes: Sequence[AuditNode]) -> list[AuditResult]:
    if not nodes:
        return []
    reading = asking.reading
    questions = [
        question_of(node, asking.rows.sql, reading.name, reading.rewritten) for node in nodes
    ]
    try:
        given = parameters_of(_queries(nodes), asking.values)
        _, found = asking.rows_of(combined(questions, asking.rows.sql), given)
        (rows, *counts) = found[0]
    except SparkError as error:
        if error.gone is not None:
            raise error.gone from error
        if len(questions) == 1:
            reason, hint = in_short(error.sentence)
            return [_unasked(questions[0].audit, f"{reason}; {hint}" if hint else reason)]
        return [answer for node in nodes for answer in _answers(asking, [node])]
    return [
        _answer(asking, node, question, int(count), int(rows))
        for node, question, count in zip(nodes, questions, counts, strict=True)
    ]


def _queries(nodes: Sequence[AuditNode]) -> list[Query]:
    return [node.query for node in nodes if node.query is not None]


def _answer(
    asking: Asking, node: AuditNode, question: Question, failures: int, rows: int
) -> AuditResult:
    audit = question.audit
    if not failures:
        return AuditResult(audit.name, audit.kind, audit.severity, audit.line, 0)
    sample: tuple[Mapping[str, str | None], ...] = ()
    stored = None
    if question.failing is not None:
        given = parameters_of(_queries([node]), asking.values)
        sample = _sample(asking, question.failing, given)
        if audit.store_failures:
            stored = asking.keep(audit, question.failing, given)
    return AuditResult(
        audit.name,
        audit.kind,
        audit.severity,
        audit.line,
        failures,
        question.told(failures, rows),
        _narrowed(asking.node, audit, sample),
        stored,
    )


def _sample(
    asking: Asking, failing: str, given: Mapping[str, object]
) -> tuple[Mapping[str, str | None], ...]:
    with suppress(SparkError):  # that they fail is known; which ones is extra
        names, found = asking.rows_of(f"SELECT * FROM (\n{failing}\n) LIMIT {SAMPLE}", given)  # noqa: S608
        return tuple(
            {name: _shown(value) for name, value in zip(names, row, strict=True)} for row in found
        )
    return ()


def _narrowed(
    node: Node, audit: Audit, sample: Sequence[Mapping[str, str | None]]
) -> tuple[Mapping[str, str | None], ...]:
    """The columns that tell which row it is and what is wrong with it; all if nobody knows."""
    wanted = NameMap((name, name) for name in (*node.model.settings.unique_key, *audit.columns))
    narrowed = [{k: v for k, v in row.items() if k in wanted} for row in sample]
    return tuple(narrow or row for narrow, row in zip(narrowed, sample, strict=True))


def _shown(value: object) -> str | None:
    if value is None:
        return None
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _unknown_column(audit: Audit, schema: Schema) -> str | None:
    known = NameMap((field.name, field.name) for field in schema)
    for column in audit.columns:
        if column not in known:
            close = nearest(column, known)
            meant = f"; did you mean {quoted(close)}?" if close else ""
            return f"the model has no column {quoted(column)}{meant}"
    return None


def _unasked(audit: Audit, reason: str) -> AuditResult:
    return AuditResult(
        audit.name, audit.kind, audit.severity, audit.line, None, f"it cannot be asked: {reason}"
    )
