"""Rendering with plain Jinja: the request's context, and macro files to import and include."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jinja2 import DictLoader

from lakeport.lineage.templating.attempt import (
    EXTENSIONS,
    TemplateFailureError,
    failing_softly,
    output_of,
)
from lakeport.lineage.templating.lines import unmarked
from lakeport.lineage.templating.rendering import RenderedText, Rendering
from lakeport.lineage.templating.sandbox import Budget, Sandbox

if TYPE_CHECKING:
    from lakeport.lineage.request import SourceFile, TemplateConfig
    from lakeport.lineage.templating.project import Reporter


class JinjaRenderer:
    """The request's context, and macro files for `import` and `include`."""

    def __init__(
        self, config: TemplateConfig, reporter: Reporter, clock: Callable[[], float]
    ) -> None:
        self._config = config
        self._reporter = reporter
        self._clock = clock
        macros = {file.name: file.content for file in config.macro_files}
        self._environment = Sandbox(clock, loader=DictLoader(macros), extensions=EXTENSIONS)

    def render(self, source: SourceFile) -> Rendering:
        self._environment.budget = Budget.start(self._clock)
        try:
            with failing_softly():
                output = output_of(self._environment, source.content, self._config.context)
        except TemplateFailureError as failure:
            issue = self._reporter.failure(source, str(failure), failure.line)
            return Rendering(issues=(issue,))
        return Rendering(texts=(RenderedText(*unmarked(output)),))
