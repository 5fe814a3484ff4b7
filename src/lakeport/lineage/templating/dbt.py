"""Rendering a dbt project: every file is a model, and a model may refer to the others.

Where a model is stored is read from the constants of its `config(…)` before anything is rendered,
so that `ref` gives the same name to a reader that the writer gives to itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache, partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from jinja2 import nodes

from lakeport.lineage.issues import Issue, IssueCode
from lakeport.lineage.templating.attempt import (
    EXTENSIONS,
    TemplateFailureError,
    failing_softly,
    output_of,
)
from lakeport.lineage.templating.blocks import DbtBlocks
from lakeport.lineage.templating.dbt_sandbox import DbtSandbox
from lakeport.lineage.templating.guesses import settled
from lakeport.lineage.templating.lines import unmarked
from lakeport.lineage.templating.macros import Macros, defined
from lakeport.lineage.templating.manifest import read_manifest
from lakeport.lineage.templating.packages import ASKING, PACKAGES, except_word
from lakeport.lineage.templating.relation import Relation
from lakeport.lineage.templating.rendering import DbtModel, Reference, RenderedText, Rendering
from lakeport.lineage.templating.sandbox import Budget
from lakeport.lineage.templating.shims import Adapter, Model, dbt_globals, returned
from lakeport.lineage.templating.unknown import Strangers, dbt_undefined

if TYPE_CHECKING:
    from lakeport.lineage.request import SourceFile, TemplateConfig
    from lakeport.lineage.templating.project import Reporter

# What `this` is in a text that has no name of its own.
_NAMELESS = "this"


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
        self._environment = DbtSandbox(
            clock,
            dbt_undefined(self._strangers, self._macro_named, self._built_in),
            extensions=(*EXTENSIONS, DbtBlocks),
        )
        self._environment.filters.update(
            dict.fromkeys(("as_text", "as_native", "as_bool", "as_number"), _same)
        )
        self._manifest = read_manifest(config.manifest, dialect)
        self._macros = Macros(self._environment)
        self._macro_issues = self._read_macro_files()
        self._packages = self._stand_ins()
        self._models = {model_name(file): self._declared(file) for file in files}

    def render(self, source: SourceFile) -> Rendering:
        """The model's SQL; a second text if an incremental run would have another."""
        issues, self._macro_issues = self._macro_issues, []
        compiled = self._manifest.of_file(source.name)
        if compiled is not None:
            return Rendering((_foreign(compiled[0]),), tuple(issues), compiled[1])
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
        name = model_name(source)
        this = self._models.get(name) or self._declared(source)
        model = Model(
            this,
            deepcopy(self._config.context),
            self._relation_of,
            self._source_of,
            incremental=incremental,
        )
        self._enter(model, name)
        with failing_softly(model.secrets):
            output = output_of(self._environment, source.content, {})
        sql, lines = unmarked(settled(output))
        return RenderedText(sql, lines, incremental, tuple(model.secrets)), model

    def _enter(self, model: Model, name: str) -> None:
        """Macros see the environment's globals only, so a model's words go there."""
        self._environment.budget = Budget.start(self._clock)
        self._macros.begin()
        adapter = Adapter(self._macros.named, self._strangers, self._dialect)
        words = self._environment.globals
        # What a template does to a list of the request's is gone with it.
        context = deepcopy(self._config.context)
        words.update(context)
        words.update(dbt_globals(model, adapter, context, name))
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
        return {
            name: Package(
                name,
                self._macros.named,
                partial(self._defined, text),
                self._strangers,
            )
            for name, text in {project: "", **PACKAGES}.items()
        }

    def _defined(self, text: str) -> Mapping[str, Any]:
        return defined(self._environment.from_string(text))

    def _declared(self, file: SourceFile) -> Relation:
        """Where a model is stored, from the constants in its `config(…)` call."""
        known = self._manifest.models.get(model_name(file))
        if known is not None:
            return self._relation(known.alias, known.schema, known.database)
        options = self._constant_config(file.content)
        alias = options.get("alias") or model_name(file)
        return self._relation(alias, options.get("schema"), options.get("database"))

    def _constant_config(self, text: str) -> dict[str, str]:
        options: dict[str, str] = {}
        if "config" not in text:
            return options
        try:
            with failing_softly():
                tree = self._environment.parse(text)
        except TemplateFailureError:
            return options  # rendering will report it
        for call in tree.find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "config":
                for keyword in call.kwargs:
                    if isinstance(keyword.value, nodes.Const) and isinstance(
                        keyword.value.value, str
                    ):
                        options[keyword.key] = keyword.value.value
        return options

    def _relation(self, name: str, schema: str | None, database: str | None) -> Relation:
        return Relation(name, schema, database, self._dialect)

    def _relation_of(self, reference: Reference) -> Relation:
        names = [reference.name]
        if reference.version is not None:
            names.insert(0, f"{reference.name}_v{reference.version}")
        for name in names:
            known = self._manifest.models.get(name)
            if known is not None:
                return self._relation(known.alias, known.schema, known.database)
            if name in self._models:
                return self._models[name]
        return self._relation(names[0], None, None)

    def _source_of(self, source: str, table: str) -> Relation:
        known = self._manifest.sources.get((source, table))
        return known or self._relation(table, source, None)

    def _assumptions(self, source: SourceFile, model: Model) -> list[Issue]:
        """What was made up to get through the file."""
        issues = [
            self._reporter.note(
                source,
                f"macro `{name}` is not known; its first argument stands in for it",
                code=IssueCode.UNSUPPORTED_SYNTAX,
                severity="info",
                hint="add the file that defines it to templateConfig.macroFiles",
            )
            for name in self._strangers.names
        ]
        issues += [
            self._reporter.note(
                source,
                f"`{name}` has no value; its name stands in for it",
                hint="add it to templateConfig.context.vars or .env",
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


def model_name(file: SourceFile) -> str:
    """A model is called by the stem of its file."""
    return PurePosixPath(file.name.replace("\\", "/")).stem or _NAMELESS


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


def _same(value: Any) -> Any:
    return value
