"""The types a setting may have, and how a value becomes one of them.

A value comes typed from TOML or as text from the environment and from flags. Text is read by the type
that is wanted, so `LAKEPORT_CATALOG_NAME=007` stays a name and `false` and `0` are values like any other.
"""

from __future__ import annotations

import tomllib
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import msgspec

Plain: TypeAlias = Any
"""Any TOML value: what the open tables (`pipeline.vars`, …) hold. Its own section checks it when used."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens. Port 0 means: any free one."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        if text.startswith(("unix:", "/")):
            raise ValueError(f"{text!r} is a socket of this machine; only HOST:PORT is listened on")
        host, colon, port = text.rpartition(":")
        bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
        bracketed = bare != host
        if not colon or not bare or (":" in bare and not bracketed):
            raise ValueError(
                f"{text!r} is not HOST:PORT, like 127.0.0.1:8815, 0.0.0.0:8815 or [::1]:8815"
            )
        if not (port.isascii() and port.isdigit()) or int(port) > 65_535:
            raise ValueError(f"{port!r} is not a port, which is a number from 0 to 65535")
        return cls(bare, int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def convert(value: object, wanted: Any, *, base: Path) -> object:
    """A value typed by TOML as the wanted type; raises ValueError with the reason.

    A relative path means relative to `base`.
    """
    if Address in _kinds(wanted):  # msgspec would take a dataclass for a table
        if not isinstance(value, str):
            raise ValueError(f"Expected `str`, got `{_toml_name(value)}`")
        return Address.parse(value)

    def path(_: type, given: object) -> Path:
        if not isinstance(given, str):
            raise TypeError(f"Expected `str`, got `{_toml_name(given)}`")
        return base / expanded(given)

    try:
        return msgspec.convert(value, wanted, dec_hook=path)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def expanded(text: str) -> Path:
    """A path with `~` replaced by the user's home."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{text!r} starts in a home folder that is not known") from error


def read_text(text: str, wanted: Any) -> object:
    """Text from the environment or a flag, as the TOML value of the wanted type."""
    kinds = _kinds(wanted)
    if bool in kinds:
        return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    if any((get_origin(kind) or kind) in {list, tuple} for kind in kinds):
        stripped = text.strip()
        if stripped.startswith("["):
            return read_toml(stripped)
        return [part.strip() for part in stripped.split(",") if part.strip()]
    return text


def read_toml(text: str) -> Any:
    """A TOML literal (`5`, `true`, `2024-01-15`, `["a"]`), or the text itself if it is none."""
    if "\n" in text or "\r" in text:
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def text_property(value: object) -> str | None:
    """A scalar as other programs (PyIceberg, Spark) want it: text; None for a table or a list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def shown_text(value: object) -> str:
    """How a value is written in lakeport.toml, for `config` and the reference."""
    match value:
        case None:
            return "not set"
        case bool():
            return "true" if value else "false"
        case list() | tuple():
            return "[" + ", ".join(shown_text(item) for item in value) + "]"
        case dict():
            return (
                "{" + ", ".join(f"{key} = {shown_text(item)}" for key, item in value.items()) + "}"
            )
        case str() | Path() | Address():
            return f'"{value}"'
        case _:
            return str(value)


def type_text(wanted: Any) -> str:
    """How the reference names a type."""
    words = {str: "text", int: "number", float: "number", bool: "true or false", Path: "path"}
    shown: list[str] = []
    for kind in _kinds(wanted):
        origin = get_origin(kind) or kind
        if kind is Address:
            shown.append("HOST:PORT")
        elif origin in {list, tuple}:
            shown.append("list of " + type_text(get_args(kind)[0]))
        elif isinstance(kind, str):
            shown.append(f'"{kind}"')
        else:
            shown.append(words.get(origin, "table"))
    return " or ".join(dict.fromkeys(shown))


def _kinds(wanted: Any) -> list[Any]:
    """The alternatives of a type: without Annotated and None, with the words of a Literal."""
    origin = get_origin(wanted)
    if origin is Annotated:
        return _kinds(get_args(wanted)[0])
    if origin in {Union, types.UnionType}:
        return [kind for part in get_args(wanted) for kind in _kinds(part)]
    if wanted is type(None):
        return []
    if origin is Literal:
        return list(get_args(wanted))
    return [wanted]


def _toml_name(value: object) -> str:
    return {"dict": "table", "list": "array"}.get(type(value).__name__, type(value).__name__)
