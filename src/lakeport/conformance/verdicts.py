"""How a check ends other than well: each an exception, raised where it is seen."""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.conformance.rules import RULES, Rule
from lakeport.core.errors import InvalidRequestError


@dataclass(eq=False)
class BrokenRuleError(Exception):
    """`number` may be another rule than the one that a check is about: what is seen decides."""

    number: str
    seen: str
    client: str | None = None

    def __str__(self) -> str:
        return f"rule {self.number}: {self.seen}"

    @property
    def rule(self) -> Rule:
        return RULES[self.number]


class AdviceError(BrokenRuleError):
    """Works with today's client, and not as well as it could."""


class WrongUseError(InvalidRequestError):
    """Nothing of the server's: the suite was asked for what it will not do."""


class NotOfferedError(Exception):
    """What a server does not have cannot be wrong."""


def broken(number: str, seen: str, client: str | None = None) -> BrokenRuleError:
    return BrokenRuleError(number, seen, client)


def advice(number: str, seen: str, client: str | None = None) -> AdviceError:
    return AdviceError(number, seen, client)
