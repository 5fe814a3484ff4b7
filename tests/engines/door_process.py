"""A second server over the same lake, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.rest.doors import door_to_lake


@dataclass(frozen=True)
class OtherDoor:
    uri: str

    def address(self) -> str:
        return self.uri


@contextmanager
def other_door(folder: str) -> Iterator[OtherDoor]:
    with door_to_lake(Path(folder)) as (_, uri):
        yield OtherDoor(uri)
