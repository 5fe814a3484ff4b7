"""Rendering a dbt project: every file is a model, and a model may refer to the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from lakeport.lineage.issues import Issue, IssueCode
from lakeport.lineage.templating.attempt import (
    EXTENSIONS,
    TemplateFailureError,
    failing_softly,
    output_of,
    printed_by,
)
from lakeport.lineage.templating.blocks import DbtBlocks
from lakeport.lineage.templating.dbt_sandbox import DbtSandbox
from lakeport.lineage.templating.declared import Declared, model_name
from lakeport.lineage.templating.guesses import settled
from lakeport.lineage.templating.lines import unmarked
from lakeport.lineage.templating.macros import Macros, defined
from lakeport.lineage.templating.manifest import read_manifest
from lakeport.lineage.templating.packages import ASKING, PACKAGES, except_word
from lakeport.lineage.templating.properties import read_properties
from lakeport.lineage.templating.rendering import DbtModel, RenderedText, Rendering
from lakeport.lineage.templating.sandbox import Budget
from lakeport.lineage.templating.seeds import is_seed, seed_table
from lakeport.lineage.templating.shims import CASTS, Adapter, Model, dbt_globals, returned
from lakeport.lineage.templating.unknown import Strangers, dbt_undefined
from lakeport.lineage.templating.values import Values
from lakeport.lineage.templating.variables import Variables

if TYPE_CHECKING:
    from jinja2 import Template

    from lakeport.lineage.request import SourceFile, TemplateConfig
    from lakeport.lineage.templating.project import Reporter


class DbtRenderer:
    """The files of one project, rendered one by one."""

    def __init__(
        self,
        config: TemplateConfig,
        files: tuple[SourceFile, ...],
        dialect: str,
        reporter: Reporter,
        clock: Callable[[], float],
    ) -> None:
        self._config = config
        self._dialect = dialect
        self._reporter = reporter
        self._clock = clock
        self._strangers = Strangers()
        assigned: set[str] = set()
        self._environment = DbtSandbox(
            clock,
            dbt_undefined(self._strangers, self._macro_named, self._built_in, assigned),
            assigned=assigned,
            extensions=(*EXTENSIONS, DbtBlocks),
        )
        self._environment.filters.update(CASTS)
        self._compiled: dict[str, Template] = {}
        self._disabled: dict[SourceFile, bool] = {}
        self._manifest = read_manifest(config.manifest, dialect)
        self._macros = Macros(self._environment)
        others = filter(_is_model, config.project_files)
        documents = [file for file in config.project_files if not _is_model(file)]
        self._properties = read_properties(documents, reporter)
        values = Values(config.context, dialect, clock)
        self._macro_issues = [*self._properties.issues, *self._read_macro_files()]
        self._packages = self._stand_ins()
        self._declared = Declared(
            files, others, self._manifest, self._properties, values, self._environment
        )

    def render(self, source: SourceFile) -> Rendering:
        """The model's SQL; a second text if an incremental run would have another."""
        issues, self._macro_issues = self._macro_issues, []
        compiled = self._manifest.of_file(source.name)
        if compiled is not None:
            return Rendering((_foreign(compiled[0]),), tuple(issues), compiled[1])
        if self._is_replaced(source):
            return self._left_out(source, issues)
        if is_seed(source):
            return self._seed(source, issues)
        self._strangers.names.clear()
        try:
            text, model = self._rendered(source, incremental=False)
            texts = [text]
            if model.asked_incremental:
                again, _ = self._rendered(source, incremental=True)
                if again.sql != text.sql:
                    texts.append(again)
        except TemplateFailureError as failure:
            issues.append(self._reporter.failure(source, str(failure), failure.line))
            return Rendering(issues=tuple(issues))
        issues.extend(self._assumptions(source, model))
        # Inline SQL without a name is a query, not a model.
        facts = _facts(model_name(source), model) if source.name or model.snapshot else None
        return Rendering(tuple(texts), tuple(issues), facts)

    def _rendered(self, source: SourceFile, *, incremental: bool) -> tuple[RenderedText, Model]:
        context = deepcopy(self._config.context)
        project = self._properties.variables(source.name)
        model = Model(
            self._declared.this(source),
            context,
            partial(self._declared.model, source),
            partial(self._declared.source, source),
            variables=Variables(context, project, self._rendered_value),
            incremental=incremental,
        )
        model.config.update(deepcopy(self._declared.options(source)))
        self._enter(model, source)
        with failing_softly(model.secrets):
            output = output_of(self._environment, source.content, {})
        sql, lines = unmarked(settled(output))
        return RenderedText(sql, lines, incremental, tuple(model.secrets)), model

    def _rendered_value(self, text: str) -> str:
        """A variable whose text is a template of its own, which many models may ask for."""
        if text not in self._compiled:
            self._compiled[text] = self._environment.from_string(text)
        return unmarked(settled(printed_by(self._environment, self._compiled[text], {})))[0]

    def _seed(self, source: SourceFile, issues: list[Issue]) -> Rendering:
        """One that is disabled makes no table."""
        options = self._declared.options(source)
        table = self._declared.this(source)
        sql = seed_table(source.content, table, options, self._dialect)
        if sql is None or options.get("enabled") is False:
            return Rendering(issues=tuple(issues))
        return Rendering((RenderedText(sql, lines=(1,)),), tuple(issues))

    def _is_replaced(self, source: SourceFile) -> bool:
        """Whether the model is disabled, and another file of its name is meant."""
        files = self._declared.called_like(source)
        if len(files) < 2 or not self._is_disabled(source):
            return False
        return source != files[-1] or not all(map(self._is_disabled, files))

    def _is_disabled(self, file: SourceFile) -> bool:
        """What its own words say counts before what the YAML files do."""
        if file not in self._disabled:
            self._strangers.names.clear()
            try:
                enabled = self._rendered(file, incremental=False)[1].config.get("enabled")
            except TemplateFailureError:
                enabled = None
            self._disabled[file] = enabled is False
        return self._disabled[file]

    def _left_out(self, source: SourceFile, issues: list[Issue]) -> Rendering:
        note = self._reporter.note(
            source,
            f"model `{model_name(source)}` is disabled, and another file of its name is read",
            severity="info",
            hint="what enables it (a variable, the target) may be given in templateConfig.context",
        )
        return Rendering(issues=(*issues, note))

    def _enter(self, model: Model, source: SourceFile) -> None:
        """Macros see the environment's globals only, so a model's words go there."""
        self._environment.budget = Budget.start(self._clock)
        self._macros.begin()
        adapter = Adapter(self._macros.named, self._strangers, self._dialect)
        words = self._environment.globals
        # What a template does to a list of the request's is gone with it.
        context = deepcopy(self._config.context)
        project = self._properties.project(source.name, built=True)
        context.setdefault("project_name", project or "project")
        words.update(context)
        words.update(dbt_globals(model, adapter, context, model_name(source)))
        words.update(self._packages)
        words.update(self._macros.named)

    def _macro_named(self, name: str) -> Any | None:
        """A macro that is asked for through the name of some package, which may be the project's own."""
        return self._macros.named.get(name)

    def _built_in(self, name: str) -> Any | None:
        """A macro of dbt's own, which needs no package in front."""
        return self._packages["dbt"].stand_in(name)

    def _read_macro_files(self) -> list[Issue]:
        issues: list[Issue] = []
        for file in self._config.macro_files:
            try:
                with failing_softly():
                    self._macros.add(file.content)
            except TemplateFailureError as failure:
                issues.append(self._reporter.failure(file, str(failure), failure.line))
        return issues

    def _stand_ins(self) -> dict[str, Package]:
        """The packages, with the project itself as one of them."""
        words = self._environment.globals
        words.update({"return": returned, "_except_word": except_word(self._dialect)})
        project = str(self._config.context.get("project_name", "project"))
        projects = dict.fromkeys((project, *self._properties.names), "")
        return {
            name: Package(
                name,
                self._macros.named,
                partial(self._defined, text),
                self._strangers,
            )
            for name, text in {**projects, **PACKAGES}.items()
        }

    def _defined(self, text: str) -> Mapping[str, Any]:
        return defined(self._environment.from_string(text))

    def _assumptions(self, source: SourceFile, model: Model) -> list[Issue]:
        """What was made up to get through the file, and that `ref` does not mean it."""
        issues: list[Issue] = []
        meant = self._declared.meant_instead(source)
        if meant is not None and model.config.get("enabled") is not False:
            told = f"model `{model_name(source)}` is in `{source.name}` and in `{meant.name}`; the last one is used by `ref`"
            issues.append(
                self._reporter.note(
                    source,
                    told,
                    code=IssueCode.DUPLICATE_DEFINITION,
                    hint="rename or disable one of the two",
                )
            )
        issues += [
            self._reporter.note(
                source,
                f"macro `{name}` is not known; its first argument stands in for it",
                code=IssueCode.UNSUPPORTED_SYNTAX,
                severity="info",
                hint="install its package (`dbt deps`), or add the file that defines it to templateConfig.macroFiles",
            )
            for name in self._strangers.names
        ]
        issues += [
            self._reporter.note(
                source,
                f"`{name}` has no value; its name stands in for it",
                hint="give it a default, or a value: in `vars` of dbt_project.yml, or in `vars` or `env` of templateConfig.context",
            )
            for name in model.missing
        ]
        return issues


