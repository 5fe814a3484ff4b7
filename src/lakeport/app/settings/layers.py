"""The places a setting can be given: lakeport.toml, the environment, flags.

Each layer turns what it finds into `Given` values, still unconverted, and refuses names that mean
nothing, with the nearest one that does. Relative paths in the file mean the project's folder; in the
environment and in flags they mean the working folder, as everywhere on a command line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lakeport.app.settings.keys import CATALOGS, PREFIX, SECTIONS, Key, Known, variable_of
from lakeport.core.errors import ConfigurationError
from lakeport.core.names import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lakeport.app.settings.project import ProjectFile

PROJECT_VARIABLE = PREFIX + "PROJECT"

_SECTIONS = tuple(
    word for name in SECTIONS for word in ((name, CATALOGS) if name == "catalog" else (name,))
)
_OTHERWISE = {"auto_maintain": "maintenance.auto"}
"""What people call a setting whose name is not like it."""

_KUBERNETES = re.compile(r"_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value came from: `lakeport.toml:7`, `LAKEPORT_SERVER_GRPC`, `command line`, `default`."""

    kind: Literal["default", "derived", "file", "environment", "flag"]
    where: str

    def __str__(self) -> str:
        return self.where


@dataclass(frozen=True, slots=True)
class Given:
    """A value somebody gave. `is_text` when it has no type yet; `base` is what its paths start from."""

    path: tuple[str, ...]
    value: object
    source: Source
    base: Path
    is_text: bool = False

    @property
    def name(self) -> str:
        return ".".join(self.path)


def from_file(written: ProjectFile, known: Known) -> Iterator[Given]:
    for path, value in _leaves((), written.values, known):
        source = Source("file", written.place(path))
        if not known.has(path):
            raise unknown(path, source, known)
        if path in known.tables:
            raise ConfigurationError(
                f"{source}: {quoted('.'.join(path))} is a section, not a value",
                hint=f"write [{'.'.join(path)}] and its keys below it",
            )
        yield Given(path, value, source, written.path.parent)


def from_other_programs(variables: Mapping[str, str], folder: Path) -> Iterator[Given]:
    """What other programs' variables say, below lakeport.toml: whoever set them did not mean us."""
    java = variables.get("JAVA_HOME")
    if java:
        source = Source("environment", "JAVA_HOME")
        yield Given(("pipeline", "java_home"), java, source, folder, is_text=True)
    cache = variables.get("XDG_CACHE_HOME")
    if cache and Path(cache).is_absolute():  # the specification says to ignore a relative one
        source = Source("environment", "XDG_CACHE_HOME")
        yield Given(
            ("pipeline", "cache"), str(Path(cache, "lakeport")), source, folder, is_text=True
        )


def from_environment(variables: Mapping[str, str], folder: Path, known: Known) -> Iterator[Given]:
    """`LAKEPORT_SECTION_KEY`. An empty variable counts as not set, as shells and compose files mean it."""
    for name in sorted(variables):
        if not name.startswith(PREFIX) or name == PROJECT_VARIABLE or not variables[name]:
            continue
        if _is_from_kubernetes(name, variables[name]):
            continue
        path = _path_of(name, known)
        if path is not None:
            yield Given(path, variables[name], Source("environment", name), folder, is_text=True)


def from_flags(flags: Mapping[str, object], folder: Path, known: Known) -> Iterator[Given]:
    for name, value in flags.items():
        path = tuple(name.split("."))
        source = Source("flag", "command line")
        if not known.has(path) or path in known.tables:
            raise unknown(path, source, known)
        yield Given(path, value, source, folder, is_text=isinstance(value, str))


def unknown(path: tuple[str, ...], source: Source, known: Known) -> ConfigurationError:
    message = f"{source}: there is no setting {quoted('.'.join(path))}"
    return ConfigurationError(message, hint=_meant(path, known))


