"""The sections as a flat list of keys (`server.tls.cert`), each with its names, type and default."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec

from lakeport.app.settings import sections

SECTIONS: Mapping[str, type[msgspec.Struct]] = {
    "catalog": sections.Catalog,
    "server": sections.Server,
    "state": sections.State,
    "pipeline": sections.Pipeline,
    "maintenance": sections.Maintenance,
    "functions": sections.Functions,
    "log": sections.Log,
}

PREFIX = "LAKEPORT_"

# Short names of PyIceberg that lack a dot or a dash and may still stand in [catalog] itself.
ICEBERG_WORDS = frozenset({"credential", "token", "scope", "audience", "resource", "prefix"})


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
        return PREFIX + "_".join(self.path).upper()

    @property
    def is_open(self) -> bool:
        """Whether it is a table that takes any key."""
        return get_origin(get_args(self.type)[0]) is dict

    @property
    def type_is_text(self) -> bool:
        """For an open table: whether other programs get its items, as text."""
        return get_args(get_args(self.type)[0]) == (str, str)


@functools.cache
def all_keys() -> Mapping[tuple[str, ...], Key]:
    found = (key for name, kind in SECTIONS.items() for key in _keys((name,), kind))
    return {key.path: key for key in found}


@functools.cache
def tables() -> frozenset[tuple[str, ...]]:
    """The sections and the sections within them."""
    return frozenset(path[:length] for path in all_keys() for length in range(1, len(path)))


def open_key(path: tuple[str, ...]) -> Key | None:
    """The open table that a path with no key of its own belongs to."""
    if not path or path in all_keys():
        return None
    for length in range(len(path) - 1, 0, -1):
        key = all_keys().get(path[:length])
        if key is not None:
            return key if key.is_open else None
    return all_keys()["catalog", "properties"] if _is_catalog_property(path) else None


def _is_catalog_property(path: tuple[str, ...]) -> bool:
    name = ".".join(path[1:])
    if path[0] != "catalog" or ("catalog", name.replace("-", "_")) in all_keys():
        return False  # `max-staleness` is a setting of ours, misspelt
    return "." in name or "-" in name or name in ICEBERG_WORDS


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
