"""Puts the layers together: default < lakeport.toml < environment < flags.

The result is one frozen `Settings` that knows where each value came from. The working folder and the
variables are arguments, so that the same call gives the same settings.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from lakeport.app.settings import derived, layers, sections
from lakeport.app.settings.keys import CATALOGS, SECTIONS, Key, Known
from lakeport.app.settings.layers import PROJECT_VARIABLE, Given, Source
from lakeport.app.settings.project import ProjectFile, catalog_names, find, named, read
from lakeport.app.settings.values import Address, convert, read_text, read_toml, text_property
from lakeport.core.errors import ConfigurationError, NotFoundError
from lakeport.core.names import NameMap, quoted
from lakeport.core.secrets import mask_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

T = TypeVar("T", bound=msgspec.Struct)

DEFAULT = Source("default", "default")


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting as it may be shown: plain, masked, with its source."""

    name: str
    value: object
    source: Source


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was set. `root` is the project's folder, or the working folder without one.

    `catalog` is the one that is meant, the first unless `with_catalog` chose; `catalogs` are all, the
    first one first.
    """

    root: Path
    file: Path | None
    catalog: sections.Catalog
    catalogs: tuple[sections.Catalog, ...]
    server: sections.Server
    state: sections.State
    remote: sections.Remote
    pipeline: sections.Pipeline
    maintenance: sections.Maintenance
    functions: sections.Functions
    files: sections.Files
    log: sections.Log
    sources: Mapping[str, Source]

    @property
    def home(self) -> Path:
        """Where the embedded default keeps data and state."""
        return self.root / derived.HOME

    @property
    def catalog_section(self) -> str:
        """Where the catalog that is meant is set, as messages name it."""
        is_first = self.catalog.name == self.catalogs[0].name
        return "catalog" if is_first else f"{CATALOGS}.{self.catalog.name}"

    def with_catalog(self, name: str | None) -> Settings:
        """The same, meaning the catalog of that name in any spelling; the first without one."""
        named = NameMap((catalog.name, catalog) for catalog in self.catalogs)
        wanted = self.catalogs[0].name if name is None else name
        if wanted not in named:
            raise NotFoundError.among("catalog", wanted, named)
        return replace(self, catalog=named[wanted])

    def each_catalog(self) -> Iterator[Settings]:
        return (self.with_catalog(catalog.name) for catalog in self.catalogs)

    def entries(self) -> Iterator[Entry]:
        """Every key and every item of the open tables, in the order of the reference."""
        for key in Known(catalog.name for catalog in self.catalogs[1:]).keys.values():
            value = self._value(key.path)
            if not (key.is_open and value):
                hint = key.name if key.is_secret else ""
                yield self._entry(key.name, mask_value(hint, _plain(value)))
                continue
            for item, held in sorted(value.items()):
                yield self._entry(f"{key.name}.{item}", mask_value(item, _plain(held)))

    def _value(self, path: tuple[str, ...]) -> Any:
        value: Any = self
        if path[0] == CATALOGS:
            value, path = self.with_catalog(path[1]).catalog, path[2:]
        elif path[0] == "catalog":
            value, path = self.catalogs[0], path[1:]
        for part in path:
            value = getattr(value, part)
        return value

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
    written = read(file) if file is not None else ProjectFile(root, {}, {})
    known = Known(catalog_names(written))
    given = (
        *layers.from_other_programs(variables, folder),
        *layers.from_file(written, known),
        *layers.from_environment(variables, folder, known),
        *layers.from_flags(flags or {}, folder, known),
    )
    values, sources = _merge(given, root, known)
    derived.complete(values, sources, root, known.catalog_sections)
    settings = _built(root, file, values, sources, known)
    for each in settings.each_catalog():
        derived.check_catalog(each.catalog, each.catalog_section, sources)
    derived.check_tls(settings.server.tls, sources)
    derived.check_names(settings.catalogs)
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


def _built(
    root: Path,
    file: Path | None,
    values: Mapping[tuple[str, ...], Any],
    sources: Mapping[str, Source],
    known: Known,
) -> Settings:
    built: dict[str, Any] = {
        name: _section(kind, (name,), values) for name, kind in SECTIONS.items()
    }
    others = [
        _section(sections.Catalog, (CATALOGS, name), {**values, (CATALOGS, name, "name"): name})
        for name in known.catalogs
    ]
    return Settings(root, file, catalogs=(built["catalog"], *others), **built, sources=sources)


def _merge(
    given: Iterable[Given], root: Path, known: Known
) -> tuple[dict[tuple[str, ...], Any], dict[str, Source]]:
    """Each key's value and source; a later layer wins, in open tables item by item."""
    values: dict[tuple[str, ...], Any] = {
        key.path: dict(key.default) if key.is_open else _anchored(key.default, root)
        for key in known.keys.values()
    }
    sources: dict[str, Source] = {}
    for one in given:
        key = known.keys.get(one.path)
        if key is not None and not key.is_open:
            values[key.path] = _converted(one, key)
            sources[key.name] = one.source
            continue
        table = key or known.open_key(one.path)
        if table is None:
            raise layers.unknown(one.path, one.source, known)
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
        # What stands in a catalog's own section is a property, too: one level less deep.
        inside = one.path[depth if one.path[:depth] == table.path else depth - 1 :]
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


def _section(kind: type[T], path: tuple[str, ...], values: Mapping[tuple[str, ...], Any]) -> T:
    held = {}
    for name, inner in _fields(kind):
        here = (*path, name)
        held[name] = values[here] if here in values else _section(inner, here, values)
    return kind(**held)


@cache
def _fields(kind: type) -> tuple[tuple[str, Any], ...]:
    """Names and types: asking msgspec evaluates every annotation again, which was most of what loading took."""
    return tuple((item.name, item.type) for item in msgspec.structs.fields(kind))


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
