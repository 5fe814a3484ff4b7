"""JSON: an array of objects, or objects one after the other (one per line, usually).

Read in pieces of a bounded size, whatever the size of the array. A key that an object lacks is the
column's DEFAULT, or NULL.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from lakeport.app.lake.load.columns import refuse_others
from lakeport.app.lake.load.guess import ValueGuess
from lakeport.app.lake.load.values import Digits, first_refused, from_plain
from lakeport.catalog.arrays.selection import take_array
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.definition import default_of
from lakeport.catalog.expressions import default_array
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import NameMap, fold, quoted

BATCH_ROWS = 16_384
CHUNK_BYTES = 1024 * 1024

Row: TypeAlias = tuple[int, dict[str, Any]]
"""The line an object begins on, and the object."""


class JsonInput:
    is_guessed = True

    def __init__(self, label: str, place: Path) -> None:
        self.label = label
        self._place = place

    def names(self) -> list[str]:
        return []  # only its last row would tell

    def schema(self) -> pa.Schema:
        guesses: dict[str, ValueGuess] = {}
        by_key: dict[str, ValueGuess] = {}
        for _, row in self._rows():
            for key, value in row.items():
                guess = by_key.get(key)
                if guess is None:
                    same = next((name for name in guesses if fold(name) == fold(key)), key)
                    guess = by_key[key] = guesses.setdefault(same, ValueGuess())
                guess.add(value)
        return pa.schema(
            [pa.field(name, guess.type or pa.string()) for name, guess in guesses.items()]
        )

    def batches(self, schema: pa.Schema) -> Generator[pa.RecordBatch, None, None]:
        rows = self._rows()
        while group := list(islice(rows, BATCH_ROWS)):
            yield self._batch(group, schema)

    def _batch(self, group: list[Row], schema: pa.Schema) -> pa.RecordBatch:
        keys = _by_fold(dict.fromkeys(chain.from_iterable(row for _, row in group)))
        refuse_others(self.label, keys, schema)
        known = NameMap((column.name, column) for column in schema)
        found = {name: self._column(group, keys[name], known[name]) for name in keys}
        if not found:
            return pa.RecordBatch.from_arrays([pa.nulls(len(group))], names=[schema.names[0]])
        return pa.RecordBatch.from_arrays(list(found.values()), names=list(found))

    def _column(self, group: list[Row], spellings: list[str], column: Field) -> Array:
        first, *others = spellings
        values = [row.get(first) for _, row in group]
        for key in others:
            values = [row.get(key, value) for (_, row), value in zip(group, values, strict=True)]
        try:
            found = from_plain(values, column)
        except InvalidRequestError as refused:
            row, error = first_refused(
                len(values), lambda start, end: from_plain(values[start:end], column), refused
            )
            raise InvalidRequestError(
                f"{self.label}:{group[row][0]}: column {quoted(column.name)}: {error.message}",
                hint=error.hint or "correct the value, or load it as text and convert it later",
            ) from None
        default = default_of(column)
        if default is None:
            return found
        absent = np.array([not any(key in row for key in spellings) for _, row in group])
        with_default = pa.concat_arrays([found, default_array(default, column, 1)])
        places = np.where(absent, len(found), np.arange(len(found), dtype=np.int64))
        return take_array(with_default, pa.array(places))

    def _rows(self) -> Iterator[Row]:
        for line, value in _Documents(self.label, self._place).values():
            if not isinstance(value, dict):
                raise InvalidRequestError(
                    f'{self.label}:{line}: a row is an object, like {{"a": 1}}',
                    hint="the file holds an array of objects, or one object per line",
                )
            yield line, value


def _by_fold(keys: Iterable[str]) -> dict[str, list[str]]:
    """The spellings of each name, under the first of them."""
    found: dict[str, list[str]] = {}
    for key in keys:
        found.setdefault(fold(key), []).append(key)
    return {spellings[0]: spellings for spellings in found.values()}


class _Documents:
    """The values of a file: those of its one array, or all that follow each other."""

    def __init__(self, label: str, place: Path) -> None:
        self._label = label
        self._place = place
        self._decode = json.JSONDecoder(parse_float=Digits, parse_constant=Digits).raw_decode
        self._text = ""
        self._at = 0
        self._line = 1

    def values(self) -> Iterator[tuple[int, Any]]:
        chunks = self._chunks()
        in_array = self._next(chunks) == "["
        if in_array:
            self._at += 1
        while (character := self._next(chunks)) and not (in_array and character == "]"):
            start = self._line
            yield start, self._value(chunks)
            if in_array:
                self._comma(chunks)
        if in_array:
            self._end(chunks, character)

    def _next(self, chunks: Iterator[str]) -> str:
        """The next character that is no blank; nothing at the end."""
        while True:
            while self._at < len(self._text):
                character = self._text[self._at]
                if character not in " \t\r\n":
                    return character
                self._line += character == "\n"
                self._at += 1
            if not self._more(chunks):
                return ""

    def _value(self, chunks: Iterator[str]) -> Any:
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if self._more(chunks):
                    continue
                raise self._wrong(error) from None
            # A number may go on in the next chunk; objects end with their bracket.
            if end == len(self._text) and not isinstance(value, dict) and self._more(chunks):
                continue
            self._refuse_half_characters(value, end)
            self._line += self._text.count("\n", self._at, end)
            self._at = end
            return value

    def _refuse_half_characters(self, value: object, end: int) -> None:
        """Half of a pair of escapes is JSON, but no text that could be stored."""
        if self._text.find("\\ud", self._at, end) < 0 > self._text.find("\\uD", self._at, end):
            return
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InvalidRequestError(
                f"{self._label}:{self._line}: half of a surrogate pair is no character",
                hint="correct the \\u escape",
            ) from None

    def _comma(self, chunks: Iterator[str]) -> None:
        character = self._next(chunks)
        if character == ",":
            self._at += 1
            if self._next(chunks) == "]":
                raise InvalidRequestError(
                    f"{self._label}:{self._line}: a comma before the closing ]"
                )
        elif character and character != "]":
            raise InvalidRequestError(f"{self._label}:{self._line}: expected , or ] after a row")

    def _end(self, chunks: Iterator[str], character: str) -> None:
        if character != "]":
            raise InvalidRequestError(f"{self._label}:{self._line}: the array is not closed")
        self._at += 1
        if self._next(chunks):
            raise InvalidRequestError(f"{self._label}:{self._line}: text after the array")

    def _more(self, chunks: Iterator[str]) -> bool:
        chunk = next(chunks, None)
        if chunk is None:
            return False
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return True

    def _chunks(self) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        with pa.input_stream(str(self._place)) as source:
            size = CHUNK_BYTES
            while data := self._read(source, size):
                yield self._decoded(decoder, data)
                # A value larger than a chunk is tried again with each: twice as much keeps that cheap.
                size = CHUNK_BYTES if len(self._text) - self._at < CHUNK_BYTES else 2 * size
            yield self._decoded(decoder, b"", final=True)

    def _read(self, source: pa.NativeFile, size: int) -> bytes:
        try:
            return source.read(size)
        except (pa.ArrowException, OSError) as error:
            raise InvalidRequestError(f"{self._label} cannot be unpacked: {error}") from error

    def _decoded(
        self, decoder: codecs.IncrementalDecoder, data: bytes, *, final: bool = False
    ) -> str:
        try:
            return decoder.decode(data, final)
        except UnicodeDecodeError as error:
            raise InvalidRequestError(
                f"{self._label} is not UTF-8 text", hint="convert it first"
            ) from error

    def _wrong(self, error: Exception) -> InvalidRequestError:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "it nests too deep"
        line = self._line
        if isinstance(error, json.JSONDecodeError):
            line += self._text.count("\n", self._at, error.pos)
        return InvalidRequestError(f"{self._label}:{line}: not JSON: {reason}")
