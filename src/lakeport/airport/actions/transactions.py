"""`create_transaction` and `get_transaction_status`: cheap, because every statement asks for one."""

from __future__ import annotations

from lakeport.airport.actions.registry import Desk, Entry
from lakeport.airport.caller import Caller
from lakeport.airport.transactions import (
    Status,
    new_transaction_id,
    require_transaction_id,
    transaction_status,
)
from lakeport.airport.wire.bodies import CatalogBody, TransactionBody
from lakeport.airport.wire.packing import pack


def create_transaction(desk: Desk, caller: Caller, body: CatalogBody) -> str:
    del desk
    caller.visible.catalog(body.catalog_name)
    return new_transaction_id()


def get_transaction_status(desk: Desk, caller: Caller, body: TransactionBody) -> Status:
    del caller
    return transaction_status(require_transaction_id(body.transaction_id), desk.outcomes)


def _encode_id(answer: str) -> bytes:
    return pack({"identifier": answer})


def _encode_status(answer: Status) -> bytes:
    # No register is consulted (decision 20): every well-formed id may have been given out somewhere.
    return pack({"status": answer, "exists": True})


ENTRIES = (
    Entry(
        "create_transaction",
        "Start a transaction",
        CatalogBody.decode,
        create_transaction,
        _encode_id,
    ),
    Entry(
        "get_transaction_status",
        "Get transaction state",
        TransactionBody.decode,
        get_transaction_status,
        _encode_status,
    ),
)
