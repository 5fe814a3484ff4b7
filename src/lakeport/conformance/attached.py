"""One attached catalog, spoken to as DuckDB's client speaks: its headers, its bodies, nothing it would not send.

Every refusal is kept, so that the texts of all of them can be looked at in the end.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lakeport.conformance.packing import bool_of, map_of, pack, text_of, uint_of, unpack
from lakeport.conformance.verdicts import BrokenRuleError, broken
from lakeport.core.errors import InvalidRequestError
from lakeport.core.status import GrpcCode
from lakeport.flight.call import Method
from lakeport.flight.messages import Action, FlightDescriptor, decode_result
from lakeport.flight.probe import CallFailedError, Conversation, Probe

AGENT = "airport/20250723"

# Without a Result of these the client dereferences nothing and dies; the others survive with an error.
_DEADLY = {
    "create_transaction",
    "catalog_version",
    "endpoints",
    "table_function_flight_info",
    "column_statistics",
}
_SURVIVED = {"list_schemas": "2.3", "flight_info": "3.8"}
_TWICE = {
    "add_column",
    "remove_column",
    "rename_column",
    "rename_table",
    "change_column_type",
    "set_default",
    "set_not_null",
    "drop_not_null",
    "add_field",
    "remove_field",
    "rename_field",
    "add_constraint",
    "column_statistics",
}


class RefusedError(Exception):
    """A call that the server, or the clock, ended."""

    def __init__(self, what: str, failure: CallFailedError) -> None:
        super().__init__(f"{what}: {failure}")
        self.what = what
        self.failure = failure

    @property
    def code(self) -> GrpcCode:
        return self.failure.code


@dataclass(frozen=True, slots=True)
class Version:
    number: int
    is_fixed: bool

    @classmethod
    def of(cls, record: object, rule: str, what: str) -> Version:
        fields = map_of(record, rule, what)
        number = uint_of(fields.get("catalog_version"), rule, f"`catalog_version` of {what}")
        return cls(number, bool_of(fields.get("is_fixed"), rule, f"`is_fixed` of {what}"))


@dataclass(frozen=True)
class Attached:
    probe: Probe
    catalog: str
    token: str | None = None
    transaction: str | None = None
    refusals: list[RefusedError] = field(default_factory=list)
    hung: dict[str, BrokenRuleError] = field(default_factory=dict)
    """What did not answer once is not waited for again."""
    patience: float | None = None
    """How long an exchange may wait for its schema, in seconds; as long as for anything unless told."""
    session: str = field(default_factory=lambda: str(uuid.uuid4()))

    def as_(self, **changed: Any) -> Attached:
        return replace(self, **changed)

    def headers(
        self, descriptor: FlightDescriptor | None = None, *, scan: bool = False, **more: str
    ) -> list[tuple[str, str]]:
        """`scan`: those of the calls that belong to one, with its trace and its transaction."""
        given = [("airport-user-agent", AGENT), ("airport-client-session-id", self.session)]
        if self.catalog:
            given.append(("airport-catalog", self.catalog))
        if self.token is not None:
            given.append(("authorization", f"Bearer {self.token}"))
        if scan:
            given.append(("airport-trace-id", str(uuid.uuid4())))
            if self.transaction is not None:
                given.append(("airport-transaction-id", self.transaction))
        if descriptor is not None and descriptor.path:
            given.append(("airport-flight-path", header_text(descriptor)))
        return [*given, *((name.replace("_", "-"), value) for name, value in more.items())]

    def results(
        self,
        action: str,
        body: Mapping[str, object] | bytes,
        descriptor: FlightDescriptor | None = None,
        *,
        scan: bool = False,
    ) -> list[bytes]:
        """The bodies of all Results."""
        headers = self.headers(descriptor, scan=scan, airport_action_name=action)
        if action in _TWICE:
            headers.append(("airport-action-name", action))
        packed = body if isinstance(body, bytes) else pack(body)
        found = self.ask(Method.DO_ACTION, Action(action, packed).encode(), headers, action)
        return [decoded(decode_result, each, "3.2", f"a Result of {action}") for each in found]

    def one(
        self,
        action: str,
        body: Mapping[str, object] | bytes,
        descriptor: FlightDescriptor | None = None,
        *,
        scan: bool = False,
    ) -> bytes:
        found = self.results(action, body, descriptor, scan=scan)
        if len(found) == 1:
            return found[0]
        number = "0.1" if action in _DEADLY else _SURVIVED.get(action, "4")
        harm = None if number == "0.1" else "it shows an error that hides the server's message"
        if found:
            harm = "it reads one of them: what the others say is lost"
        raise broken(number, f"`{action}` gave {len(found)} Results, not one", harm)

    def ask(
        self, method: Method, request: bytes, headers: list[tuple[str, str]], what: str
    ) -> list[bytes]:
        if what in self.hung:
            raise self.hung[what]
        try:
            return self.probe.ask(method, request, headers)
        except CallFailedError as failure:
            if failure.is_overdue:
                self.hung[what] = broken("1.6", f"`{what}` was not answered", "the statement hangs")
                raise self.hung[what] from None
            raise self.refused(what, failure) from None

    def get(self, ticket: bytes, descriptor: FlightDescriptor | None, **more: str) -> Conversation:
        return self.probe.get(ticket, self.headers(descriptor, scan=True, **more))

    def refused(self, what: str, failure: CallFailedError) -> RefusedError:
        refusal = RefusedError(what, failure)
        self.refusals.append(refusal)
        return refusal

    def named(self, **body: object) -> dict[str, object]:
        """The body of an action that repeats the catalog's name."""
        return {"catalog_name": self.catalog, **body}

    def version(self) -> Version:
        body = self.must("catalog_version")
        return Version.of(unpack(body, "2.6", "catalog_version"), "2.6", "catalog_version")

    def begin(self) -> str | None:
        """A transaction's identifier; a server may do without."""
        answer = map_of(
            unpack(self.must("create_transaction"), "5.7", "create_transaction"),
            "5.7",
            "create_transaction",
        )
        if "identifier" not in answer:
            raise broken("5.7", "the answer of create_transaction has no `identifier`")
        found = answer["identifier"]
        return None if found is None else text_of(found, "5.7", "`identifier`")

    def must(self, action: str) -> bytes:
        try:
            return self.one(action, self.named())
        except RefusedError as refusal:
            raise broken("0.2", f"`{action}` raises: {refusal.failure}") from None


def header_text(descriptor: FlightDescriptor) -> str:
    """As the client joins a path; gRPC would refuse anything but printable ASCII."""
    joined = "/".join(descriptor.path or ())
    if not is_header(joined):
        raise broken("0.ascii", f"the descriptor's path {joined!r} is not printable ASCII")
    return joined


def is_header(text: str) -> bool:
    return text.isascii() and text.isprintable()


def decoded(decode: Any, message: bytes, rule: str, what: str) -> Any:
    """Of one of Flight's own messages."""
    try:
        return decode(message)
    except InvalidRequestError as error:
        raise broken(rule, f"{what} is malformed: {error.message}") from None
