"""The files of a project: which of them are models, what they say, and which table each builds.

`models/NAMESPACE/**/NAME.sql` builds `NAMESPACE.NAME`, unless its settings name another. Reading goes on
after a mistake, so that all of them are told at once.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from lakeport.core.names import (
    TableName,
    fold,
    quoted,
    why_unsafe_namespace,
    why_unsafe_table,
)
from lakeport.pipeline.project.model import Language, Model, ModelSettings
from lakeport.pipeline.project.problems import Place, Problem
from lakeport.pipeline.project.python import read_python
from lakeport.pipeline.project.settings import Comment, Written, settings_of, split_comment
from lakeport.pipeline.project.template import is_template

LANGUAGES: Mapping[str, Language] = {".sql": "sql", ".py": "python"}
_OWN = "lakeport"
_LARGEST = 5 * 1024 * 1024
_RENAME = 'rename the file, or set name = "namespace.table"'


@dataclass(frozen=True, slots=True)
class Found:
    """A file that is a model: `parts` are its folders below the folder of models."""

    file: Path
    path: str
    parts: tuple[str, ...]
    language: Language


@dataclass(slots=True)
class Reading:
    """What is read so far."""

    defaults: Written
    vars: Mapping[str, Any] = field(default_factory=dict)
    models: list[Model] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def wrong(self, code: str, message: str, hint: str, place: Place) -> None:
        self.problems.append(Problem(code, message, hint, place))


def model_files(root: Path, folder: Path, unreadable: Callable[[OSError], None]) -> Iterator[Found]:
    """In the order of their paths. Hidden ones and those that Python makes are no models."""
    for here, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(
            name for name in folders if not name.startswith((".", "__")) and name != "node_modules"
        )
        for name in sorted(names):
            language = LANGUAGES.get(os.path.splitext(name)[1].lower())  # noqa: PTH122 - of a name
            if language is None or name.startswith(".") or name == "__init__.py":
                continue
            file = Path(here, name)
            parts = Path(here).relative_to(folder).parts
            yield Found(file, _shown(file, root), parts, language)


def _shown(file: Path, root: Path) -> str:
    """Relative to the project; a folder of models elsewhere is shown from there."""
    try:
        return file.relative_to(root).as_posix()
    except ValueError:
        return file.as_posix()


def read_models(root: Path, folder: Path, reading: Reading) -> None:
    def unreadable(error: OSError) -> None:
        place = Place(_shown(Path(error.filename), root))
        message = f"the folder cannot be read: {error.strerror}"
        reading.wrong("unreadable", message, "look at its rights", place)

    for found in model_files(root, folder, unreadable):
        text = read_text(found, reading)
        if text is not None:
            _read_model(found, text, reading)
    reading.problems += _twice(reading.models)


def read_text(found: Found, reading: Reading) -> str | None:
    place = Place(found.path)
    try:
        content = found.file.read_bytes()
    except OSError as error:
        reading.wrong(
            "unreadable", f"it cannot be read: {error.strerror}", "look at its rights", place
        )
        return None
    if len(content) > _LARGEST:
        reading.wrong("too-large", "it is larger than 5 MB", "data belongs into tables", place)
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        reading.wrong(
            "encoding",
            f"it is not UTF-8 text (byte {error.start})",
            "save it as UTF-8",
            Place(found.path, line),
        )
        return None


def _read_model(found: Found, text: str, reading: Reading) -> None:
    if found.language == "sql":
        comment = split_comment(found.path, text)
        if comment.problem is not None:
            reading.problems.append(comment.problem)
        written, line, body = _of_comment(found, comment), comment.line, comment.body
    else:
        python = read_python(found.path, text)
        reading.problems += python.problems
        line, body = python.settings_line, text
        written = Written(
            python.settings,
            lambda key: Place(found.path, python.lines.get(key, line)),
            lambda key: python.items.get(key, []),
        )
    settings, problems = settings_of(written, reading.defaults, language=found.language, body=body)
    if not settings.enabled:
        return
    reading.problems += problems
    name = _name(found, settings, written, reading)
    if name is None:
        return
    if found.language == "sql" and not _has_query(body):
        hint = "write the SELECT that builds the table, or remove the file"
        reading.wrong("empty", "there is no query", hint, Place(found.path, line))
    lines = {key: written.place(key).line or line for key in written.values}
    fingerprint = _fingerprint(body, settings, reading.vars if is_template(body) else {})
    reading.models.append(
        Model(name, found.path, found.language, settings, text, body, line, fingerprint, lines)
    )


def _of_comment(found: Found, comment: Comment) -> Written:
    document = comment.document
    if document is None:
        return Written({}, lambda _key: Place(found.path, comment.line), lambda _key: [])
    return Written(
        document.values, lambda key: Place(found.path, document.line(key)), document.items
    )


def _has_query(body: str) -> bool:
    """Whether there is anything but blanks and comments."""
    at = 0
    while at < len(body):
        if body[at].isspace() or body[at] == ";":
            at += 1
        elif body.startswith("--", at):
            end = body.find("\n", at)
            at = len(body) if end < 0 else end
        elif body.startswith("/*", at):
            end = body.find("*/", at)
            at = len(body) if end < 0 else end + 2
        else:
            return True
    return False


def _name(
    found: Found, settings: ModelSettings, written: Written, reading: Reading
) -> TableName | None:
    place = Place(found.path)
    if settings.name is not None:
        place = written.place("name")
        named = TableName.parse(settings.name)
        if named is None:
            hint = f'write name = "namespace.{settings.name.strip(".") or "table"}"'
            message = f"{quoted(settings.name)} names no namespace"
            reading.wrong("model-name", message, hint, place)
            return None
        name = named
    elif not found.parts:
        hint = f'move it to models/NAMESPACE/{found.file.name}, or set name = "namespace.table"'
        reading.wrong("no-namespace", "it is in no namespace's folder", hint, place)
        return None
    else:
        name = TableName(found.parts[0], found.file.stem)
    reason = why_unsafe_namespace(name.namespace)
    if reason is not None:
        reading.wrong(
            "model-name",
            f"a namespace cannot be called {quoted(name.namespace)}: {reason}",
            _RENAME,
            place,
        )
        return None
    reason = why_unsafe_table(name.table)
    if reason is not None:
        message = f"a table cannot be called {quoted(name.table)}: {reason}"
        reading.wrong("model-name", message, _RENAME, place)
        return None
    if is_own(name.namespace):
        message = f"the namespace {quoted(name.namespace)} is Lakeport's own"
        reading.wrong("model-name", message, "move the model to another one", place)
        return None
    return name


def is_own(namespace: str) -> bool:
    first = fold(namespace).split(".")[0]
    return first == _OWN or first.startswith(f"{_OWN}_")


def _fingerprint(body: str, settings: ModelSettings, variables: Mapping[str, Any]) -> str:
    """`QUERY-SETTINGS`, so that a plan can say which of the two was changed."""
    told = msgspec.json.encode(msgspec.structs.asdict(settings), enc_hook=_plain, order="sorted")
    said = msgspec.json.encode(variables, enc_hook=str, order="sorted") if variables else b""
    query = body.replace("\r\n", "\n").strip().encode()
    parts = (b"\x00".join((query, said)), told)
    return "-".join(hashlib.sha256(part).hexdigest()[:16] for part in parts)


def _plain(value: object) -> object:
    return {name: getattr(value, name) for name in value.__slots__ if name != "line"}  # type: ignore[attr-defined] # an Audit


def _twice(models: list[Model]) -> Iterator[Problem]:
    builders: dict[tuple[str, str], list[Model]] = {}
    for model in models:
        builders.setdefault(model.name.folded, []).append(model)
    for same in builders.values():
        for model in same[1:]:
            yield Problem(
                "duplicate-model",
                f"{quoted(str(model.name))} is built by {same[0].path}, too",
                "rename one of the files, or give one of them another name",
                Place(model.path, model.setting_lines.get("name")),
            )