class Package:
    """The macros of a package: the project's own, then stand-ins, else a pass-through."""

    def __init__(
        self,
        name: str,
        project: Mapping[str, Any],
        stand_ins: Callable[[], Mapping[str, Any]],
        strangers: Strangers,
    ) -> None:
        self._name = name
        self._project = project
        # Most projects use one package or none, and compiling one takes longer than a model.
        self._stand_ins = cache(stand_ins)
        self._strangers = strangers

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._project and not (self._name in PACKAGES and name in ASKING):
            return self._project[name]
        return self.stand_in(name) or self._strangers.stub(f"{self._name}.{name}")

    def stand_in(self, name: str) -> Any | None:
        """What stands for a macro of the package, if anything does."""
        return self._stand_ins().get(name)


def _foreign(sql: str) -> RenderedText:
    """A text of dbt's own making: its lines are not those of the file."""
    return RenderedText(sql, lines=(None,) * (sql.count("\n") + 1))


def _facts(name: str, model: Model) -> DbtModel:
    """What a model said about itself; a template may say anything, so only texts count."""
    said = {key: value for key, value in model.config.items() if isinstance(value, str) and value}
    tags = model.config.get("tags")
    called = model.snapshot or name
    return DbtModel(
        name=called,
        alias=said.get("alias") or model.snapshot or model.this.identifier,
        schema=said.get("target_schema") or said.get("schema") or model.this.schema,
        database=said.get("target_database") or said.get("database") or model.this.database,
        materialized=said.get("materialized") or ("snapshot" if model.snapshot else "view"),
        refs=tuple(model.refs),
        sources=tuple(model.sources),
        tags=tuple(map(str, tags if isinstance(tags, list | tuple) else [tags] if tags else [])),
        config=dict(model.config),
    )


def _is_model(file: SourceFile) -> bool:
    """Whether it stands among a project's files to be referred to, not to be read."""
    return file.name.lower().endswith((".sql", ".csv"))
