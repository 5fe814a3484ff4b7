"""The analysis as one HTML file to send around: drawing, mappings, issues, schema; nothing to fetch.

The look and the script are in `page.py`; this module only fills them in. Everything that came from
SQL is escaped.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lakeport.lineage.labels import dotted
from lakeport.lineage.render.mappings import mappings
from lakeport.lineage.render.page import SCRIPT, STYLE
from lakeport.lineage.render.picture import picture_of
from lakeport.lineage.render.svg import svg

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakeport.lineage.issues import Issue
    from lakeport.lineage.result import AnalyzeResult, ResolvedTable


def html(result: AnalyzeResult, *, title: str = "Lineage") -> str:
    sections = [
        _section("Graph", f'<div class="canvas">{svg(picture_of(result))}</div>{_LEGEND}'),
        _section("Columns", _mappings(result)),
        _section("Issues", _issues(result.issues)),
        _section("Schema", _schema(result)),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        f"<header><h1>{escape(title)}</h1>{_summary(result)}</header><main>{''.join(sections)}</main>"
        f"<script>{SCRIPT}</script></body></html>\n"
    )


_LEGEND = (
    '<p class="legend"><span class="imported">imported</span><span class="implied">implied</span>'
    '<span class="unknown">unknown</span><span class="line">copied</span>'
    '<span class="line computed">computed</span><span class="line approximate">approximate</span></p>'
)


def _summary(result: AnalyzeResult) -> str:
    summary = result.summary
    facts = (
        (summary.statement_count, "statement"),
        (summary.table_count, "relation"),
        (summary.column_count, "column"),
        (summary.join_count, "join"),
        (summary.approximate_edge_count, "approximate edge"),
        (summary.issue_count.errors, "error"),
        (summary.issue_count.warnings, "warning"),
    )
    items = "".join(
        f"<li><b>{count}</b> {escape(name)}{'' if count == 1 else 's'}</li>"
        for count, name in facts
    )
    return f'<ul class="facts">{items}</ul>'


def _mappings(result: AnalyzeResult) -> str:
    rows = [
        (
            row.target_name,
            row.source_name,
            row.how,
            "approximate" if row.approximate else "",
        )
        for row in mappings(result)
    ]
    search = (
        '<input id="search" type="search" placeholder="find a column" aria-label="find a column">'
    )
    return search + _table(("column", "comes from", "how", ""), rows, identity="mappings")


def _issues(issues: list[Issue]) -> str:
    if not issues:
        return "<p>None: everything was resolved.</p>"
    rows = [
        (
            issue.severity,
            str(issue.code),
            "" if issue.statement_index is None else str(issue.statement_index),
            f"{issue.message}{f' ({issue.hint})' if issue.hint else ''}",
        )
        for issue in issues
    ]
    return _table(("severity", "code", "statement", "message"), rows)


def _schema(result: AnalyzeResult) -> str:
    tables = result.resolved_schema.tables if result.resolved_schema else []
    if not tables:
        return "<p>No table was used.</p>"
    return "".join(_schema_table(table) for table in tables)


def _schema_table(table: ResolvedTable) -> str:
    marks: list[str] = [table.origin, table.kind]
    marks += ["temporary"] if table.temporary else []
    marks += [] if table.complete else ["partly known"]
    if table.source_statement_index is not None:
        marks.append(f"statement {table.source_statement_index}")
    rows = [(column.name, column.data_type or "", column.origin or "") for column in table.columns]
    name = f"<summary>{escape(dotted(table))} <small>{escape(' · '.join(marks))}</small></summary>"
    return f"<details>{name}{_table(('column', 'type', 'origin'), rows)}</details>"


def _table(titles: Iterable[str], rows: Iterable[Iterable[str]], *, identity: str = "") -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    mark = f' id="{identity}"' if identity else ""
    return f"<table{mark}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"
