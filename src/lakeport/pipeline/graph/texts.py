"""The queries of a project, rendered and read: each with the way back from its text to the file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from lakeport.core.names import TableName, nearest
from lakeport.lineage.references import QueryText, Trouble, read_query
from lakeport.pipeline.project.model import Audit, Model, Project
from lakeport.pipeline.project.problems import Place, Problem, excerpt
from lakeport.pipeline.project.template import Templates, is_template

_STARTS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE")


@dataclass(frozen=True)
class Located:
    """A text whose places are known: `lines` of a rendered one tell where each of its lines came from.

    `line` is set for a text that stands inside of a setting: all of it is there.
    """

    sql: str
    model: Model
    lines: tuple[int | None, ...] | None = None
    line: int | None = None

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [0], self.sql.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.sql.find("\n", at + 1)
        return starts

    def place(self, offset: int) -> Place:
        if self.line is not None:
            return Place(self.model.path, self.line)
        row = bisect_right(self._starts, offset) - 1
        column = offset - self._starts[row] + 1
        if self.lines is None:
            return Place(self.model.path, row + 1, column)
        line = self.lines[row] if row < len(self.lines) else None
        return Place(self.model.path, line, column if line and self._is_plain(row, line) else None)

    def _is_plain(self, row: int, line: int) -> bool:
        """Whether a line of a template came out as it is written."""
        end = self._starts[row + 1] - 1 if row + 1 < len(self._starts) else len(self.sql)
        written = self.model.body.split("\n")
        return line <= len(written) and written[line - 1].rstrip("\r") == self.sql[
            self._starts[row] : end
        ].rstrip("\r")

    def problem(self, code: str, message: str, hint: str, offset: int) -> Problem:
        place = self.place(offset)
        if self.line is not None:
            return Problem(code, message, hint, place)
        shown = excerpt(self.model.text, place.line, place.column) if place.line else None
        return Problem(code, message, hint, place, shown)


@dataclass(slots=True)
class Text:
    """A model's query, or an audit's; `query` is None where it cannot be read."""

    model: Model
    located: Located
    query: QueryText | None = None
    audit: Audit | None = None


@dataclass(slots=True)
class Texts:
    """All that a project's models ask."""

    models: list[Text] = field(default_factory=list)
    audits: list[Text] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_texts(project: Project, is_incremental: Callable[[TableName], bool]) -> Texts:
    found = Texts()
    templates: Templates | None = None
    for model in project.models.values():
        located = Located(model.body, model)
        if model.language == "python":
            found.models.append(Text(model, located))
        elif is_template(model.body):
            templates = templates or Templates(project)
            rendered = templates.render(model, incremental=is_incremental(model.name))
            if isinstance(rendered, Problem):
                found.problems.append(rendered)
                found.models.append(Text(model, located))
            else:
                located = Located(rendered.sql, model, rendered.lines)
                found.models.append(_read(model, located, found.problems))
        else:
            found.models.append(_read(model, located, found.problems))
        for audit in model.settings.audits:
            if audit.sql is not None:
                located = Located(audit.sql, model, line=audit.line)
                text = _read(model, located, found.problems)
                text.audit = audit
                found.audits.append(text)
    return found


def _read(model: Model, located: Located, problems: list[Problem]) -> Text:
    query = read_query(located.sql)
    if query.trouble is None:
        return Text(model, located, query)
    if query.trouble.code != "empty" or located.lines is not None:
        # An empty file was found already; a template may come out empty.
        problems.append(_problem(located, query.trouble))
    return Text(model, located)


def _problem(located: Located, trouble: Trouble) -> Problem:
    message, at = trouble.message, trouble.start
    match trouble.code:
        case "syntax":
            return located.problem("syntax", message, _syntax_hint(located), at)
        case "empty":
            hint = "the template renders to nothing: leave it out, or write a query"
            return located.problem("empty", message, hint, at)
        case "statements":
            hint = "a model is one query: move the other statement to a file of its own"
            return located.problem("statements", message, hint, at)
        case _:
            hint = "a model is a SELECT: Lakeport writes the table for it"
            return located.problem("no-query", message, hint, at)


def _syntax_hint(located: Located) -> str:
    first = located.sql.split(None, 1)[0] if located.sql.strip() else ""
    close = nearest(first, _STARTS) if first.isalpha() else None
    if close is not None and first.upper() not in _STARTS:
        return f"did you mean {close} instead of {first}?"
    return "correct the SQL; if Spark does understand it, use a Python model with context.sql()"
