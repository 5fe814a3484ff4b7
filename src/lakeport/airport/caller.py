"""Who calls, what they see, and what the call turned out to be about.

Made once per call, before anything of the request is looked at: the audit row of a refused call is
written like any other (`account.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from lakeport.access import Ability, Identity
from lakeport.airport.account import Account
from lakeport.airport.visible import Found, Visible
from lakeport.catalog.ports import Catalog
from lakeport.core.errors import LakeportError, UnavailableError
from lakeport.flight.call import Call


@dataclass(frozen=True, slots=True)
class Caller:
    """`recognise` asks once more who calls, and refuses whom it would refuse by now."""

    call: Call
    identity: Identity
    visible: Visible
    account: Account = field(default_factory=Account)
    recognise: Callable[[], object] = lambda: None

    def require_welcome(self) -> None:
        """Before something is changed for good: the call may have begun hours ago.

        Who cannot be asked has not refused: a store that is gone for a moment ends no statement.
        """
        with suppress(UnavailableError):
            self.recognise()

    @contextmanager
    def seeing(self, found: Found) -> Iterator[None]:
        """Refusals show the rows that are in the way: of this table only to who may read it."""
        name = found.table.name
        try:
            yield
        except LakeportError as error:
            if error.unseen is None or self.identity.may(
                Ability.READ, found.catalog.name, name.namespace, name.table
            ):
                raise
            raise error.without_rows() from None

    def called(self, catalog: Catalog, named: str | None = None) -> str:
        """The catalog's name as the client attached it: it accepts no other, not even spelling."""
        if self.call.is_airport:
            return self.visible.header or named or ""
        return catalog.name
