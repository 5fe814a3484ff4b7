"""The fields of one request, read with their types checked and their place in every complaint.

Keys nobody asks for are ignored, missing and nil ones have defaults: clients of several ages send
these messages. A value of the wrong type is refused: "expected text, got int at `$.table_name`".
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn, Self

import msgspec

from lakeport.airport.wire.packing import unpack
from lakeport.core.errors import InvalidRequestError

_UINT64_MAX = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Fields:
    """`is_json`: bytes come as base64, which msgpack does not need."""

    values: Mapping[str, object]
    what: str
    place: str = "$"
    is_json: bool = False

    @classmethod
    def of_msgpack(cls, body: bytes, what: str) -> Self:
        """An empty body or nil is an empty map: standard clients send nothing."""
        value = unpack(body, what) if body else {}
        return cls(_text_keys({} if value is None else value, what, "$"), what)

    @classmethod
    def of_json(cls, body: bytes, what: str) -> Self:
        try:
            value = msgspec.json.decode(body) if body.strip() else {}
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise InvalidRequestError(
                f"the body of {what} is not valid JSON", hint="send one JSON object"
            ) from error
        return cls(_text_keys(value, what, "$"), what, is_json=True)

    def __contains__(self, key: str) -> bool:
        return self.values.get(key) is not None

    def text(self, key: str, default: str = "") -> str:
        value = self.values.get(key)
        if value is None:
            return default
        if isinstance(value, bytes):
            try:
                return value.decode()
            except UnicodeDecodeError:
                self._wrong(key, "text", "binary")
        if not isinstance(value, str):
            self._wrong(key, "text", type(value).__name__)
        return value

    def required_text(self, key: str) -> str:
        value = self.text(key)
        if not value:
            raise self._missing(key)
        return value

    def binary(self, key: str) -> bytes:
        value = self.values.get(key)
        if value is None:
            return b""
        if self.is_json:
            return self._from_base64(key, value)
        if isinstance(value, str):
            return value.encode()
        if not isinstance(value, bytes):
            self._wrong(key, "bytes", type(value).__name__)
        return value

    def required_binary(self, key: str) -> bytes:
        value = self.binary(key)
        if not value:
            raise self._missing(key)
        return value

    def flag(self, key: str) -> bool:
        value = self.values.get(key)
        if value is None:
            return False
        if not isinstance(value, bool):
            self._wrong(key, "true or false", type(value).__name__)
        return value

    def numbers(self, key: str) -> tuple[int, ...]:
        """An array of unsigned 64-bit numbers."""
        value = self.values.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self._wrong(key, "an array", type(value).__name__)
        for item in value:
            if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item <= _UINT64_MAX:
                self._wrong(key, "unsigned numbers", type(item).__name__)
        return tuple(value)

    def texts(self, key: str) -> tuple[str, ...] | None:
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, list):
            self._wrong(key, "an array of text", type(value).__name__)
        inner = Fields(
            {str(place): item for place, item in enumerate(value)},
            self.what,
            f"{self.place}.{key}",
            is_json=self.is_json,
        )
        return tuple(inner.required_text(str(place)) for place in range(len(value)))

    def text_map(self, key: str) -> dict[str, str]:
        inner = self.map(key)
        return {name: inner.text(name) for name in inner.values}

    def map(self, key: str) -> Fields:
        value = self.values.get(key)
        place = f"{self.place}.{key}"
        held = _text_keys({} if value is None else value, self.what, place)
        return Fields(held, self.what, place, is_json=self.is_json)

    def _from_base64(self, key: str, value: object) -> bytes:
        if not isinstance(value, str):
            self._wrong(key, "base64", type(value).__name__)
        try:
            return b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            self._wrong(key, "base64", "other text")

    def _missing(self, key: str) -> InvalidRequestError:
        return InvalidRequestError(f"{self.what} needs `{key}`", hint=f"send a non-empty `{key}`")

    def _wrong(self, key: str, expected: str, got: str) -> NoReturn:
        raise InvalidRequestError(
            f"{self.what}: expected {expected}, got {got} at `{self.place}.{key}`"
        )


def _text_keys(value: object, what: str, place: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise InvalidRequestError(
            f"{what}: expected a map, got {type(value).__name__} at `{place}`",
            hint="the body is one map of named fields",
        )
    return {
        key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key): item
        for key, item in value.items()
    }
