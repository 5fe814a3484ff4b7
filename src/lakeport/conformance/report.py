"""What a suite found out: each check with its result, and for what is wrong the rule, the sight, the harm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    PASSED = "passed"
    ADVICE = "advice"
    """No rule that the client needs is broken; something could be better."""
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    check: str
    family: str
    rule: str
    """Of what was seen where that is wrong, else of what was asked."""
    says: str
    """The rule in words."""
    title: str
    outcome: Outcome
    seconds: float
    seen: str | None = None
    client: str | None = None
    """What DuckDB's client would do."""
    reason: str | None = None
    """Why it was skipped."""


@dataclass(frozen=True, slots=True)
class Report:
    server: str
    catalog: str
    namespace: str | None
    """The schema that was made for the checks and removed again; None where none could be made."""
    counts: Mapping[Outcome, int]
    results: tuple[Result, ...]
    seconds: float

    @classmethod
    def of_results(
        cls,
        server: str,
        catalog: str,
        namespace: str | None,
        results: Sequence[Result],
        seconds: float,
    ) -> Report:
        found = Counter(result.outcome for result in results)
        counts = {outcome: found[outcome] for outcome in Outcome}
        return cls(server, catalog, namespace, counts, tuple(results), seconds)

    def count(self, outcome: Outcome) -> int:
        return self.counts[outcome]

    def of(self, outcome: Outcome) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.outcome is outcome)

    @property
    def broken_rules(self) -> frozenset[str]:
        return frozenset(result.rule for result in self.of(Outcome.FAILED))

    @property
    def is_passed(self) -> bool:
        return not self.count(Outcome.FAILED)