def _meant(path: tuple[str, ...], known: Known) -> str:
    if path[0] == CATALOGS and len(path) > 1 and path[1] not in known.catalogs:
        named = ", ".join(known.catalogs) or "none"
        return f"lakeport.toml names a catalog by a section [catalogs.NAME]; there: {named}"
    if path[0] == CATALOGS and path[2:] == ("name",):
        return f"a catalog is called as its section: rename [{'.'.join(path[:-1])}]"
    close = _OTHERWISE.get(path[-1]) or _close(path, known)
    if close is not None:
        hint = f"did you mean {quoted(close)}?"
    elif path[0] in SECTIONS:
        hint = f"settings of [{path[0]}]: {', '.join(known_in(path[0], known))}"
    else:
        hint = f"sections: {', '.join(_SECTIONS)}"
    if path[0] in {"catalog", CATALOGS}:
        section = ".".join(path[:1] if path[0] == "catalog" else path[:2])
        hint += f" (a PyIceberg property of that name goes into [{section}.properties])"
    return hint


def _close(path: tuple[str, ...], known: Known) -> str | None:
    if len(path) == 1:  # a misspelt section, or a key outside of its section
        return nearest(path[0], _SECTIONS) or _by_last_word(path, known.keys.values())
    beside = [key for key in known.keys.values() if key.path[:-1] == path[:-1]]
    # In a section that is known the last word is misspelt: the first ones make everything in it look alike.
    whole = None if beside else nearest(".".join(path), [key.name for key in known.keys.values()])
    moved = next((key.name for key in known.keys.values() if key.path[-1] == path[-1]), None)
    return whole or _by_last_word(path, beside) or moved


def _by_last_word(path: tuple[str, ...], keys: Iterable[Key]) -> str | None:
    names = {key.path[-1]: key.name for key in keys}
    word = nearest(path[-1], names)
    return None if word is None else names[word]


def known_in(section: str, known: Known) -> list[str]:
    return [".".join(path[1:]) for path in known.keys if path[0] == section]


def _leaves(
    path: tuple[str, ...], value: Any, known: Known
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of the file. An item of an open table may be a table itself, unless it must be text."""
    key = known.keys.get(path)
    table = known.open_key(path)
    is_item = table is not None and not table.type_is_text
    if not isinstance(value, dict) or (key is not None and not key.is_open) or is_item:
        yield path, value
        return
    if not value and path and not known.has(path):
        yield path, value
    for name, item in value.items():
        yield from _leaves((*path, name), item, known)


def _path_of(variable: str, known: Known) -> tuple[str, ...] | None:
    """The setting a variable names; None if it is none of ours, an error if it is nearly one."""
    for key in known.keys.values():
        if variable in {key.variable, variable_of(key.path)}:
            return key.path
    for key in known.keys.values():
        if key.is_open and variable.startswith(key.variable + "_"):
            return (*key.path, _item(variable.removeprefix(key.variable + "_"), dashes=False))
    for section in known.catalog_sections:
        begin = variable_of(section) + "_"
        item = (*section, _item(variable.removeprefix(begin), dashes=True))
        if variable.startswith(begin) and known.open_key(item) is not None:
            return item
    word = variable.removeprefix(PREFIX).split("_")[0].lower()
    if nearest(word, _SECTIONS) is not None:
        raise _unknown_variable(variable, known)
    return None


def _is_from_kubernetes(variable: str, value: str) -> bool:
    """Every pod gets such variables for a service called `lakeport` or `lakeport-server`."""
    is_link = variable.endswith("_PORT") and "://" in value
    return is_link or _KUBERNETES.search(variable) is not None


def _item(words: str, *, dashes: bool) -> str:
    """`S3__ACCESS_KEY_ID` is `s3.access-key-id`: PyIceberg's own convention for its variables."""
    item = words.lower().replace("__", ".")
    return item.replace("_", "-") if dashes else item


def _unknown_variable(variable: str, known: Known) -> ConfigurationError:
    keys = known.keys.values()
    section = [key.variable for key in keys if variable.startswith(variable_of(key.path[:1]) + "_")]
    close = nearest(variable, section) or nearest(variable, [key.variable for key in keys])
    return ConfigurationError(
        f"the environment variable {quoted(variable)} names no setting",
        hint=f"did you mean {quoted(close)}?" if close else "`lakeport config` lists every setting",
    )
