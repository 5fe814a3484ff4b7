"""Audits as SQL, all of them in one query: what each counts, and which rows fail it. Pure text.

Most are a count over the rows themselves and share one pass; those that look at other tables are
subqueries of the same statement. NULL is for `not_null` alone: the others pass a row that has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from lakeport.core.names import quoted
from lakeport.pipeline.graph import AuditNode, Query, Reference
from lakeport.pipeline.growth.spark_select import literal
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.project.model import THIS_ROWS, Audit, Value


@dataclass(frozen=True, slots=True)
class Question:
    """`count` is an aggregate over the rows, or with `is_apart` a query of one number.

    `failing` is a query of the rows that fail, None where it is no row that does.
    """

    audit: Audit
    count: str
    failing: str | None
    is_apart: bool = False

    def told(self, failures: int, rows: int) -> str:
        """What is wrong, in a sentence without its subject."""
        audit = self.audit
        named = ", ".join(quoted(column) for column in audit.columns)
        match audit.kind:
            case "not_null":
                return f"{failures} of {rows} rows have a NULL in {named}"
            case "unique":
                return f"{failures} of {rows} rows repeat {named}"
            case "accepted_values":
                return f"{failures} of {rows} rows have another value in {named}"
            case "relationships":
                return f"{failures} of {rows} rows have a {named} that is not in {quoted(audit.to or '')}"
            case "row_count":
                return f"there are {rows} rows, and there should be {_bounds(audit)}"
            case "sql":
                return f"its query returned {failures} {'row' if failures == 1 else 'rows'}"


def question_of(
    node: AuditNode, rows: str, name: Callable[[Reference], str], rewritten: Callable[[Query], str]
) -> Question:
    """`rows` is the audited relation, `name` and `rewritten` say what other tables are called here."""
    audit = node.audit
    columns = [identifier(column) for column in audit.columns]
    every = f"SELECT * FROM {rows}"  # noqa: S608  our own relation
    match audit.kind:
        case "not_null":
            broken = " OR ".join(f"{column} IS NULL" for column in columns)
            return Question(audit, f"count_if({broken})", f"{every} WHERE {broken}")
        case "accepted_values":
            broken = " OR ".join(_is_other(column, audit.values) for column in columns)
            return Question(audit, f"count_if({broken})", f"{every} WHERE {broken}")
        case "unique":
            return _unique(audit, columns, rows)
        case "relationships":
            assert node.to is not None  # noqa: S101  or the graph would have said so
            return _relationship(audit, columns, rows, name(node.to))
        case "row_count":
            low = f"count(*) < {audit.min}" if audit.min is not None else "false"
            high = f"count(*) > {audit.max}" if audit.max is not None else "false"
            return Question(audit, f"IF({low} OR {high}, 1, 0)", None)
        case "sql":
            text = rewritten(node.query or Query(audit.sql or ""))
            failing = (
                f"WITH {identifier(THIS_ROWS)} AS ({every})\n"
                f"SELECT * FROM (\n{text.strip().rstrip(';')}\n)"
            )
            return Question(audit, _counted(failing), failing, is_apart=True)


def combined(questions: Sequence[Question], rows: str) -> str:
    """One row: how many rows there are, then a number for each question."""
    inside = ["count(*) AS `n`"]
    outside = ["`n`"]
    for at, question in enumerate(questions):
        if question.is_apart:
            outside.append(f"({question.count}) AS `q{at}`")
        else:
            inside.append(f"{question.count} AS `q{at}`")
            outside.append(f"`q{at}`")
    return f"SELECT {', '.join(outside)}\nFROM (SELECT {', '.join(inside)} FROM {rows})"  # noqa: S608


def _unique(audit: Audit, columns: Sequence[str], rows: str) -> Question:
    missing = " OR ".join(f"{column} IS NULL" for column in columns)
    key = f"IF({missing}, NULL, struct({', '.join(columns)}))"
    names = ", ".join(columns)
    same = " AND ".join(f"`r`.{column} = `d`.{column}" for column in columns)
    repeated = (
        f"SELECT {names} FROM {rows} WHERE NOT ({missing}) GROUP BY {names} HAVING count(*) > 1"  # noqa: S608
    )
    failing = f"SELECT `r`.* FROM {rows} AS `r` LEFT SEMI JOIN ({repeated}) AS `d` ON {same}"  # noqa: S608
    return Question(audit, f"count({key}) - count(DISTINCT {key})", failing)


def _relationship(audit: Audit, columns: Sequence[str], rows: str, parent: str) -> Question:
    (column,) = columns
    field = identifier(audit.field or audit.columns[0])
    failing = (
        f"SELECT `r`.* FROM {rows} AS `r` LEFT ANTI JOIN"  # noqa: S608
        f" (SELECT {field} AS `f` FROM {parent}) AS `p` ON `r`.{column} = `p`.`f`"
        f" WHERE `r`.{column} IS NOT NULL"
    )
    return Question(audit, _counted(failing), failing, is_apart=True)


def _counted(query: str) -> str:
    return f"SELECT count(*) FROM (\n{query}\n)"  # noqa: S608


def _is_other(column: str, values: Sequence[Value]) -> str:
    # As text if the values are: a number's column would be cast to what it is compared with, and fail.
    is_text = all(isinstance(value, str) for value in values)
    value = f"CAST({column} AS STRING)" if is_text else column
    known = ", ".join(_literal(each) for each in values)
    return f"({column} IS NOT NULL AND NOT {value} IN ({known}))"


def _literal(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return f"{value!r}D"
        case datetime():
            if value.tzinfo is None:
                return f"TIMESTAMP_NTZ '{value.isoformat(' ')}'"
            return f"TIMESTAMP_LTZ '{value.astimezone(UTC).isoformat(' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case str():
            return literal(value)


def _bounds(audit: Audit) -> str:
    if audit.min is not None and audit.max is not None:
        return f"{audit.min} to {audit.max}"
    return f"at least {audit.min}" if audit.min is not None else f"at most {audit.max}"
