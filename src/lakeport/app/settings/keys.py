"""The sections as a flat list of keys (`server.tls.cert`), each with its names, type and default.

Which keys there are depends on the project in one way only: each catalog that lakeport.toml names by a
section `[catalogs.NAME]` has the keys of `[catalog]`, but for `name`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec

from lakeport.app.settings import sections

SECTIONS: Mapping[str, type[msgspec.Struct]] = {
    "catalog": sections.Catalog,
    "server": sections.Server,
    "state": sections.State,
    "remote": sections.Remote,
    "pipeline": sections.Pipeline,
    "maintenance": sections.Maintenance,
    "functions": sections.Functions,
    "files": sections.Files,
    "log": sections.Log,
}

CATALOGS = "catalogs"
"""The section of which each table is a catalog more, called as the table is."""

PREFIX = "LAKEPORT_"

# Short names of PyIceberg that lack a dot or a dash and may still stand in [catalog] itself.
ICEBERG_WORDS = frozenset({"credential", "token", "scope", "audience", "resource", "prefix"})


def variable_of(path: tuple[str, ...]) -> str:
    return PREFIX + "_".join(path).upper().replace("-", "_")


@dataclass(frozen=True, slots=True)
class Key:
    """One thing to set."""

    path: tuple[str, ...]
    type: Any
    default: Any
    about: str

    @property
    def name(self) -> str:
        return ".".join(self.path)

    @property
    def variable(self) -> str:
        return str(self._marks.get(sections.VARIABLE, variable_of(self.path)))

    @property
    def is_secret(self) -> bool:
        return sections.SECRET in self._marks

    @property
    def _marks(self) -> Mapping[str, object]:
        found = (meta.extra for meta in get_args(self.type)[1:] if meta.extra)
        return dict(item for extra in found for item in extra.items())

    @property
    def is_open(self) -> bool:
        """Whether it is a table that takes any key."""
        return get_origin(get_args(self.type)[0]) is dict

    @property
    def type_is_text(self) -> bool:
        """For an open table: whether other programs get its items, as text."""
        return get_args(get_args(self.type)[0]) == (str, str)


class Known:
    """All that may be set in a project with these catalogs beside its first one."""

    def __init__(self, catalogs: Iterable[str] = ()) -> None:
        self.catalogs = tuple(catalogs)
        found = [*_keys_of_every_project()]
        for name in self.catalogs:
            found.extend(_keys_of_catalog(name))
        self.keys: Mapping[tuple[str, ...], Key] = {key.path: key for key in found}
        self.tables = frozenset(
            [(CATALOGS,), *(path[:length] for path in self.keys for length in range(1, len(path)))]
        )
        """The sections and the sections within them."""

    @property
    def catalog_sections(self) -> tuple[tuple[str, ...], ...]:
        return (("catalog",), *((CATALOGS, name) for name in self.catalogs))

    def has(self, path: tuple[str, ...]) -> bool:
        return path in self.keys or path in self.tables or self.open_key(path) is not None

    def open_key(self, path: tuple[str, ...]) -> Key | None:
        """The open table that a path with no key of its own belongs to."""
        if not path or path in self.keys:
            return None
        for length in range(len(path) - 1, 0, -1):
            key = self.keys.get(path[:length])
            if key is not None:
                return key if key.is_open else None
        return self._properties(path)

    def _properties(self, path: tuple[str, ...]) -> Key | None:
        """The table of PyIceberg's properties, if the path is one that stands in a catalog itself."""
        for section in self.catalog_sections:
            name = ".".join(path[len(section) :])
            if path[: len(section)] != section or not name:
                continue
            if (*section, name.replace("-", "_")) in self.keys:
                return None  # `max-staleness` is a setting of ours, misspelt
            if "." in name or "-" in name or name in ICEBERG_WORDS:
                return self.keys[*section, "properties"]
        return None


@functools.cache
def all_keys() -> Mapping[tuple[str, ...], Key]:
    """Those of every project."""
    return Known().keys


@functools.cache
def _keys_of_every_project() -> tuple[Key, ...]:
    return tuple(key for name, kind in SECTIONS.items() for key in _keys((name,), kind))


def _keys_of_catalog(name: str) -> list[Key]:
    keys = _keys((CATALOGS, name), sections.Catalog)
    return [key for key in keys if key.path[2:] != ("name",)]


def _keys(path: tuple[str, ...], kind: type[msgspec.Struct]) -> list[Key]:
    hints = get_type_hints(kind, include_extras=True)
    found: list[Key] = []
    for item in msgspec.structs.fields(kind):
        wanted = hints[item.name]
        here = (*path, item.name)
        if get_origin(wanted) is Annotated:
            default = item.default_factory() if callable(item.default_factory) else item.default
            about = next(meta.description for meta in get_args(wanted)[1:] if meta.description)
            found.append(Key(here, wanted, default, about))
        else:
            found.extend(_keys(here, wanted))
    return found
