"""`lakeport lineage`: where every column comes from, and what changed between two versions."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from lakeport.app.analyze import (
    Analysis,
    TemplateMode,
    Workload,
    analyze_workload,
    compare,
)
from lakeport.app.sql_files import read_payload
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.registry import family
from lakeport.core.errors import InvalidRequestError
from lakeport.core.status import ExitCode
from lakeport.lineage import AnalyzeResult, Issue
from lakeport.lineage.analyze import answer
from lakeport.lineage.diff import LineageDiff
from lakeport.lineage.query import Question, focus
from lakeport.lineage.render import Style, change_lines, mappings, render

if TYPE_CHECKING:
    from lakeport.cli.output.text import Cell, Page

Format: TypeAlias = Literal[
    "table", "json", "mermaid", "dot", "csv", "html", "openlineage", "schema-json", "schema-ddl"
]
FailOn: TypeAlias = Literal["warning", "approximate"]

# -- the options, in the order in which help shows them -------------------------------------------

_Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILES",
        help="SQL files or folders; `-` is standard input [default: the project's models].",
    ),
]
_Request = Annotated[
    Path | None,
    typer.Option(metavar="FILE|-", help="An AnalyzeRequest as JSON in, its result out."),
]
_Dialect = Annotated[str, typer.Option(help="The SQL dialect; any that sqlglot knows.")]
_Schema = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Import this schema: JSON, or CREATE statements."),
]
_Catalog = Annotated[bool, typer.Option("--catalog", help="Import the schema of the live catalog.")]
_Template = Annotated[TemplateMode, typer.Option(help="How the files become SQL.")]
_Environment = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Models as `[pipeline.environments.NAME]` builds them."),
]
_Format = Annotated[Format, typer.Option("--format", help="How to show the answer.")]
_Level = Annotated[Literal["table", "column"], typer.Option(help="How much a drawing shows.")]
_Column = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Only what this column comes from and feeds."),
]
_Upstream = Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only what feeds this.")]
_Downstream = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only what this feeds.")
]
_Indirect = Annotated[
    bool, typer.Option("--indirect", help="Also what filters, joins, groups and sorts.")
]
_HideCtes = Annotated[
    bool, typer.Option("--hide-ctes", help="Look through CTEs and derived tables.")
]
_ExpandViews = Annotated[
    bool, typer.Option("--expand-views", help="Look through views to their tables.")
]
_FailOn = Annotated[FailOn | None, typer.Option(help="Exit with 1 if there are any, for CI.")]


@command
def lineage(  # noqa: PLR0913  each is an option of its own on the command line
    call: Call,
    files: _Files = None,
    *,
    request: _Request = None,
    dialect: _Dialect = "spark",
    schema: _Schema = None,
    catalog: _Catalog = False,
    template: _Template = "raw",
    env: _Environment = None,
    output: _Format = "table",
    level: _Level = "table",
    column: _Column = None,
    upstream: _Upstream = None,
    downstream: _Downstream = None,
    indirect: _Indirect = False,
    hide_ctes: _HideCtes = False,
    expand_views: _ExpandViews = False,
    fail_on: _FailOn = None,
) -> Answer[AnalyzeResult] | None:
    """Show where every column comes from.

    Reads SQL, not data: what is not known is assumed and said so. Files that are models of a project are
    rendered by it; without --catalog, is_incremental() is true in them. With --request the exit code is 0
    whatever the SQL (unless --fail-on says otherwise), and 2 if the payload is no AnalyzeRequest; there is
    an answer on stdout in any case.
    """
    if request is not None:
        _answer_request(call, request, files, fail_on)
        return None
    settings = call.settings() if catalog or env or not files else None
    analysis = analyze_workload(
        Workload(
            paths=tuple(files or ()),
            dialect=dialect,
            schema=schema,
            catalog=settings if catalog else None,
            template=template,
            options={"includeIndirect": indirect, "hideCtes": hide_ctes},
            project=settings,
            environment=env,
        )
    )
    question = Question(
        upstream=tuple(upstream or ()),
        downstream=tuple(downstream or ()),
        column=tuple(column or ()),
        expand_views=expand_views,
    )
    title = ", ".join(path.name for path in files or ()) or "Lineage"
    view = _View(output, Style(level=level, dialect=dialect, title=title), analysis)
    return Answer(focus(analysis.result, question), view.show, _exit(analysis.result, fail_on))


def _answer_request(
    call: Call, request: Path, files: list[Path] | None, fail_on: FailOn | None
) -> None:
    """JSON in, JSON out. The exit code tells a script what it would have to parse the answer for."""
    if files:
        raise InvalidRequestError("--request brings its own SQL", hint="leave the files out")
    answered = answer(read_payload(request).removeprefix(BOM_UTF8))
    call.write(answered.json() + b"\n")
    code = _exit(answered.result, fail_on) if answered.understood else ExitCode.WRONG_USE
    if code is not ExitCode.DONE:
        raise typer.Exit(code)


@command
def diff(
    _call: Call,
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A saved analysis (.json) or SQL.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The same, later.")],
    *,
    dialect: _Dialect = "spark",
    schema: _Schema = None,
    template: _Template = "raw",
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if anything differs.")
    ] = False,
) -> Answer[LineageDiff]:
    """Show what changed between two analyses.

    Each side is a file saved by `lakeport lineage --json`, or SQL to analyse now.
    """
    workload = Workload(paths=(), dialect=dialect, schema=schema, template=template)
    found = compare(old, new, workload)
    return Answer(found, _show_diff, ExitCode.NO if check and found else ExitCode.DONE)


app = family("lineage", lineage, diff, summary="Show where every column comes from.")


def _exit(result: AnalyzeResult, fail_on: FailOn | None) -> ExitCode:
    if fail_on is None:
        return ExitCode.DONE
    counts = result.summary.issue_count
    doubts = {
        "warning": counts.warnings,
        "approximate": result.summary.approximate_edge_count,
    }
    return ExitCode.NO if counts.errors or doubts[fail_on] else ExitCode.DONE


@dataclass(frozen=True, slots=True)
class _View:
    """The format chosen; the table is drawn here, every other one by the library."""

    output: Format
    style: Style
    analysis: Analysis

    def show(self, result: AnalyzeResult, page: Page) -> None:
        if self.output == "table":
            _show_table(result, page, self.analysis)
        else:
            typer.echo(render(result, self.output, self.style), nl=False)


def _show_table(result: AnalyzeResult, page: Page, analysis: Analysis) -> None:
    rows: list[tuple[Cell, ...]] = [
        (
            page.name(row.target_name),
            row.source_name,
            row.how,
            page.doubtful("approximate") if row.approximate else None,
        )
        for row in mappings(result)
    ]
    if rows:
        page.table(("column", "comes from", "how", ""), rows)
        page.line()
    if result.issues:
        page.table(
            ("issue", "code", "where", "message"),
            [_issue(issue, page, analysis.line(issue)) for issue in result.issues],
        )
        page.line()
    summary = result.summary
    counts = summary.issue_count
    facts = (
        (summary.statement_count, "statement"),
        (summary.table_count, "relation"),
        (summary.column_count, "column"),
        (summary.approximate_edge_count, "approximate edge"),
        (counts.errors, "error"),
        (counts.warnings, "warning"),
    )
    page.line(", ".join(f"{number:,} {noun}{'' if number == 1 else 's'}" for number, noun in facts))


def _issue(issue: Issue, page: Page, line: int | None) -> tuple[Cell, ...]:
    paint = {"error": page.bad, "warning": page.doubtful, "info": page.faint}[issue.severity]
    where = issue.source_name or ""
    if line is not None:
        where = f"{where}:{line}"
    elif issue.statement_index is not None:
        where = f"{where}#{issue.statement_index}"
    message = f"{issue.message}; {issue.hint}" if issue.hint else issue.message
    return paint(issue.severity), str(issue.code), where, message


def _show_diff(found: LineageDiff, page: Page) -> None:
    if not found:
        page.line("nothing changed")
        return
    paint = {"+": page.good, "-": page.bad, "~": page.doubtful}
    page.table(
        ("", "what", "name", "difference"),
        [
            (paint[line.sign](line.sign), line.subject, page.name(line.name), line.detail)
            for line in change_lines(found)
        ],
    )
