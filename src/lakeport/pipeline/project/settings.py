"""The settings of a model: TOML in a leading comment whose first word is `lakeport`, or a Python dict.

Nothing is taken as it is: each value is checked against the type that `ModelSettings` gives it, and every
mistake is told with its line. A default of the project that makes no sense for a model is left out; the
same thing said by the model itself is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from lakeport.core import toml
from lakeport.core.names import nearest, quoted
from lakeport.pipeline.project.audits import read_audits
from lakeport.pipeline.project.model import ModelSettings
from lakeport.pipeline.project.problems import Place, Problem, excerpt
from lakeport.pipeline.project.rules import (
    contradictions,
    lacks_meaning,
    usual_materialization,
)
from lakeport.pipeline.project.spans import read_range

# Atomic: a comment ends at its first end, whatever that means for what comes after.
# Spelled as a name it may begin a sentence; before a setting nobody means one.
_WORD = r"(?:lakeport\b|(?i:lakeport)(?=\s+\w+\s*=))"
_BLANK = rf"(?:\s|--[^\n]*+(?:\n|$)|(?>/\*(?!\s*{_WORD}).*?\*/))*+"
_COMMENT = re.compile(rf"{_BLANK}(?P<all>/\*\s*{_WORD}(?P<toml>.*?)\*/)", re.DOTALL)
_OPEN = re.compile(rf"{_BLANK}/\*\s*{_WORD}", re.DOTALL)
_LATER = re.compile(r"/\*\s*lakeport[ \t]*\r?\n")
_LISTS = frozenset({"unique_key", "partitioned_by", "tags", "depends_on"})
_NOT_BY_DEFAULT = frozenset({"name", "description", "audits", "depends_on"})


@dataclass(slots=True)
class Written:
    """Settings as somebody wrote them. `lines` tells where; `items` the lines of a list's elements."""

    values: Mapping[str, Any]
    place: Callable[[str], Place]
    items: Callable[[str], list[int]]
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Comment:
    """A SQL file in two: what its settings say and what is left, on the same lines and columns."""

    document: toml.Document | None
    body: str
    line: int
    problem: Problem | None = None


def split_comment(path: str, text: str) -> Comment:
    """Never fails: a problem says what is wrong with the settings."""
    found = _COMMENT.match(text)
    if found is None:
        if _OPEN.match(text):
            line = text.count("\n", 0, text.index("/*")) + 1
            place = Place(path, line)
            hint = "end the comment with */ before the query"
            problem = Problem("settings-open", "the settings do not end", hint, place)
            return Comment(None, text, line, problem)
        return Comment(None, text, 1, _later(path, text, 0))
    line = text.count("\n", 0, found.start("all")) + 1
    hidden = re.sub(r"[^\r\n]", " ", found["all"])
    body = text[: found.start("all")] + hidden + text[found.end("all") :]
    first = text.count("\n", 0, found.start("toml")) + 1
    try:
        document = toml.read(found["toml"].replace("\r\n", "\n"), first)
    except toml.TomlError as error:
        at = error.line + first - 1
        return Comment(None, body, line, _no_toml(path, text, at, error.what))
    return Comment(document, body, line, _later(path, text, found.end()))


def _no_toml(path: str, text: str, line: int, what: str) -> Problem:
    return Problem(
        "settings-toml",
        f"the settings are no TOML: {what[:1].lower()}{what[1:]}",
        "a comment that begins with the word `lakeport` holds settings, as `key = value` lines",
        Place(path, line),
        excerpt(text, line),
    )


def _later(path: str, text: str, after: int) -> Problem | None:
    found = _LATER.search(text, after)
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    return Problem(
        "settings-twice" if after else "settings-late",
        "there are settings twice" if after else "the settings come after the query",
        "put all of them into one comment at the top",
        Place(path, line),
    )


