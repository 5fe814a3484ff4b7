"""One open store and its parts."""

from __future__ import annotations

from typing import Self

from lakeport.core.closing import Closing
from lakeport.state.announcements import AnnouncementTable
from lakeport.state.audit import AuditTable
from lakeport.state.database import Database
from lakeport.state.dropped import DropTable
from lakeport.state.leases import LeaseTable
from lakeport.state.lineage import LineageTable
from lakeport.state.pins import PinTable
from lakeport.state.runs import RunTable
from lakeport.state.tokens import TokenTable


class Store(Closing):
    def __init__(self, database: Database) -> None:
        self._database = database
        self.tokens = TokenTable(database)
        self.audit = AuditTable(database)
        self.pins = PinTable(database)
        self.announcements = AnnouncementTable(database)
        self.dropped = DropTable(database)
        self.leases = LeaseTable(database)
        self.runs = RunTable(database)
        self.lineage = LineageTable(database)

    @classmethod
    def open(cls, url: str) -> Self:
        """Made, or brought to the newest schema, if need be."""
        return cls(Database(url))

    def close(self) -> None:
        self._database.close()
