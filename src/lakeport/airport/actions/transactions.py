"""`create_transaction` and `get_transaction_status`: cheap, because every statement asks for one."""

from __future__ import annotations

from lakeport.airport.actions.registry import Desk, Entry
from lakeport.airport.caller import Caller
from lakeport.airport.transactions import (
    MANAGER,
    Status,
    new_transaction_id,
    require_transaction_id,
    transaction_status,
)
from lakeport.airport.wire.bodies import CatalogBody, TransactionBody
from lakeport.airport.wire.packing import pack
from lakeport.core.foreign import foreign


def create_transaction(desk: Desk, caller: Caller, body: CatalogBody) -> str:
    catalog = caller.visible.catalog(body.catalog_name)
    made = new_transaction_id()
    if desk.transactions is not None:
        with foreign(MANAGER):
            desk.transactions.begin(made, catalog.name)
    return made


def get_transaction_status(desk: Desk, caller: Caller, body: TransactionBody) -> Status | None:
    del caller
    wanted = require_transaction_id(body.transaction_id)
    if desk.transactions is None:
        return transaction_status(wanted, desk.outcomes)
    with foreign(MANAGER):
        return desk.transactions.status(wanted)


def _encode_id(answer: str) -> bytes:
    return pack({"identifier": answer})


def _encode_status(answer: Status | None) -> bytes:
    # Without a manager no register is consulted (decision 20): every well-formed id may have been given
    # out somewhere.
    return pack({"status": answer or "", "exists": answer is not None})


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
