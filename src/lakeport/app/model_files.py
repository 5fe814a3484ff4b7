"""Files of models as lineage reads them: with what their project knows about them.

A model's file is rendered by its project and names tables as they are called in the catalog, so that
`orders`, `shop.orders` and `{{ ref("orders") }}` are one table. Queries that cannot be read stay as they
are: lineage says what is wrong with them, and goes on with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakeport.app.project.load import load_project
from lakeport.app.settings import load
from lakeport.app.settings.project import find
from lakeport.app.sql_files import SqlFile
from lakeport.core import toml
from lakeport.core.errors import LakeportError
from lakeport.core.names import TableName, fold
from lakeport.lineage.programs import Program
from lakeport.pipeline.graph.model import Query
from lakeport.pipeline.graph.resolve import Names, Target, parts_of, reference_of
from lakeport.pipeline.graph.texts import Text, read_texts
from lakeport.pipeline.project import Problem, ProjectError
from lakeport.pipeline.project.settings import split_comment
from lakeport.pipeline.project.template import is_template, sql_name

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.pipeline.graph.model import Reference
    from lakeport.pipeline.project import Model, Project


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The models of one project in one environment, by their files; `unrendered` are templates that fail."""

    project: Project
    files: Mapping[Path, SqlFile]
    programs: Mapping[Path, Program]
    unrendered: tuple[Problem, ...] = ()

    def file(self, path: Path) -> SqlFile | None:
        """By the name it is asked for; None if it is no model in SQL.

        What is wrong elsewhere in the project is no matter, but of a template that fails nothing can be told.
        """
        wanted = path.resolve()
        failed = [one for one in self.unrendered if self._at(one.place.path) == wanted]
        if failed:
            raise ProjectError(failed)
        found = self.files.get(wanted)
        return None if found is None else replace(found, name=path.as_posix())

    def program(self, path: Path) -> Program | None:
        return self.programs.get(path.resolve())

    def require_sound(self) -> None:
        problems = (*self.project.problems, *self.unrendered)
        if problems:
            raise ProjectError(problems)

    def _at(self, path: str) -> Path:
        return (self.project.root / path).resolve()

    @property
    def declared(self) -> list[dict[str, Any]]:
        """What sources.toml says, as tables of an imported schema."""
        return [
            {
                "schema": source.name.namespace,
                "name": source.name.table,
                "columns": [
                    {"name": name} if type_ is None else {"name": name, "dataType": type_}
                    for name, type_ in source.columns
                ],
            }
            for source in self.project.sources.values()
            if source.columns
        ]


def model_files(
    settings: Settings, environment: str | None, exists: Callable[[TableName], bool] | None
) -> ModelFiles:
    """`exists` tells which tables are there, for `is_incremental()`; without it, all that models build."""
    project = load_project(settings, environment)

    def is_incremental(name: TableName) -> bool:
        if project.models[name].settings.materialized != "incremental":
            return False
        return exists is None or exists(project.environment.table(name))

    texts = read_texts(project, is_incremental)
    unrendered = {
        text.model.path
        for text in texts.models
        if text.query is None and text.located.lines is None and is_template(text.model.body)
    }
    failed = [one for one in texts.problems if one.place.path in unrendered]
    reader = _Reader(project, Names(project))
    files: dict[Path, SqlFile] = {}
    programs: dict[Path, Program] = {}
    for text in texts.models:
        path = (project.root / text.model.path).resolve()
        if text.model.language == "sql":
            files[path] = reader.file(text)
        else:
            programs[path] = reader.program(text.model)
    return ModelFiles(project, files, programs, tuple(failed))


@dataclass(frozen=True, slots=True)
class _Reader:
    project: Project
    names: Names

    def file(self, text: Text) -> SqlFile:
        model, located = text.model, text.located
        return SqlFile(model.path, self._spelled(text), str(self._built(model)), located.lines)

    def program(self, model: Model) -> Program:
        built = self._built(model)
        reads = tuple(self._read(name) for name in model.settings.depends_on)
        return Program((built.namespace, built.table), reads)

    def _built(self, model: Model) -> TableName:
        return self.project.environment.table(model.name)

    def _read(self, written: str) -> tuple[str, str]:
        parts = parts_of(written)
        found = self.names.find(parts)
        if isinstance(found, Target):
            table = self._called(found)
            return table.namespace, table.table
        return ".".join(parts[:-1]), parts[-1]

    def _called(self, found: Target) -> TableName:
        mapped = found.kind == "model"
        return self.project.environment.table(found.table) if mapped else found.table

    def _spelled(self, text: Text) -> str:
        """The query with every table by its own name; lines stay where they are."""
        if text.query is None:
            return text.located.sql
        references: list[Reference] = []
        for use in text.query.tables:
            found = self.names.find(use.parts)
            if isinstance(found, Target):
                place = text.located.place(use.start)
                references.append(reference_of(use, found, found.kind, place))
        return Query(text.located.sql, tuple(references)).rewritten(self._other_name)

    def _other_name(self, reference: Reference) -> str | None:
        target = Target(reference.table, reference.kind, reference.suffix)
        table = self._called(target)
        called = (*table.namespace.split("."), table.table, *reference.suffix)
        if tuple(map(fold, called)) == tuple(map(fold, reference.parts)):
            return None
        return ".".join((sql_name(table), *reference.suffix))


def settings_around(path: Path, known: Settings | None) -> Settings | None:
    """Those of the project that a file is in; None if there is none, or none that can be read."""
    file = find(path.resolve() if path.is_dir() else path.resolve().parent)
    if file is None:
        return None
    if known is not None and known.file is not None and known.file.resolve() == file:
        return known
    try:
        return load(project=file)
    except LakeportError:
        return None


def built_by(path: Path, content: str) -> str | None:
    """The table that the query of this file builds, by its path and its own words; None if it is no
    model of a project. For files of a project that cannot be read as a whole.
    """
    models = _models_folder(path)
    if models is None:
        return None
    folders = path.resolve().relative_to(models).parts[:-1]
    if not folders:
        return None
    document = split_comment(path.name, content).document
    given = document.values.get("name") if document is not None else None
    return given if isinstance(given, str) else f"{folders[0]}.{path.stem}"


def _models_folder(path: Path) -> Path | None:
    """The folder of models around a file, if the nearest project has it there."""
    file = find(path.resolve().parent)
    if file is None:
        return None
    pipeline = _values(file).get("pipeline")
    named = pipeline.get("models") if isinstance(pipeline, dict) else None
    models = (file.parent / (named if isinstance(named, str) else "models")).resolve()
    return models if models in path.resolve().parents else None


def _values(file: Path) -> Mapping[str, Any]:
    """A damaged file says nothing here."""
    try:
        return toml.read(file.read_text(encoding="utf-8-sig")).values
    except (toml.TomlError, UnicodeDecodeError):
        return {}
