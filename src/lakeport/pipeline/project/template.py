"""The small Jinja of models: `this`, `is_incremental()`, `var()`, `ref()`, `source()` and nothing else.

Values belong into parameters; this is for structure. It runs in lineage's sandbox, which bounds time, text
and depth and lets no template out. Names render as the project's own: an environment maps them later, as
it does those that are written plainly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from lakeport.core.names import TableName, fold, nearest, quoted
from lakeport.lineage.templating.attempt import TemplateFailureError, failing_softly, output_of
from lakeport.lineage.templating.lines import unmarked
from lakeport.lineage.templating.sandbox import Budget, Sandbox
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.project.model import Model, Project
from lakeport.pipeline.project.problems import Place, Problem, excerpt

NAMES = ("this", "is_incremental", "var", "ref", "source")
_UNDEFINED = re.compile(r"'(\w+)' is undefined")
_ONLY = "a template has this, is_incremental(), var(), ref() and source()"


def is_template(body: str) -> bool:
    return "{{" in body or "{%" in body


@dataclass(frozen=True, slots=True)
class Rendered:
    """The query, and for each of its lines the one line of the file that wrote it, if there is one."""

    sql: str
    lines: tuple[int | None, ...] = ()


class _Told(Exception):  # noqa: N818 - carries a problem out of a template
    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


@dataclass(frozen=True, slots=True)
class ThisTable:
    namespace: str
    table: str

    def __str__(self) -> str:
        return sql_name(TableName(self.namespace, self.table))


def sql_name(name: TableName) -> str:
    """A table as SQL reads it, whatever is in its name."""
    return ".".join(identifier(part) for part in (*name.namespace.split("."), name.table))


class Templates:
    """Renders the models of one project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._sandbox = Sandbox(monotonic)
        self._sandbox.globals.clear()
        self._sandbox.filters.pop("random", None)

    def render(self, model: Model, *, incremental: bool) -> Rendered | Problem:
        self._sandbox.budget = Budget.start(monotonic)
        names: Mapping[str, Any] = {
            "this": ThisTable(model.name.namespace, model.name.table),
            "is_incremental": lambda: incremental,
            "var": self._var,
            "ref": self._ref,
            "source": self._source,
        }
        try:
            with failing_softly():
                output = output_of(self._sandbox, model.body, names)
        except TemplateFailureError as failure:
            return _problem(model, failure)
        return Rendered(*unmarked(output))

    def _var(self, name: str, *default: object) -> object:
        if name in self._project.vars:
            return self._project.vars[name]
        if default:
            return default[0]
        close = nearest(str(name), self._project.vars)
        hint = f"did you mean {quoted(close)}? " if close else ""
        raise _Told(
            "unknown-var",
            f"there is no var {quoted(str(name))}",
            f"{hint}set it in [pipeline.vars], or give a default: var('{name}', …)",
        )

    def _ref(self, *parts: str) -> str:
        return self._named("model", parts, self._project.models, "ref")

    def _source(self, *parts: str) -> str:
        return self._named("source", parts, self._project.sources, "source")

    def _named(
        self, kind: str, parts: tuple[str, ...], known: Mapping[TableName, Any], word: str
    ) -> str:
        if not 1 <= len(parts) <= 2 or not all(isinstance(part, str) for part in parts):
            raise _Told(
                "template",
                f"{word}() takes a name",
                f"write {word}('orders') or {word}('shop.orders')",
            )
        wanted = ".".join(parts)
        name = TableName.parse(wanted)
        if name is not None:
            found = [one for one in known if one.folded == name.folded]
        else:
            found = [one for one in known if fold(one.table) == fold(wanted)]
        if len(found) == 1:
            return sql_name(found[0])
        if found:
            both = " and ".join(quoted(str(one)) for one in found)
            raise _Told(
                "ambiguous-name", f"{quoted(wanted)} could be {both}", "write the namespace, too"
            )
        close = nearest(wanted, [str(one) if name else one.table for one in known])
        where = (
            "sources.toml declares sources"
            if kind == "source"
            else "models are files of the project"
        )
        hint = f"did you mean {quoted(close)}?" if close else where
        raise _Told("unknown-table", f"there is no {kind} {quoted(wanted)}", hint)


def _problem(model: Model, failure: TemplateFailureError) -> Problem:
    cause = failure.__context__
    line = failure.line
    place, shown = Place(model.path, line), excerpt(model.text, line) if line else None
    if isinstance(cause, _Told):
        return Problem(cause.code, str(cause), cause.hint, place, shown)
    message = str(failure).rstrip(".")
    undefined = _UNDEFINED.fullmatch(message)
    if undefined is not None:
        close = nearest(undefined[1], NAMES)
        hint = f"did you mean {quoted(close)}? {_ONLY}" if close else _ONLY
        return Problem(
            "template", f"a template knows no {quoted(undefined[1])}", hint, place, shown
        )
    if message.startswith("no loader"):
        message, hint = "a template cannot read other files", "write what it says here"
    else:
        message, hint = f"the template fails: {message[:1].lower()}{message[1:]}", _ONLY
    return Problem("template", message, hint, place, shown)
