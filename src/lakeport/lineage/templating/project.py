"""The door of templating: a file in, its SQL out, whatever the template does.

A project is built once per request, so that macro files are read once and every model knows where
the others are stored. Nothing here raises: what goes wrong is an issue of the file it is in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from lakeport.lineage.issues import Issue, IssueCode, Severity
from lakeport.lineage.request import Encoding, SourceFile, TemplateConfig
from lakeport.lineage.templating.rendering import RenderedText, Rendering
from lakeport.lineage.templating.snapshots import each_snapshot
from lakeport.lineage.text import SourceText

if TYPE_CHECKING:
    from lakeport.lineage.wire import Span


class Renderer(Protocol):
    """One way to render a file; it answers with issues and does not raise."""

    def render(self, source: SourceFile) -> Rendering: ...


class Project:
    """All files of one request and how they are rendered."""

    def __init__(
        self,
        config: TemplateConfig,
        files: Iterable[SourceFile] = (),
        dialect: str = "generic",
        encoding: Encoding = "utf8",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # Of a file that dbt has compiled there is one text.
        self._splits = config.mode == "dbt" and not config.manifest
        parts = tuple(part for file in files for part in self.parts(file))
        self._renderer = _renderer(config, parts, dialect, Reporter(encoding), clock)

    def parts(self, source: SourceFile) -> list[SourceFile]:
        """The files that a file stands for: in dbt one for each of its snapshots."""
        return each_snapshot(source) if self._splits else [source]

    def render(self, source: SourceFile) -> Rendering:
        """The SQL of one part of a file; without any texts if an issue says why."""
        return self._renderer.render(source)


class Reporter:
    """Issues about a template, at the line they are about."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding

    def failure(self, source: SourceFile, message: str, line: int | None) -> Issue:
        where = f"line {line}: " if line else ""
        return self.note(
            source,
            f"the template could not be rendered: {where}{message}",
            line,
            severity="error",
            hint="give missing values in templateConfig.context and macros in macroFiles",
        )

    def note(
        self,
        source: SourceFile,
        message: str,
        line: int | None = None,
        *,
        code: IssueCode = IssueCode.TEMPLATE_ERROR,
        severity: Severity = "warning",
        hint: str | None = None,
    ) -> Issue:
        return Issue(
            severity=severity,
            code=code,
            message=message,
            span=self._span(source.content, line) if line else None,
            source_name=source.name or None,
            source_line=line,
            hint=hint,
        )

    def _span(self, content: str, line: int) -> Span | None:
        lines = content.split("\n")
        if line > len(lines):
            return None
        start = sum(len(text) + 1 for text in lines[: line - 1])
        return SourceText(content, encoding=self._encoding).span(
            start, start + len(lines[line - 1])
        )


class _Raw:
    """Text that is SQL already."""

    def render(self, source: SourceFile) -> Rendering:
        return Rendering(texts=(RenderedText(source.content),))


def _renderer(
    config: TemplateConfig,
    files: tuple[SourceFile, ...],
    dialect: str,
    reporter: Reporter,
    clock: Callable[[], float],
) -> Renderer:
    if config.mode == "raw":
        return _Raw()
    # Jinja costs more to import than a small analysis costs to run, and is an extra.
    if config.mode == "jinja":
        from lakeport.lineage.templating.jinja import JinjaRenderer  # noqa: PLC0415 - see above

        return JinjaRenderer(config, reporter, clock)
    from lakeport.lineage.templating.dbt import DbtRenderer  # noqa: PLC0415 - see above

    return DbtRenderer(config, files, dialect, reporter, clock)
