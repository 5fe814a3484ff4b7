"""Makes a new project by copying the files of `app/projects`. It overwrites nothing, ever.

A README.md or .gitignore that is already there is kept, since a folder under version control often has
both; anything else in the way stops it before the first file is written. A folder that has models already, or
queries that want to be some, is not given another.
"""

from __future__ import annotations

import importlib.resources
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lakeport.app.settings import FILE_NAME
from lakeport.core.errors import AlreadyExistsError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

Example = Literal["shop"]

_KEPT = frozenset({"README.md", ".gitignore"})


@dataclass(frozen=True, slots=True)
class Initialized:
    """What was made. `kept` are files that were already there, `loose` queries that are no models yet."""

    folder: Path
    example: Example | None
    written: tuple[str, ...]
    kept: tuple[str, ...]
    loose: tuple[str, ...] = ()


def initialize(folder: Path, example: Example | None = None) -> Initialized:
    files = dict(_files(importlib.resources.files("lakeport.app.projects") / (example or "plain")))
    loose = () if example is not None or _has_models(folder) else _loose(folder)
    if example is None and (loose or _has_models(folder)):
        files = {name: text for name, text in files.items() if not name.startswith("models/")}
    there = {name for name in files if (folder / name).exists()}
    _refuse_to_overwrite(folder, there)
    written = tuple(sorted(files.keys() - there))
    begun: list[Path] = []
    try:
        for name in written:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as stream:
                begun.append(target)
                stream.write(files[name])
    except OSError as error:
        for target in begun:  # half a project would be in the way of the next attempt
            target.unlink(missing_ok=True)
        raise UnavailableError(
            f"{error.filename or begun[-1]} cannot be written: "
            f"{(error.strerror or 'unknown reason').lower()}"
        ) from error
    return Initialized(folder, example, written, tuple(sorted(there)), loose)


def _has_models(folder: Path) -> bool:
    return any(path.suffix in {".sql", ".py"} for path in (folder / "models").rglob("*"))


def _loose(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.name for path in folder.glob("*.sql")))


def _refuse_to_overwrite(folder: Path, there: set[str]) -> None:
    if FILE_NAME in there:
        raise AlreadyExistsError(
            f"{folder} is a project already: it has a {FILE_NAME}",
            hint="name another folder: lakeport init DIR",
        )
    in_the_way = sorted(there - _KEPT)
    if in_the_way:
        raise AlreadyExistsError(
            f"{folder} already has {', '.join(in_the_way)}, which would be overwritten",
            hint="name another folder: lakeport init DIR",
        )


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.name == "__pycache__":
            continue  # an installer compiles whatever is Python
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            # Packed without its dot: build tools would obey it instead of packing it.
            name = ".gitignore" if entry.name == "gitignore" else entry.name
            yield prefix + name, entry.read_bytes()
