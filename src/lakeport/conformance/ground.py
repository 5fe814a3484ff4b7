"""What every check is given: the attached catalog, and a place to make tables in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import pyarrow as pa

from lakeport.conformance.attached import Attached, RefusedError
from lakeport.conformance.objects import Entry
from lakeport.conformance.scan import ALL, Asked, scan
from lakeport.conformance.verdicts import BrokenRuleError, broken
from lakeport.conformance.workshop import Workshop
from lakeport.core.status import GrpcCode


@dataclass
class Ground:
    attached: Attached
    workshop: Workshop
    read_rows: int = 0
    """Of each table that was there before; 0 leaves them alone."""
    _kept: dict[str, Entry] = field(default_factory=dict, init=False)

    @cached_property
    def catalog(self) -> Attached:
        """With a transaction, as the client has one around every statement."""
        try:
            return self.attached.as_(transaction=self.attached.begin())
        except BrokenRuleError:
            return self.attached  # a check of its own tells it

    @property
    def is_near(self) -> bool:
        """On this machine: the server's clock is ours."""
        return self.attached.probe.target.is_loopback

    @property
    def shared(self) -> Entry:
        """A table with three rows that checks read and nobody changes."""
        return self.kept("shared", self.workshop.plain)

    def kept(self, name: str, make: Callable[[], Entry]) -> Entry:
        """A table that several checks read; made by the first of them."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def fresh(self) -> Attached:
        """In a new transaction, which sees what was written before it."""
        try:
            return self.attached.as_(transaction=self.attached.begin())
        except BrokenRuleError:
            return self.attached

    def rows(self, entry: Entry, asked: Asked = ALL) -> pa.Table:
        """As a statement after all others sees them."""
        return scan(self.fresh(), entry, asked)

    def refusal(self, action: str, body: dict[str, object] | bytes) -> RefusedError | None:
        """How an action is refused; None if it is not."""
        try:
            self.attached.results(action, body)
        except RefusedError as refusal:
            return refusal
        return None

    def must_refuse(
        self, action: str, body: dict[str, object] | bytes, *codes: GrpcCode, rule: str, case: str
    ) -> None:
        """An action that must be refused, by one of these codes."""
        refusal = self.refusal(action, body)
        if refusal is None:
            raise broken(rule, f"`{action}` {case} is answered as if all were well")
        look_at_code(refusal, *codes, rule=rule, case=case)


def look_at_code(refusal: RefusedError, *codes: GrpcCode, rule: str, case: str) -> None:
    if refusal.code is GrpcCode.UNIMPLEMENTED and GrpcCode.UNIMPLEMENTED not in codes:
        raise refusal
    if refusal.code not in codes:
        wanted = " or ".join(code.name for code in codes)
        said = f"`{refusal.what}` {case} is {refusal.code.name}, not {wanted}"
        raise broken(rule, said)
