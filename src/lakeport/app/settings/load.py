"""Puts the layers together: default < lakeport.toml < environment < flags.

The result is one frozen `Settings` that knows where each value came from. The working folder and the
variables are arguments, so that the same call gives the same settings.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from lakeport.app.settings import derived, layers, sections
from lakeport.app.settings.keys import SECTIONS, Key, all_keys, open_key
from lakeport.app.settings.layers import PROJECT_VARIABLE, Given, Source
from lakeport.app.settings.project import find, named, read
from lakeport.app.settings.values import Address, convert, read_text, read_toml, text_property
from lakeport.core.errors import ConfigurationError
from lakeport.core.names import quoted
from lakeport.core.secrets import mask_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

DEFAULT = Source("default", "default")


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting as it may be shown: plain, masked, with its source."""

    name: str
    value: object
    source: Source


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was set. `root` is the project's folder, or the working folder without one."""

    root: Path
    file: Path | None
    catalog: sections.Catalog
    server: sections.Server
    state: sections.State
    pipeline: sections.Pipeline
    maintenance: sections.Maintenance
    functions: sections.Functions
    log: sections.Log
    sources: Mapping[str, Source]

    @property
    def home(self) -> Path:
        """Where the embedded default keeps data and state."""
        return self.root / derived.HOME

    def entries(self) -> Iterator[Entry]:
        """Every key and every item of the open tables, in the order of the reference."""
        for key in all_keys().values():
            value: Any = self
            for part in key.path:
                value = getattr(value, part)
            if not (key.is_open and value):
                yield self._entry(key.name, mask_value("", _plain(value)))
                continue
            for item, held in sorted(value.items()):
                yield self._entry(f"{key.name}.{item}", mask_value(item, _plain(held)))

    def _entry(self, name: str, value: object) -> Entry:
        return Entry(name, value, self.sources.get(name, DEFAULT))


def load(
    *,
    project: Path | None = None,
    flags: Mapping[str, object] | None = None,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The settings of a command run in `folder`; flags are named like settings (`server.grpc`)."""
    variables = os.environ if variables is None else variables
    folder = _working_folder() if folder is None else folder
    file = _project_file(project, variables, folder)
    root = folder if file is None else file.parent
    given = (
        *layers.from_other_programs(variables, folder),
        *(layers.from_file(read(file)) if file is not None else ()),
        *layers.from_environment(variables, folder),
        *layers.from_flags(flags or {}, folder),
    )
    values, sources = _merge(given, root)
    derived.complete(values, sources, root)
    built = {name: _section(kind, (name,), values) for name, kind in SECTIONS.items()}
    settings = Settings(root, file, **built, sources=sources)  # type: ignore[arg-type]  # SECTIONS gives each its type
    derived.check(settings.catalog, settings.server.tls, sources)
    return settings


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise ConfigurationError(
            "the working folder is gone", hint="change to a folder that exists"
        ) from error


def _project_file(project: Path | None, variables: Mapping[str, str], folder: Path) -> Path | None:
    if project is not None:
        return named(folder / project)
    variable = variables.get(PROJECT_VARIABLE)
    return named(folder / variable) if variable else find(folder)


def _merge(
    given: Iterable[Given], root: Path
) -> tuple[dict[tuple[str, ...], Any], dict[str, Source]]:
    """Each key's value and source; a later layer wins, in open tables item by item."""
    values: dict[tuple[str, ...], Any] = {
        key.path: dict(key.default) if key.is_open else _anchored(key.default, root)
        for key in all_keys().values()
    }
    sources: dict[str, Source] = {}
    for one in given:
        key = all_keys().get(one.path)
        if key is not None and not key.is_open:
            values[key.path] = _converted(one, key)
            sources[key.name] = one.source
            continue
        table = key or open_key(one.path)
        if table is None:
            raise layers.unknown(one.path, one.source)
        for inside, value in _items(one, table):
            _put(values[table.path], inside, value)
            sources[f"{table.name}.{inside[0]}"] = one.source
    return values, sources


def _converted(one: Given, key: Key) -> object:
    value = (
        read_text(one.value, key.type) if isinstance(one.value, str) and one.is_text else one.value
    )
    try:
        return convert(value, key.type, base=one.base)
    except ValueError as error:
        raise ConfigurationError(
            f"{one.source}: {quoted(key.name)} cannot be that: {error}", hint=key.about
        ) from error


def _items(one: Given, table: Key) -> Iterator[tuple[tuple[str, ...], object]]:
    """What a value adds to an open table: one item, or a whole table written as one text."""
    depth = len(table.path)
    value: Any = one.value
    if one.is_text and (one.path == table.path or not table.type_is_text):
        value = read_toml(str(value))
    if one.path != table.path:
        inside = one.path[depth:] if one.path[:depth] == table.path else one.path[1:]
        yield (".".join(inside),) if table.type_is_text else inside, _typed(one, table, value)
    elif isinstance(value, dict):
        yield from (((name,), _typed(one, table, item)) for name, item in value.items())
    else:
        raise ConfigurationError(
            f"{one.source}: {quoted(table.name)} is a table", hint='write it as {name = "value"}'
        )


def _put(table: dict[str, Any], inside: tuple[str, ...], value: object) -> None:
    name, *rest = inside
    if rest:
        held = table.get(name)
        table[name] = dict(held) if isinstance(held, dict) else {}
        _put(table[name], tuple(rest), value)
    else:
        table[name] = value


def _typed(one: Given, table: Key, value: object) -> object:
    if not table.type_is_text:
        return value
    shown = text_property(value)
    if shown is None:
        raise ConfigurationError(
            f"{one.source}: {quoted(one.name)} must be a text, a number or a truth value"
        )
    return shown


def _section(
    kind: type[msgspec.Struct], path: tuple[str, ...], values: Mapping[tuple[str, ...], Any]
) -> msgspec.Struct:
    held = {}
    for item in msgspec.structs.fields(kind):
        here = (*path, item.name)
        held[item.name] = values[here] if here in values else _section(item.type, here, values)
    return kind(**held)


def _anchored(default: object, root: Path) -> object:
    return root / default if isinstance(default, Path) else default


def _plain(value: object) -> object:
    match value:
        case Path() | Address():
            return str(value)
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value
