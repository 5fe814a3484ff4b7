"""The folders of dbt projects: which project a file belongs to, and what `dbt_project.yml` says of where it is.

A project in the packages of another is a package of that one; any other project, also one inside of
another's folder, stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from lakeport.lineage.templating.documents import (
    DocumentError,
    can_read_documents,
    read_document,
)

PROJECT_FILE = "dbt_project.yml"
_PACKAGES = ("dbt_packages", "dbt_modules")
# The words of `dbt_project.yml` for each kind of folder, the old ones behind, and what stands for them.
_FOLDERS = {
    "models": (("model-paths", "source-paths"), "models"),
    "snapshots": (("snapshot-paths",), "snapshots"),
    "seeds": (("seed-paths", "data-paths"), "seeds"),
    "macros": (("macro-paths",), "macros"),
}


def path_of(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))


@dataclass(frozen=True, slots=True)
class Home:
    """A project: its folder, and what its file says."""

    folder: PurePosixPath
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str | None:
        name = self.document.get("name")
        return name if isinstance(name, str) and name else None

    def folders(self, kind: str) -> list[str]:
        """The folders of the project that hold files of a kind."""
        words, default = _FOLDERS[kind]
        given = next((self.document[word] for word in words if word in self.document), None)
        named = [path for path in given if isinstance(path, str)] if isinstance(given, list) else []
        return named or [default]

    def packages(self) -> list[str]:
        """The folders that packages are installed in."""
        given = self.document.get("packages-install-path")
        return [given] if isinstance(given, str) and given else list(_PACKAGES)

    def kind_of(self, path: PurePosixPath) -> tuple[str, tuple[str, ...]] | None:
        """What a file is by the folder it is in, and the parts of its path from there on."""
        inside = path.relative_to(self.folder)
        for kind in _FOLDERS:
            for folder in self.folders(kind):
                if inside.is_relative_to(folder):
                    return kind, inside.relative_to(folder).parts
        return None


def read_home(folder: PurePosixPath, text: str) -> Home:
    """A project by its file; one that cannot be read is as dbt makes them."""
    if not can_read_documents():
        return Home(folder)
    try:
        document = read_document(text)
    except DocumentError:
        return Home(folder)
    return Home(folder, document if isinstance(document, dict) else {})


class Places:
    """All projects of a request, by their folders."""

    def __init__(self, homes: Iterable[Home]) -> None:
        self._homes = {home.folder: home for home in homes}

    def __iter__(self) -> Iterator[Home]:
        return iter(self._homes.values())

    def home_of(self, path: PurePosixPath) -> Home | None:
        """The project that a file is in."""
        return next((self._homes[up] for up in path.parents if up in self._homes), None)

    def root_of(self, home: Home) -> Home:
        """The project that a package is installed in, or the project itself."""
        above = home.folder.parent
        for up in above.parents:
            outer = self._homes.get(up)
            if outer is not None and any(up / folder == above for folder in outer.packages()):
                return outer
        return home
