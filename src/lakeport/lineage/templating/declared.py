"""What is known of a dbt project's models and sources before one is rendered: where they are, and their options.

It comes from a manifest, from the constants of a model's own `config(…)`, and from the project's YAML files,
in this order, so that `ref` gives the same name to a reader that the writer gives to itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from jinja2 import nodes

from lakeport.lineage.templating.attempt import TemplateFailureError, failing_softly
from lakeport.lineage.templating.relation import Relation

if TYPE_CHECKING:
    from lakeport.lineage.request import SourceFile
    from lakeport.lineage.templating.manifest import Manifest
    from lakeport.lineage.templating.properties import Properties
    from lakeport.lineage.templating.rendering import Reference
    from lakeport.lineage.templating.sandbox import Sandbox
    from lakeport.lineage.templating.values import Values

# What `this` is in a text that has no name of its own.
_NAMELESS = "this"


def model_name(file: SourceFile) -> str:
    """A model is called by the stem of its file."""
    return PurePosixPath(file.name.replace("\\", "/")).stem or _NAMELESS


class Declared:
    """The models of a request's files, and the sources they read."""

    def __init__(
        self,
        files: tuple[SourceFile, ...],
        manifest: Manifest,
        properties: Properties,
        values: Values,
        environment: Sandbox,
        dialect: str,
    ) -> None:
        self._manifest = manifest
        self._properties = properties
        self._values = values
        self._environment = environment
        self._dialect = dialect
        self._options = {
            file.name: values.settled(
                properties.options(file.name),
                properties.variables(file.name),
                properties.project(file.name) or "",
            )
            for file in files
        }
        # Of two models of one name the one that is enabled is meant, else the later one.
        in_order = sorted(files, key=self.is_disabled, reverse=True)
        self._models = {model_name(file): self._stored(file) for file in in_order}
        self._files: dict[str, list[SourceFile]] = {}
        for file in files:
            self._files.setdefault(model_name(file), []).append(file)

    def options(self, file: SourceFile) -> Mapping[str, Any]:
        """What the project's YAML files say about a model."""
        return self._options.get(file.name, {})

    def called_like(self, file: SourceFile) -> list[SourceFile]:
        """The files of one model's name, of which a project enables one."""
        return self._files.get(model_name(file), [])

    def is_disabled(self, file: SourceFile) -> bool:
        """Whether the YAML files say so; the model's own words are not rendered yet."""
        return self.options(file).get("enabled") is False

    def this(self, file: SourceFile) -> Relation:
        """Where the model of a file is stored."""
        return self._models.get(model_name(file)) or self._stored(file)

    def model(self, reference: Reference) -> Relation:
        """Where the model is stored that `ref` means; of several versions the latest, if none is named."""
        version = reference.version or self._properties.latest(reference.name)
        names = [reference.name]
        if version is not None:
            names.insert(0, f"{reference.name}_v{version}")
        for name in names:
            known = self._manifest.models.get(name)
            if known is not None:
                return self._relation(known.alias, known.schema, known.database)
            if name in self._models:
                return self._models[name]
        return self._relation(names[0], None, None)

    def source(self, source: str, table: str) -> Relation:
        """Where a table of a source is; undeclared, the source is its schema."""
        known = self._manifest.sources.get((source, table))
        if known is not None:
            return known
        declared = self._properties.sources.get((source, table))
        if declared is None:
            return self._relation(table, source, None)
        home = declared.home
        variables = self._properties.variables_of(home)
        said = _texts(self._values.settled(declared.options, variables, home.name or ""))
        return self._relation(
            said.get("identifier", table), said.get("schema", source), said.get("database")
        )

    def _stored(self, file: SourceFile) -> Relation:
        name = model_name(file)
        known = self._manifest.models.get(name)
        if known is not None:
            return self._relation(known.alias, known.schema, known.database)
        options = _texts(self.options(file)) | self._constant_config(file.content)
        return self._relation(
            options.get("alias") or name, options.get("schema"), options.get("database")
        )

    def _constant_config(self, text: str) -> dict[str, str]:
        """The constants in a model's `config(…)` call."""
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


def _texts(options: Mapping[str, Any]) -> dict[str, str]:
    return {key: value for key, value in options.items() if isinstance(value, str)}