def settings_of(
    written: Written, defaults: Written, *, language: str, body: str
) -> tuple[ModelSettings, list[Problem]]:
    """What holds for a model, as far as it can be understood."""
    problems: list[Problem] = []
    own = dict(_understood(written, problems))
    given = {**_meaningful(dict(_understood(defaults, [])), own), **own}
    given.setdefault("materialized", usual_materialization(given, body))
    problems += contradictions(own, given, language, written.place)
    return ModelSettings(**given), problems


def default_problems(defaults: Written) -> list[Problem]:
    """What is wrong with `[pipeline.defaults]`, told once and not for each model."""
    problems: list[Problem] = []
    for name in defaults.values:
        if name in _NOT_BY_DEFAULT:
            message = f"{quoted(name)} belongs to one model and cannot be a default"
            hint = "set it in the model"
            problems.append(Problem("default-setting", message, hint, defaults.place(name)))
    list(_understood(defaults, problems))
    return problems


def _meaningful(defaults: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in defaults.items() if key not in _NOT_BY_DEFAULT}
    while True:
        given = {**kept, **own}
        useless = next((key for key in kept if key not in own and lacks_meaning(key, given)), None)
        if useless is None:
            return kept
        del kept[useless]


def _understood(written: Written, problems: list[Problem]) -> Iterator[tuple[str, Any]]:
    for name, value in written.values.items():
        if name not in _TYPES:
            problems.append(_unknown(name, written.place(name)))
            continue
        if name == "audits":
            audits, wrong = read_audits(value, written.items, written.place(name))
            problems += wrong
            yield name, audits
            continue
        try:
            yield name, _converted(name, value)
        except ValueError as error:
            message, hint = error.args
            problems.append(Problem("setting-value", message, hint, written.place(name)))


def _unknown(name: str, place: Place) -> Problem:
    close = nearest(name, _TYPES)
    known = ", ".join(_TYPES)
    hint = f"did you mean {quoted(close)}? settings: {known}" if close else f"settings: {known}"
    return Problem("unknown-setting", f"there is no setting {quoted(name)}", hint, place)


def _converted(name: str, value: Any) -> Any:
    if name in _LISTS and isinstance(value, str):
        value = [value]
    if name == "properties" and isinstance(value, dict):
        value = {key: _property(held) for key, held in value.items()}
    choices = _CHOICES.get(name)
    if choices is not None and value not in choices:
        close = nearest(str(value), choices)
        hint = f"did you mean {quoted(close)}? " if close else ""
        raise ValueError(
            f"{quoted(name)} cannot be {quoted(str(value))}",
            f"{hint}it is one of {', '.join(choices)}",
        )
    if name in {"range", "lookback"}:
        return read_range(name, value)
    try:
        return msgspec.convert(value, _TYPES[name])
    except msgspec.ValidationError:
        raise ValueError(f"{quoted(name)} cannot be {_shown(value)}", _wanted(name)) from None


def _property(value: Any) -> Any:
    """Iceberg's properties are text; numbers and truth values are written as people write them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def _shown(value: Any) -> str:
    match value:
        case str():
            return "empty" if not value else f'the text "{value}"'
        case bool():
            return "true" if value else "false"
        case list() | tuple():
            return "an empty list" if not value else "this list"
        case dict():
            return "a table"
        case _:
            return str(value)


def _wanted(name: str) -> str:
    if name in _LISTS:
        return f'write a name or a list of names: {name} = ["one", "two"]'
    if name == "properties":
        return 'write {"write.parquet.compression-codec" = "zstd"}'
    return "write true or false" if name == "enabled" else f'write a text: {name} = "…"'


def _choices(type_: Any) -> tuple[str, ...] | None:
    """The words of a Literal, or of a Literal that may be absent."""
    options = [type_] if get_origin(type_) is Literal else list(get_args(type_))
    return next((get_args(one) for one in options if get_origin(one) is Literal), None)


_TYPES: dict[str, Any] = {
    name: get_args(hint)[0]
    for name, hint in get_type_hints(ModelSettings, include_extras=True).items()
}
_CHOICES = {name: words for name, type_ in _TYPES.items() if (words := _choices(type_))}
SETTING_NAMES = tuple(_TYPES)
