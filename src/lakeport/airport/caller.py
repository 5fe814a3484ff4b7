"""Who calls, what they see, and what the call turned out to be about.

Made once per call, before anything of the request is looked at: the audit row of a refused call is
written like any other (`account.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lakeport.access import Identity
from lakeport.airport.account import Account, keep_account
from lakeport.airport.visible import Visible
from lakeport.catalog.ports import Catalog
from lakeport.flight.call import Call

__all__ = ["Account", "Caller", "keep_account"]


@dataclass(frozen=True, slots=True)
class Caller:
    call: Call
    identity: Identity
    visible: Visible
    account: Account = field(default_factory=Account)

    def called(self, catalog: Catalog, named: str | None = None) -> str:
        """The catalog's name as the client attached it: it accepts no other, not even spelling."""
        if self.call.is_airport:
            return self.visible.header or named or ""
        return catalog.name
