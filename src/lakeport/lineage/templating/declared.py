"""What is known of a dbt project's models and sources before one is rendered: where they are, and their options.

It comes from a manifest, from a model's own `config(…)`, and from the project's YAML files, in this order, so
that `ref` gives the same name to a reader that the writer gives to itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from jinja2 import nodes

from lakeport.lineage.templating.attempt import TemplateFailureError, failing_softly
from lakeport.lineage.templating.relation import Relation
from lakeport.lineage.templating.seeds import is_seed

if TYPE_CHECKING:
    from lakeport.lineage.request import SourceFile
    from lakeport.lineage.templating.manifest import Manifest
    from lakeport.lineage.templating.properties import Properties
    from lakeport.lineage.templating.rendering import Reference
    from lakeport.lineage.templating.sandbox import Sandbox
    from lakeport.lineage.templating.values import Values

# What `this` is in a text that has no name of its own.
_NAMELESS = "this"
# What the tag of a snapshot calls with its name.
_SNAPSHOT = "_snapshot"
# The options that say where a model is stored, and whether it is at all.
_PLACES = frozenset({"alias", "schema", "database", "target_schema", "target_database", "enabled"})


def model_name(file: SourceFile) -> str:
    """A model is called by the stem of its file."""
    return PurePosixPath(file.name.replace("\\", "/")).stem or _NAMELESS


class Declared:
    """The models of a request's files, and the sources they read.

    `others` are files of the same projects that a model may refer to, though nobody asks for them.
    """

    def __init__(
        self,
        files: tuple[SourceFile, ...],
        others: Iterable[SourceFile],
        manifest: Manifest,
        properties: Properties,
        values: Values,
        environment: Sandbox,
    ) -> None:
        self._manifest = manifest
        self._properties = properties
        self._values = values
        self._environment = environment
        self._dialect = values.dialect
        everything = (*others, *files)
        self._options = {
            file: values.settled(
                properties.options(file.name),
                properties.variables(file.name),
                properties.project(file.name) or "",
            )
            for file in everything
        }
        self._words = {file: self._own_words(file) for file in everything}
        self._relations: dict[SourceFile, Relation] = {}
        self._models: dict[str, dict[PurePosixPath | None, Relation]] = {}
        # The file that each name of a project is taken for, and the files that lost theirs to it.
        self._meant: dict[tuple[PurePosixPath | None, str], SourceFile] = {}
        self._passed_over: dict[SourceFile, SourceFile] = {}
        # Of two models of one name the one that is enabled is meant, else the later one.
        for file in sorted(everything, key=self.is_disabled, reverse=True):
            self._learn(file)
        self._files: dict[tuple[PurePosixPath | None, str], list[SourceFile]] = {}
        for file in files:
            self._files.setdefault(self._key(file), []).append(file)

    def options(self, file: SourceFile) -> Mapping[str, Any]:
        """What the project's YAML files say about a model."""
        return self._options.get(file, {})

    def called_like(self, file: SourceFile) -> list[SourceFile]:
        """The files of one model's name, of which a project enables one."""
        return self._files.get(self._key(file), [])

    def meant_instead(self, file: SourceFile) -> SourceFile | None:
        """The file whose table `ref` means by the name of this one, if that is another table."""
        return self._passed_over.get(file)

    def is_disabled(self, file: SourceFile) -> bool:
        """Whether its own words or the YAML files say so, as far as that is known before it is rendered."""
        said = self._words[file].get("enabled")
        if said is not None:
            return said.strip().lower() == "false"
        return self.options(file).get("enabled") is False

    def this(self, file: SourceFile) -> Relation:
        """Where the model of a file is stored."""
        return self._relations.get(file) or self._stored(model_name(file), file)

    def model(self, asker: SourceFile, reference: Reference) -> Relation:
        """Where the model is stored that `ref` means; of several versions the latest, if none is named."""
        version = reference.version or self._properties.latest(reference.name)
        names = [reference.name]
        if version is not None:
            names.insert(0, f"{reference.name}_v{version}")
        own = self._properties.root(asker.name)
        for name in names:
            known = self._manifest.models.get(name)
            if known is not None:
                return self._relation(known.alias, known.schema, known.database)
            found = self._models.get(name)
            if found is not None:
                return found.get(own) or next(reversed(found.values()))
        return self._relation(names[0], None, None)

    def source(self, asker: SourceFile, source: str, table: str) -> Relation:
        """Where a table of a source is; undeclared, the source is its schema."""
        known = self._manifest.sources.get((source, table))
        if known is not None:
            return known
        declared = self._properties.source(asker.name, source, table)
        if declared is None:
            return self._relation(table, source, None)
        home = declared.home
        variables = self._properties.variables_of(home)
        said = _texts(self._values.settled(declared.options, variables, home.name or ""))
        return self._relation(
            said.get("identifier", table), said.get("schema", source), said.get("database")
        )

    def _key(self, file: SourceFile) -> tuple[PurePosixPath | None, str]:
        return self._properties.root(file.name), self._name(file)

    def _name(self, file: SourceFile) -> str:
        """A model is called like its file; a snapshot says itself what it is called."""
        return self._words.get(file, {}).get(_SNAPSHOT) or model_name(file)

    def _learn(self, file: SourceFile) -> None:
        root, name = self._key(file)
        relation = self._relations[file] = self._stored(name, file)
        # Packages may have models of one name, a project may not.
        key = self._properties.folder(file.name), name
        other = self._meant.get(key)
        if other is not None and self._relations[other] != relation:
            self._passed_over[other] = file
        self._meant[key] = file
        known = self._models.setdefault(name, {})
        known.pop(root, None)
        known[root] = relation

    def _stored(self, name: str, file: SourceFile) -> Relation:
        known = self._manifest.models.get(name)
        if known is not None:
            return self._relation(known.alias, known.schema, known.database)
        said = _texts(self.options(file)) | self._words.get(file, {})
        return self._relation(
            said.get("alias") or name,
            said.get("target_schema") or said.get("schema"),
            said.get("target_database") or said.get("database"),
        )

    def _own_words(self, file: SourceFile) -> dict[str, str]:
        """What a file's `config(…)` says of where it is stored, and what its snapshot is called."""
        words: dict[str, str] = {}
        if is_seed(file) or not ("config" in file.content or "snapshot" in file.content):
            return words
        try:
            with failing_softly():
                tree = self._environment.parse(file.content)
        except TemplateFailureError:
            return words  # rendering will report it
        for call in tree.find_all(nodes.Call):
            called = call.node.name if isinstance(call.node, nodes.Name) else None
            if called == _SNAPSHOT and isinstance(call.args[0], nodes.Const) and call.args[0].value:
                words[_SNAPSHOT] = call.args[0].value
            elif called == "config":
                for word, value in _configured(call):
                    text = self._worked_out(value, file) if word in _PLACES else None
                    if text is not None:
                        words[word] = text
        return words

    def _worked_out(self, value: nodes.Expr, file: SourceFile) -> str | None:
        """A constant, or what variables and the target make of an expression."""
        if isinstance(value, nodes.Const):
            return str(value.value) if isinstance(value.value, str | bool) else None
        return self._values.worked_out(value, self._properties.variables(file.name))

    def _relation(self, name: str, schema: str | None, database: str | None) -> Relation:
        return Relation(name, schema, database, self._dialect)


def _configured(call: nodes.Call) -> Iterator[tuple[str, nodes.Expr]]:
    """The options of a call, in a mapping or by their names."""
    for given in call.args:
        for pair in given.items if isinstance(given, nodes.Dict) else ():
            if isinstance(pair.key, nodes.Const) and isinstance(pair.key.value, str):
                yield pair.key.value, pair.value
    for keyword in call.kwargs:
        yield keyword.key, keyword.value


def _texts(options: Mapping[str, Any]) -> dict[str, str]:
    return {key: value for key, value in options.items() if isinstance(value, str)}
