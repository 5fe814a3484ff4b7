"""The files of dbt projects that lineage gets: models, seeds, macros, and what YAML says about them.

A folder with a `dbt_project.yml` is read as that file says, with the packages installed in it; so is each
such folder inside of one without. What is named inside of a project comes with all macros and YAML files of
that project. Folders without any project are read by the names of the folders in them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from lakeport.app.sql_files import STANDARD_INPUT, SqlFile, files_in, read_payload, read_text
from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.lineage.templating.places import PROJECT_FILE, Home, read_home

# Where dbt looks for models if nothing tells.
_MODELS, _MACROS = frozenset({"models", "snapshots"}), "macros"
_COMPILED = frozenset({"target", "compiled"})
_DOCUMENTS = frozenset({".yml", ".yaml"})


@dataclass(slots=True)
class DbtFiles:
    """Paths, each once; of two macros of one name the later one counts.

    `others` are models and seeds of the same project that nobody asked for: a model may refer to them.
    """

    models: dict[Path, None] = field(default_factory=dict)
    seeds: dict[Path, None] = field(default_factory=dict)
    macros: dict[Path, None] = field(default_factory=dict)
    properties: dict[Path, None] = field(default_factory=dict)
    others: dict[Path, None] = field(default_factory=dict)

    def add(self, more: DbtFiles) -> None:
        for mine, others in zip(self._all(), more._all(), strict=True):
            mine.update(others)

    def part(self, wanted: Callable[[Path], bool]) -> DbtFiles:
        """What of a project makes some tables, with all that it needs."""
        models, seeds = (
            {path: None for path in paths if wanted(path)} for paths in (self.models, self.seeds)
        )
        made = self.models | self.seeds
        others = {path: None for path in made if path not in models and path not in seeds}
        return DbtFiles(models, seeds, self.macros, self.properties, others)

    def _all(self) -> tuple[dict[Path, None], ...]:
        return self.models, self.seeds, self.macros, self.properties, self.others


def dbt_files(named: tuple[Path, ...]) -> DbtFiles:
    """What is named. A file is meant wherever it is, and so are all of a folder that holds no model."""
    found = DbtFiles()
    for path in named:
        for part in _found(path):
            found.add(part)
    for path in (*found.models, *found.seeds):
        found.others.pop(path, None)
    if not found.models and not found.seeds:
        raise NotFoundError(
            f"there is no model of dbt in {named[0]}",
            hint=f"models are .sql files in the folders that {PROJECT_FILE} names as model-paths",
        )
    return found


def texts(paths: dict[Path, None]) -> list[SqlFile]:
    """What is in them; of a file of values its first line, the names of its columns."""
    return [
        SqlFile("stdin" if str(path) == STANDARD_INPUT else path.as_posix(), _text(path))
        for path in paths
    ]


def _text(path: Path) -> str:
    if path.suffix == ".csv" and path.is_file():
        with path.open("rb") as lines:
            return lines.readline().decode("utf-8-sig", "replace")
    return read_text(read_payload(path), path)


def _found(path: Path) -> Iterator[DbtFiles]:
    if path.name == PROJECT_FILE and path.is_file():
        path = path.parent
    if (path / PROJECT_FILE).is_file():
        yield _project(path)
        return
    if path.suffix in _DOCUMENTS and path.is_file():
        raise InvalidRequestError(
            f"{path} is no model", hint="name a model, or a folder: what YAML says is read with it"
        )
    root = None if str(path) == STANDARD_INPUT else _root_around(path)
    if root is None:
        projects = _projects_inside(path)
        yield from map(_project, projects) if projects else (_folder(path),)
        return
    yield _part(path, root)


def _part(path: Path, root: Path) -> DbtFiles:
    """A file or a folder of a project. A file that is no model of it is read as one."""
    whole = path.resolve()
    part = _project(root).part(lambda file: file.resolve().is_relative_to(whole))
    if not part.models and not part.seeds:
        part.models = {_spelled(file, root): None for file in files_in([path])}
    return part


def _spelled(file: Path, root: Path) -> Path:
    """A file as the project's other files are spelled, by which it is known where it belongs."""
    real, whole = file.resolve(), root.resolve()
    return root / real.relative_to(whole) if real.is_relative_to(whole) else file


def _root_around(path: Path) -> Path | None:
    """The project that a path is in, spelled from where the path is."""
    for folder in path.resolve().parents:
        if (folder / PROJECT_FILE).is_file():
            return folder if path.is_absolute() else Path(os.path.relpath(folder))
    return None


def _projects_inside(path: Path) -> list[Path]:
    """The outermost ones of a folder that is in none."""
    found: list[Path] = []
    for file in sorted(path.rglob(PROJECT_FILE)) if path.is_dir() else ():
        if not any(file.is_relative_to(folder) for folder in found):
            found.append(file.parent)
    return found


def _project(root: Path) -> DbtFiles:
    """Packages first: the project's own macros count."""
    found = DbtFiles()
    home = _home(root)
    for installed in home.packages():
        for folder in sorted((root / installed).glob("*")):
            if folder.is_dir():
                found.add(_own_files(_home(folder), folder))
    found.add(_own_files(home, root))
    return found


def _home(root: Path) -> Home:
    file = root / PROJECT_FILE
    text = read_text(file.read_bytes(), file) if file.is_file() else ""
    return read_home(PurePosixPath(root.as_posix()), text)


def _own_files(home: Home, root: Path) -> DbtFiles:
    file = root / PROJECT_FILE
    found = DbtFiles(properties={file: None} if file.is_file() else {})
    kinds = {"models": found.models, "snapshots": found.models, "macros": found.macros}
    for kind, paths in kinds.items():
        paths.update(_in_folders(home, root, kind, {".sql"}))
    found.seeds.update(_in_folders(home, root, "seeds", {".csv"}))
    for kind in ("models", "snapshots", "seeds"):
        found.properties.update(_in_folders(home, root, kind, _DOCUMENTS))
    return found


def _in_folders(home: Home, root: Path, kind: str, suffixes: Container[str]) -> dict[Path, None]:
    return {
        file: None
        for folder in home.folders(kind)
        for file in sorted((root / folder).rglob("*"))
        if file.suffix in suffixes
    }


def _folder(path: Path) -> DbtFiles:
    """A folder without a project goes by the names of the folders in it."""
    found = files_in([path])
    if not path.is_dir():
        return DbtFiles(models=dict.fromkeys(found))
    # What the folder itself is in says nothing.
    inside = {file: (path.resolve().name, *file.relative_to(path).parts) for file in found}
    macros = [file for file in found if _MACROS in inside[file]]
    others = [file for file in found if _MACROS not in inside[file]]
    written = [file for file in others if not _COMPILED.issubset(inside[file])]
    models = [file for file in written if not _MODELS.isdisjoint(inside[file])] or others
    macros.sort(key=lambda file: "dbt_packages" not in file.parts)
    return DbtFiles(models=dict.fromkeys(models), macros=dict.fromkeys(macros))
