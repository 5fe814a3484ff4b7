"""Folders under which files may be read, and nothing beside them.

A path is walked from its root folder by folder, each opened inside the one before and never through a
link: what is opened is what was looked at, whoever moves or replaces something meanwhile. Names are
matched here, so a pattern cannot lead out either. What is hidden stays so: a project under a root has its
tokens in `.lakeport`.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lakeport.core.errors import (
    InvalidRequestError,
    LimitError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
)
from lakeport.core.names import quoted

_MOST_FILES = 10_000
_MOST_FOLDERS = 10_000
_LONGEST = 4_096
_ANY_DEPTH = "**"
_PATTERN = frozenset("*?[")
_RULE = "paths are relative to a folder of `files.roots`, and stay inside it"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Opening a pipe would wait for somebody to write to it.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FoundFile:
    """`name` is how it is told of: where it is inside its root."""

    root: Path
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        return "/".join(self.parts)

    @property
    def path(self) -> str:
        return str(self.root.joinpath(*self.parts))

    def open(self) -> BinaryIO:
        with _opened(self.root, self.parts[:-1], self.name) as folder:
            try:
                number = os.open(self.parts[-1], _FILE, dir_fd=folder)
            except OSError as error:
                raise _refusal(error, self.name) from error
        if not stat.S_ISREG(os.fstat(number).st_mode):
            os.close(number)
            raise InvalidRequestError(f"{quoted(self.name)} is no file")
        return os.fdopen(number, "rb")


@dataclass(frozen=True, slots=True)
class Roots:
    """In the order in which a path is looked for."""

    folders: tuple[Path, ...] = ()

    def find(self, pattern: str) -> tuple[FoundFile, ...]:
        """By their names; `NotFoundError` if there are none."""
        if not self.folders:
            raise PreconditionError(
                "no folder is configured to read files from",
                hint='set `files.roots` in lakeport.toml, like roots = ["data"]',
            )
        parts = parts_of(pattern)
        for folder in self.folders:
            # A set: several `**` lead to one file in several ways.
            found = sorted(set(_matching(folder, parts)), key=lambda file: file.parts)
            if found:
                return tuple(found)
        raise NotFoundError(f"there is no file {quoted(pattern)}", hint=_RULE)


def parts_of(text: str) -> tuple[str, ...]:
    """The names of a relative path, or of a pattern."""
    if not text or len(text) > _LONGEST or not text.isprintable():
        raise InvalidRequestError("that is no path of a file", hint=_RULE)
    is_url = "://" in text or text.startswith(("file:", "~"))
    if is_url or text.startswith("/") or "\\" in text or (len(text) > 1 and text[1] == ":"):
        raise InvalidRequestError(f"{quoted(text)} cannot be read: {_RULE}")
    parts = tuple(part for part in text.split("/") if part not in {"", "."})
    if not parts or ".." in parts or text.endswith("/"):
        raise InvalidRequestError(f"{quoted(text)} cannot be read: {_RULE}")
    if any(part.startswith(".") for part in parts):
        raise PermissionDeniedError(
            f"{quoted(text)} cannot be read: names that begin with a dot are not served"
        )
    return parts


def _matching(root: Path, parts: Sequence[str]) -> Iterator[FoundFile]:
    if not any(_PATTERN & set(part) for part in parts):
        file = FoundFile(root, tuple(parts))
        try:
            file.open().close()
        except NotFoundError:
            return
        yield file
        return
    for count, found in enumerate(_Search(root).run((), tuple(parts))):
        if count == _MOST_FILES:
            raise LimitError(
                f"the pattern names more than {_MOST_FILES:,} files", hint="name fewer of them"
            )
        yield FoundFile(root, found)


@dataclass(slots=True)
class _Search:
    """Links are passed over, as if they were not there."""

    root: Path
    looked: int = 0

    def run(self, above: tuple[str, ...], parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        head, *rest = parts
        folders, files = self._listed(above)
        if head == _ANY_DEPTH:
            yield from self.run(above, tuple(rest)) if rest else ((*above, each) for each in files)
            for folder in folders:
                yield from self.run((*above, folder), parts)
            return
        if not rest:
            yield from ((*above, each) for each in files if _matches(each, head))
            return
        for folder in folders:
            if _matches(folder, head):
                yield from self.run((*above, folder), tuple(rest))

    def _listed(self, above: tuple[str, ...]) -> tuple[list[str], list[str]]:
        self.looked += 1
        if self.looked > _MOST_FOLDERS:
            raise LimitError(
                f"the pattern leads through more than {_MOST_FOLDERS:,} folders",
                hint="name fewer of them",
            )
        folders, files = list[str](), list[str]()
        try:
            with _opened(self.root, above, "/".join(above)) as number, os.scandir(number) as listed:
                for entry in listed:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif entry.is_file(follow_symlinks=False):
                        files.append(entry.name)
        except (NotFoundError, PermissionDeniedError):
            return [], []  # it went, or became a link, since it was listed
        return sorted(folders), sorted(files)


def _matches(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name, pattern)


@contextmanager
def _opened(root: Path, parts: Sequence[str], name: str) -> Iterator[int]:
    """The folder at the end of the way. The root itself is its owner's, and may be a link."""
    try:
        number = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise NotFoundError(
            "a folder of `files.roots` cannot be opened", hint="the server's log has more"
        ) from error
    try:
        for part in parts:
            below = _below(number, part, name)
            os.close(number)
            number = below
        yield number
    finally:
        os.close(number)


def _below(folder: int, part: str, name: str) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ENOTDIR and _is_link(folder, part):
            raise _linked(name) from error
        raise _refusal(error, name) from error


def _is_link(folder: int, part: str) -> bool:
    try:
        found = os.stat(part, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISLNK(found.st_mode)


def _refusal(
    error: OSError, name: str
) -> NotFoundError | PermissionDeniedError | InvalidRequestError:
    if error.errno in {errno.ELOOP, errno.EMLINK}:
        return _linked(name)
    if error.errno in {errno.EACCES, errno.EPERM}:
        return PermissionDeniedError(f"the server may not read {quoted(name)}")
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return NotFoundError(f"there is no file {quoted(name)}", hint=_RULE)
    return InvalidRequestError(f"{quoted(name)} cannot be opened")


def _linked(name: str) -> PermissionDeniedError:
    return PermissionDeniedError(
        f"{quoted(name)} is a link, or leads through one",
        hint="links below `files.roots` are not followed; add the folder that it leads to",
    )
