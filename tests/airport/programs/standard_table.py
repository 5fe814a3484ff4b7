"""The same table, as a standard Flight client has it: by its name, in GetFlightInfo's one ticket.

Such a client holds no columns of its own. What it is shown is of one moment all the same: the rows that its
transaction pinned, in the columns of the ticket.
"""

from __future__ import annotations

from dataclasses import replace

import grpc
import pyarrow.flight as fl

from lakeport.airport.requested import path_of
from lakeport.airport.scans.tickets import decode_ticket
from lakeport.catalog.ports import ScanPlan, ScanRequest, Split
from lakeport.core.timepoint import AtSnapshot
from lakeport.flight.messages import FlightDescriptor
from tests.airport.programs.wire_table import PATIENCE, WireTable, heard
from tests.flight.raw import Headers


class StandardTable(WireTable):
    @property
    def descriptor(self) -> FlightDescriptor:
        return FlightDescriptor(path=path_of(self.name))

    def plan(self, request: ScanRequest) -> ScanPlan:
        self._transaction = self._begun()
        (endpoint,) = self._told().endpoints
        ticket = bytes(endpoint.ticket.ticket)
        snapshot = decode_ticket(ticket).snapshot
        state = replace(self.real.state, version=0)  # what a table without a snapshot is
        if snapshot is not None:
            state = self.real.travelable.state_at(AtSnapshot(snapshot))
        self._tickets = {Split(0, (0,)): ticket}
        return ScanPlan(state, self._schema(request, state), tuple(self._tickets))

    def _told(self) -> fl.FlightInfo:
        headers = self._headers(self.client)
        try:
            answer = self.raw.start("GetFlightInfo", self.descriptor.encode(), headers, PATIENCE)
        except grpc.RpcError as error:
            heard(error)
        return fl.FlightInfo.deserialize(answer)

    def _headers(self, actor: str) -> Headers:
        named = ("authorization", f"Bearer {actor}")
        return (named, ("airport-transaction-id", self._transaction or ""))
