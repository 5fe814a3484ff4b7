"""What an examination says: each check with its state, what was found and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    """Works without it, or without a part of Lakeport."""
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: State
    found: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    checks: tuple[Check, ...]

    def count(self, state: State) -> int:
        return sum(check.state is state for check in self.checks)


def ok(name: str, found: str) -> Check:
    return Check(name, State.OK, found)


def warn(name: str, found: str, remedy: str) -> Check:
    return Check(name, State.WARN, found, remedy)


def fail(name: str, found: str, remedy: str) -> Check:
    return Check(name, State.FAIL, found, remedy)
