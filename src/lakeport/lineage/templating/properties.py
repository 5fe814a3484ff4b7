"""What the YAML files of dbt projects say about models, seeds and sources: variables, options, names.

Of two places that say something about a model the nearer one counts: its own entry in a property file before
its folder, an inner folder before an outer one, and the project before the packages in it. A value is a template;
one that cannot be rendered counts as not said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from lakeport.lineage.templating.documents import (
    DocumentError,
    can_read_documents,
    read_document,
)
from lakeport.lineage.templating.places import PROJECT_FILE, Home, Places, path_of

if TYPE_CHECKING:
    from lakeport.lineage.issues import Issue
    from lakeport.lineage.request import SourceFile
    from lakeport.lineage.templating.project import Reporter


@dataclass(frozen=True, slots=True)
class Source:
    """A table of a source, as it is declared; the values are templates."""

    home: Home
    options: Mapping[str, Any]


@dataclass(slots=True)
class Properties:
    """The YAML files of a request."""

    places: Places = field(default_factory=lambda: Places(()))
    # By the names of the source and its table, then by the project that declares it.
    _sources: dict[tuple[str, str], dict[PurePosixPath, Source]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    _variables: dict[PurePosixPath, Mapping[str, Any]] = field(default_factory=dict)
    _entries: dict[tuple[PurePosixPath, str], Mapping[str, Any]] = field(default_factory=dict)
    _versions: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """What the projects are called."""
        return [home.name for home in self.places if home.name]

    def project(self, file: str, *, built: bool = False) -> str | None:
        """The name of the project that a model is of, or of the one it is built in."""
        home = self.places.home_of(path_of(file))
        if home is None:
            return None
        return self.places.root_of(home).name if built else home.name

    def folder(self, file: str) -> PurePosixPath | None:
        """The folder of the project that a file is of."""
        home = self.places.home_of(path_of(file))
        return None if home is None else home.folder

    def root(self, file: str) -> PurePosixPath | None:
        """The folder of the project that a file is built in: names are those of one project."""
        home = self.places.home_of(path_of(file))
        return None if home is None else self.places.root_of(home).folder

    def source(self, file: str, source: str, table: str) -> Source | None:
        """A table of a source, as the project of a file declares it before any other."""
        declared = self._sources.get((source, table))
        if declared is None:
            return None
        home = self.places.home_of(path_of(file))
        near = () if home is None else (home.folder, self.places.root_of(home).folder)
        own = next((declared[folder] for folder in near if folder in declared), None)
        return own or next(reversed(declared.values()))

    def variables(self, file: str) -> Mapping[str, Any]:
        """The variables of a model: those of its package, under those of the project."""
        home = self.places.home_of(path_of(file))
        return {} if home is None else self.variables_of(home)

    def variables_of(self, home: Home) -> Mapping[str, Any]:
        """The variables of what is in a project."""
        if home.folder not in self._variables:
            self._variables[home.folder] = self._gathered(home)
        return self._variables[home.folder]

    def _gathered(self, home: Home) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for project in self._levels(home):
            given = _mapping(project.document.get("vars"))
            found.update(given)
            found.update(_mapping(given.get(home.name or "")))
        return found

    def options(self, file: str) -> dict[str, Any]:
        """What is said about a model, a snapshot or a seed outside of its own file."""
        path = path_of(file)
        home = self.places.home_of(path)
        if home is None:
            return {}
        kind, parts = home.kind_of(path) or ("models", path.relative_to(home.folder).parts)
        found: dict[str, Any] = {}
        keys = (home.name or "", *parts[:-1], path.stem)
        for project in self._levels(home):
            _gather(found, _mapping(project.document.get(kind)), keys)
        _add(found, self._entries.get((home.folder, path.stem), {}))
        return found

    def latest(self, model: str) -> str | None:
        """The version of a model that is meant where none is named."""
        return self._versions.get(model)

    def _levels(self, home: Home) -> list[Home]:
        """What says something about the files of a project; the later one counts."""
        root = self.places.root_of(home)
        return [home] if root is home else [home, root]

    def learn(self, file: SourceFile, document: Mapping[str, Any]) -> None:
        """What a property file says."""
        home = self.places.home_of(path_of(file.name))
        if home is None:
            home = Home(path_of(file.name).parent)
        for kind in ("models", "seeds", "snapshots"):
            for entry in _named(document.get(kind)):
                self._entries[home.folder, entry["name"]] = _mapping(entry.get("config"))
                self._learn_versions(home, entry)
        for source in _named(document.get("sources")):
            common = {"schema": source["name"], **_said(source)}
            for table in _named(source.get("tables")):
                options = {**common, "identifier": table["name"], **_said(table)}
                declared = self._sources.setdefault((source["name"], table["name"]), {})
                declared.pop(home.folder, None)
                declared[home.folder] = Source(home, options)

    def _learn_versions(self, home: Home, entry: Mapping[str, Any]) -> None:
        versions = [
            one for one in _mappings(entry.get("versions")) if isinstance(one.get("v"), str | int)
        ]
        for version in versions:
            file = version.get("defined_in") or f"{entry['name']}_v{version['v']}"
            self._entries[home.folder, str(file)] = {
                "alias": f"{entry['name']}_v{version['v']}",
                **_mapping(entry.get("config")),
                **_mapping(version.get("config")),
            }
        if versions:
            latest = entry.get("latest_version")
            newest = max((one["v"] for one in versions), key=_in_order)
            self._versions[entry["name"]] = str(newest if latest is None else latest)


def read_properties(files: list[SourceFile], reporter: Reporter) -> Properties:
    """Projects first: what a property file is about depends on the project it is in."""
    if not files:
        return Properties()
    if not can_read_documents():
        missing = reporter.note(
            files[0],
            "the project's YAML files are not read: PyYAML is not installed",
            hint="pip install pyyaml",
        )
        return Properties(issues=[missing])
    issues: list[Issue] = []
    documents = [(file, _document(file, reporter, issues)) for file in files]
    projects = [
        Home(path_of(file.name).parent, document)
        for file, document in documents
        if path_of(file.name).name == PROJECT_FILE
    ]
    properties = Properties(Places(projects), issues=issues)
    for file, document in documents:
        if path_of(file.name).name != PROJECT_FILE:
            properties.learn(file, document)
    return properties


def _document(file: SourceFile, reporter: Reporter, issues: list[Issue]) -> Mapping[str, Any]:
    try:
        return _mapping(read_document(file.content))
    except DocumentError as error:
        where = f"line {error.line}: " if error.line else ""
        issues.append(
            reporter.note(
                file,
                f"the file cannot be read: {where}{error}",
                error.line,
                hint="what it says is left out; write it as YAML",
            )
        )
        return {}


def _gather(found: dict[str, Any], section: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    """The options on the way down to a model; those without a plus are told by having no parts."""
    for key in ("", *keys):
        section = _mapping(section.get(key)) if key else section
        _add(
            found,
            {
                name.removeprefix("+"): value
                for name, value in section.items()
                if name.startswith("+") or not isinstance(value, Mapping)
            },
        )


def _add(found: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Tags add up; of everything else the later one counts."""
    tags = [*_listed(found.get("tags")), *_listed(more.get("tags"))]
    found.update(more)
    if tags:
        found["tags"] = tags


def _said(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        word: entry[word]
        for word in ("database", "schema", "identifier")
        if isinstance(entry.get(word), str)
    }


def _named(entries: object) -> Iterator[Mapping[str, Any]]:
    for entry in _mappings(entries):
        if isinstance(entry.get("name"), str):
            yield entry


def _mappings(entries: object) -> Iterator[Mapping[str, Any]]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, Mapping):
            yield entry


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _in_order(version: str | int) -> tuple[float, str]:
    """Versions that are numbers by their value, others by their text."""
    text = str(version)
    return (float(text) if text.isdecimal() else -1.0, text)
