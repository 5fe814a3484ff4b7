"""What the table property says about one field: a word for its logical type, without its children.

Every field of a nested type has an id and a word of its own, so a word describes one level: `uint8`,
`fixed_size_list<item>[3]`, `dictionary<uint8, string>`, `extension<geoarrow.wkb, "{}", binary>`.
What an encoding or an extension wraps comes last and is a word again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import pyarrow as pa

from lakeport.catalog.iceberg.types.names import leaf_from_name, leaf_name

ListKind = Literal["list", "large_list", "list_view", "large_list_view", "fixed_size_list"]
UnionMode = Literal["sparse", "dense"]


@dataclass(frozen=True, slots=True)
class LeafWord:
    type: pa.DataType

    def __str__(self) -> str:
        return leaf_name(self.type)


@dataclass(frozen=True, slots=True)
class ListWord:
    """`child` is the name of the element's field, `size` the length of a fixed-size list."""

    kind: ListKind = "list"
    child: str = "element"
    size: int | None = None

    def __str__(self) -> str:
        size = "" if self.size is None else f"[{self.size}]"
        return f"{self.kind}<{_written(self.child)}>{size}"


@dataclass(frozen=True, slots=True)
class MapWord:
    key: str = "key"
    value: str = "value"
    is_sorted: bool = False

    def __str__(self) -> str:
        kind = "sorted_map" if self.is_sorted else "map"
        return f"{kind}<{_written(self.key)}, {_written(self.value)}>"


@dataclass(frozen=True, slots=True)
class StructWord:
    def __str__(self) -> str:
        return "struct"


@dataclass(frozen=True, slots=True)
class UnionWord:
    """`codes` are Arrow's numbers of the members, in the members' order."""

    mode: UnionMode
    codes: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.mode}_union<{', '.join(map(str, self.codes))}>"


@dataclass(frozen=True, slots=True)
class DictionaryWord:
    index: pa.DataType
    of: Word
    is_ordered: bool = False

    def __str__(self) -> str:
        kind = "ordered_dictionary" if self.is_ordered else "dictionary"
        return f"{kind}<{self.index}, {self.of}>"


@dataclass(frozen=True, slots=True)
class RunEndsWord:
    run_ends: pa.DataType
    of: Word

    def __str__(self) -> str:
        return f"run_end_encoded<{self.run_ends}, {self.of}>"


@dataclass(frozen=True, slots=True)
class ExtensionWord:
    name: str
    metadata: bytes
    of: Word

    def __str__(self) -> str:
        # Metadata may be any bytes; those that are no text become lone surrogates.
        metadata = json.dumps(self.metadata.decode(errors="surrogateescape"))
        return f"extension<{_written(self.name)}, {metadata}, {self.of}>"


Word: TypeAlias = (
    LeafWord
    | ListWord
    | MapWord
    | StructWord
    | UnionWord
    | DictionaryWord
    | RunEndsWord
    | ExtensionWord
)


@dataclass(frozen=True, slots=True)
class Annotation:
    """`required`: never NULL where it counts, though storage must allow it (members of a union)."""

    word: Word
    required: bool = False

    def __str__(self) -> str:
        return f"{self.word}{_REQUIRED}" if self.required else str(self.word)


_REQUIRED = " not null"
_DEEPEST = 8
_LAST_CODE = 127
_PLAIN_NAME = r"[^\W\d][\w.]*"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_NAME = rf"(?:{_PLAIN_NAME}|{_QUOTED})"


def annotation_from_text(text: str) -> Annotation:
    """`ValueError` for a text that this version cannot read."""
    required = text.endswith(_REQUIRED)
    return Annotation(_word(text.removesuffix(_REQUIRED)), required)


def _word(text: str, depth: int = 0) -> Word:
    if depth > _DEEPEST:
        raise ValueError(text)
    for pattern, built in _PATTERNS:
        found = pattern.fullmatch(text)
        if found:
            return built(found, depth)
    return LeafWord(leaf_from_name(text))


def _list(found: re.Match[str], _: int) -> Word:
    kind = cast("ListKind", found["kind"])
    size = found["size"]
    if (size is not None) != (kind == "fixed_size_list"):
        raise ValueError(found[0])
    return ListWord(kind, _read(found["child"]), None if size is None else int(size))


def _map(found: re.Match[str], _: int) -> Word:
    return MapWord(_read(found["key"]), _read(found["value"]), bool(found["sorted"]))


def _union(found: re.Match[str], _: int) -> Word:
    codes = tuple(int(code) for code in found["codes"].split(", "))
    if len(set(codes)) < len(codes) or max(codes) > _LAST_CODE:
        raise ValueError(found[0])
    return UnionWord(cast("UnionMode", found["mode"]), codes)


def _dictionary(found: re.Match[str], depth: int) -> Word:
    index = leaf_from_name(found["index"])
    if not pa.types.is_integer(index):
        raise ValueError(found[0])
    return DictionaryWord(index, _word(found["of"], depth + 1), bool(found["ordered"]))


def _run_ends(found: re.Match[str], depth: int) -> Word:
    run_ends = leaf_from_name(found["index"])
    if run_ends not in {pa.int16(), pa.int32(), pa.int64()}:
        raise ValueError(found[0])
    return RunEndsWord(run_ends, _word(found["of"], depth + 1))


def _extension(found: re.Match[str], depth: int) -> Word:
    metadata = _read(found["metadata"]).encode(errors="surrogateescape")
    return ExtensionWord(_read(found["name"]), metadata, _word(found["of"], depth + 1))


def _written(name: str) -> str:
    return name if re.fullmatch(_PLAIN_NAME, name) else json.dumps(name)


def _read(name: str) -> str:
    return str(json.loads(name)) if name.startswith('"') else name


_LISTS = r"(?P<kind>list|large_list|list_view|large_list_view|fixed_size_list)"
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], int], Word]], ...] = tuple(
    (re.compile(pattern, re.DOTALL), built)
    for pattern, built in (
        (r"struct", lambda _found, _depth: StructWord()),
        (rf"{_LISTS}<(?P<child>{_NAME})>(?:\[(?P<size>\d{{1,9}})\])?", _list),
        (rf"(?P<sorted>sorted_)?map<(?P<key>{_NAME}), (?P<value>{_NAME})>", _map),
        (r"(?P<mode>sparse|dense)_union<(?P<codes>\d{1,3}(?:, \d{1,3})*)>", _union),
        (r"(?P<ordered>ordered_)?dictionary<(?P<index>\w+), (?P<of>.+)>", _dictionary),
        (r"run_end_encoded<(?P<index>\w+), (?P<of>.+)>", _run_ends),
        (
            rf"extension<(?P<name>{_NAME}), (?P<metadata>{_QUOTED}), (?P<of>.+)>",
            _extension,
        ),
    )
)
