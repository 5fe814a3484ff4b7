"""What a handler gives back: a status and bytes that are JSON already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

OK = 200
NO_CONTENT = 204
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Answer:
    status: int = OK
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


NOTHING = Answer(NO_CONTENT)
"""Done, and nothing to say."""


def json(value: object, status: int = OK, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(status, msgspec.json.encode(value), headers or {})
