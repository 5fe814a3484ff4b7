"""Spark's DDL text of a type, read exactly: `struct<a: int not null, b: array<decimal(9,2)>>`.

SQL parsers drop the fields behind a type that they do not know; here an unknown type is one leaf and its
neighbours stay. Text that does not close its brackets is a leaf as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from lakeport.pipeline.growth.model import Field, Foreign, ListOf, MapOf, Schema, StructOf, Type

_OPEN = re.compile(r"\s*(array|map|struct)\s*<", re.IGNORECASE)
_NAME = re.compile(r"\s*(?:`((?:[^`]|``)+)`|([^\s:,<>`]+))\s*:?")
# Up to the comma or bracket that ends it: parameters, quoted comments and words may stand before.
_LEAF = re.compile(r"(?:\([^()]*\)|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,<>()'\"])+")
_ADDITIONS = re.compile(r"(?is)\s+(?:not\s+null|comment|collate|default|generated)\b.*")
_REQUIRED = re.compile(r"\bnot\s+null\b", re.IGNORECASE)

Leaf = Callable[[str], Type]


class _UnreadableError(ValueError):
    """The text is no type; never leaves this module."""


def read(text: str, leaf: Leaf) -> Type:
    """`leaf` knows the plain types by their words in lower case."""
    reader = _Reader(text, leaf)
    try:
        found = reader.type()
    except _UnreadableError:
        return Foreign(_normal(text))
    return found if reader.is_done else Foreign(_normal(text))


@dataclass(slots=True)
class _Reader:
    text: str
    leaf: Leaf
    at: int = 0

    @property
    def is_done(self) -> bool:
        return not self.text[self.at :].strip()

    def type(self) -> Type:
        opened = _OPEN.match(self.text, self.at)
        if opened is None:
            return self.leaf(_normal(_ADDITIONS.sub("", self._rest())))
        self.at = opened.end()
        match opened[1].lower():
            case "array":
                found: Type = ListOf(self.type())
            case "map":
                key = self.type()
                self._expect(",")
                found = MapOf(key, self.type())
            case _:
                return self._struct()
        self._expect(">")
        return found

    def _struct(self) -> Type:
        fields: list[Field] = []
        if self._accept(">"):
            return struct(())
        while True:
            fields.append(self._field())
            if self._accept(">"):
                return struct(tuple(fields))
            self._expect(",")

    def _field(self) -> Field:
        named = _NAME.match(self.text, self.at)
        if named is None:
            raise _UnreadableError
        self.at = named.end()
        start = self.at
        type_ = self.type()
        # What follows a nested type is not read with it, as it is with a leaf.
        self._rest(optional=True)
        name = named[1].replace("``", "`") if named[1] else named[2]
        return Field(name, type_, required=_is_required(self.text[start : self.at]))

    def _rest(self, *, optional: bool = False) -> str:
        found = _LEAF.match(self.text, self.at)
        if found is None or not found[0].strip():
            if optional:
                return ""
            raise _UnreadableError
        self.at = found.end()
        return found[0]

    def _accept(self, mark: str) -> bool:
        rest = self.text[self.at :]
        if not rest.lstrip().startswith(mark):
            return False
        self.at += len(rest) - len(rest.lstrip()) + len(mark)
        return True

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            raise _UnreadableError


def struct(fields: Schema) -> Type:
    """Parquet has no group without fields, so an empty struct is a type that Iceberg lacks."""
    return StructOf(fields) if fields else Foreign("struct<>")


def _is_required(text: str) -> bool:
    """Whether NOT NULL stands behind the last bracket of a field's text."""
    return _REQUIRED.search(re.sub(r"'(?:[^'\\]|\\.)*'", "", text).rpartition(">")[2]) is not None


def _normal(text: str) -> str:
    return re.sub(r"\s*([(),])\s*", r"\1", " ".join(text.lower().split()))
