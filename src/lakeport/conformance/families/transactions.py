"""What runs before every statement: `create_transaction` and `catalog_version`."""

from __future__ import annotations

from lakeport.conformance.attached import RefusedError, Version, is_header
from lakeport.conformance.check import Family
from lakeport.conformance.ground import Ground
from lakeport.conformance.packing import bool_of, map_of, text_of, unpack
from lakeport.conformance.scan import refused_scan
from lakeport.conformance.verdicts import NotOfferedError, advice, broken
from lakeport.core.status import GrpcCode

FAMILY = Family("transactions", "what runs before every statement")


@FAMILY.check("0.2", "create_transaction is answered")
def create_transaction(ground: Ground) -> None:
    ground.attached.begin()


@FAMILY.check("0.2", "catalog_version is answered")
def catalog_version(ground: Ground) -> None:
    ground.attached.version()


@FAMILY.check("5.7", "a transaction's identifier can be a gRPC header")
def identifier(ground: Ground) -> None:
    found = ground.attached.begin()
    if found is not None and not (found and is_header(found)):
        raise broken("5.7", f"the identifier is {found!r}")


@FAMILY.check("5.7", "every transaction has an identifier of its own")
def identifiers_differ(ground: Ground) -> None:
    first, second = ground.attached.begin(), ground.attached.begin()
    if first is None:
        raise NotOfferedError("the server gives no identifiers")
    if first == second:
        raise advice("5.7", "two transactions have one identifier")


@FAMILY.check(
    "2.6", "the version stands still while nothing changes", "plans are made anew each time"
)
def version_stands(ground: Ground) -> None:
    first, second = ground.attached.version(), ground.attached.version()
    if second.number < first.number:
        raise broken("2.6", f"the version went from {first.number} back to {second.number}")
    if second.is_fixed != first.is_fixed:
        raise broken("2.6", "`is_fixed` changes from call to call")


@FAMILY.check("2.6", "standard clients may ask with an empty body")
def empty_bodies(ground: Ground) -> None:
    for action in ("catalog_version", "create_transaction"):
        try:
            ground.attached.one(action, b"")
        except RefusedError as refusal:
            raise advice("2.6", f"`{action}` with an empty body: {refusal.failure}") from None


@FAMILY.check("5.7", "a malformed identifier is INVALID_ARGUMENT")
def malformed_identifier(ground: Ground) -> None:
    entry = ground.shared
    if ground.attached.begin() is None:
        raise NotOfferedError("the server gives no identifiers")
    refusal = refused_scan(ground.attached.as_(transaction="~ no identifier ~"), entry)
    if refusal is None or refusal.code is not GrpcCode.INVALID_ARGUMENT:
        told = "is answered" if refusal is None else f"is {refusal.code.name}"
        raise advice("5.7", f"a scan with a malformed identifier {told}")


@FAMILY.check("5.7", "get_transaction_status tells what became of one")
def status(ground: Ground) -> None:
    found = ground.attached.begin()
    if found is None:
        raise NotOfferedError("the server gives no identifiers")
    body = ground.attached.one("get_transaction_status", {"transaction_id": found})
    answer = map_of(unpack(body, "5.7", "get_transaction_status"), "5.7", "get_transaction_status")
    text_of(answer.get("status"), "5.7", "`status`")
    bool_of(answer.get("exists"), "5.7", "`exists`")


def fixed(version: Version) -> NotOfferedError:
    return NotOfferedError(f"the catalog is fixed at version {version.number}")
