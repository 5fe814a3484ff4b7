"""A check is one entry: its name, the rule it is about, what it asks in words, and the function that asks.

A family is a file of them. A check that returns has passed; everything else it raises (`verdicts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from lakeport.conformance.ground import Ground

Ask: TypeAlias = "Callable[[Ground], None]"


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    rule: str
    title: str
    ask: Ask
    client: str | None = None
    """What the client does in just this case, where the rule's own words are too general."""


@dataclass(slots=True)
class Family:
    name: str
    about: str
    checks: list[Check] = field(default_factory=list)
    grown: Callable[[Ground], Iterable[Check]] | None = None
    """Checks that depend on what the server has; asked when the family's turn comes."""

    def check(self, rule: str, title: str, client: str | None = None) -> Callable[[Ask], Ask]:
        def add(ask: Ask) -> Ask:
            self.checks.append(Check(self.named(ask.__name__), rule, title, ask, client))
            return ask

        return add

    def named(self, name: str) -> str:
        return f"{self.name}.{name.strip('_').replace('_', '-')}"

    def of(self, ground: Ground) -> Iterator[Check]:
        yield from self.checks
        if self.grown is not None:
            yield from self.grown(ground)
