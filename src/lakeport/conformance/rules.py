"""The rules a server is held against, numbered as in the protocol's description, and why each matters.

Chapter 0 has the ten rules that keep DuckDB's client alive and two about names; the rest are sections. What
the client does is what its user sees: nothing here is a matter of taste.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    number: str
    says: str
    client: str
    """What DuckDB's client does where a server breaks it."""


_SEGFAULT = "the DuckDB process dies by a segmentation fault"
_SCHEMA_LOST = "one bad item makes its whole schema unusable: every statement on it fails"
_INTERNAL = "a fatal internal error that invalidates the user's whole DuckDB instance"

_RULES = (
    Rule("0.1", "an action that needs a result yields exactly one", _SEGFAULT),
    Rule(
        "0.2",
        "create_transaction and catalog_version are not optional",
        "every statement on the catalog fails",
    ),
    Rule(
        "0.3",
        "DoGet carries the full declared schema, in order, with exactly the declared types",
        "too few columns: a segmentation fault; another type or order: wrong numbers, no error",
    ),
    Rule("0.4", "no table or function of a listing is malformed", _SCHEMA_LOST),
    Rule(
        "0.5",
        "every endpoint has a location",
        'the scan fails: "No locations specified in flight endpoint"',
    ),
    Rule(
        "0.6",
        "in DoExchange the server sends its schema before it waits for data",
        "both sides wait for each other: the statement hangs until somebody kills it",
    ),
    Rule(
        "0.7",
        "changes: with return-chunks 1 one batch per batch of at most 2048 rows, with 0 none; the last "
        "message is metadata alone",
        "the client takes one batch for another: RETURNING hangs, fails or gives wrong rows",
    ),
    Rule("0.8", "UPDATE … RETURNING comes in the column order that the client sent", _INTERNAL),
    Rule(
        "0.9",
        "in/out functions close every input chunk by a batch of no rows tagged chunk_finished",
        "a chunk_finished batch of 2048 rows deadlocks the client",
    ),
    Rule("0.10", "statistics are true", "queries give wrong results, without an error"),
    Rule("0.main", "no schema is called main", "the client refuses to look it up"),
    Rule(
        "0.ascii",
        "descriptor paths and catalog names are printable ASCII",
        'gRPC refuses the header that they are copied to: "Invalid metadata"',
    ),
    Rule("1.2", "headers of the client are understood", "the call fails or means something else"),
    Rule(
        "1.3",
        "who shows no valid token is UNAUTHENTICATED, on every call",
        "anybody reads what a token was to protect",
    ),
    Rule(
        "1.4",
        "the catalog of the header, the body and the answers is one",
        "items of another catalog's name make their schema unusable",
    ),
    Rule("1.5", "messages of any usual size pass", "large statements fail half-way"),
    Rule(
        "1.6",
        "errors have the right code, and tell nothing of the server's insides",
        "the user sees the text whatever it is; some codes cost three seconds each",
    ),
    Rule(
        "2.1",
        "a client that holds an old schema gets that layout, or a refusal",
        "it reads one column's bytes as another's: a crash, or wrong rows",
    ),
    Rule("2.3", "list_schemas is wrapped, hashed and shaped as described", "ATTACH fails"),
    Rule("2.4", "a FlightInfo of a catalog object is complete", _SCHEMA_LOST),
    Rule("2.5", "Arrow metadata means what the client reads in it", "columns are misunderstood"),
    Rule(
        "2.6",
        "catalog_version is a number that grows with every change of definitions",
        "prepared statements go on with plans that are no longer true",
    ),
    Rule("2.7", "ListFlights gives the objects that were asked for", "the schema fails to load"),
    Rule(
        "2.8",
        "names keep their spelling and are compared without regard to case",
        "a table that is there is not found, or two answer to one name",
    ),
    Rule("3.2", "endpoints are an array of serialised FlightEndpoints", "the scan fails"),
    Rule("3.3", "locations have a scheme that the client knows", "the scan fails"),
    Rule(
        "3.4",
        "column ids count without the row id, which never changes its place",
        "another column's bytes are read as row ids: UPDATE and DELETE hit wrong rows",
    ),
    Rule(
        "3.5",
        "a DoGet stream has batches alone, and progress as its only metadata",
        "a metadata-only message is taken for the end of the rows; other metadata abort the query",
    ),
    Rule("3.7", "GetFlightInfo echoes the descriptor", "airport_take_flight fails"),
    Rule("3.8", "time travel answers as of its point", "AT (…) fails or shows other rows"),
    Rule("3.9", "column_statistics is a stream of one row, complete", _INTERNAL),
    Rule("4", "DDL answers with the state after the change", "the client's catalog is wrong"),
    Rule("5.1", "an exchange is framed as described", "the statement hangs or miscounts"),
    Rule("5.2", "INSERT takes all columns and gives whole rows back", "rows are lost or wrong"),
    Rule("5.3", "UPDATE sets what it was sent, by row id", "rows are lost or wrong"),
    Rule("5.4", "DELETE removes the row ids it was sent", "rows are lost or wrong"),
    Rule("5.5", "total_changed counts rows once", "the user is told a wrong number"),
    Rule("5.7", "transactions are cheap and their ids are text", "every statement fails"),
    Rule("6.1", "parameters of functions are declared", "the function cannot be called"),
    Rule("6.2", "scalar functions answer a batch by a batch", "the query fails or is wrong"),
    Rule("6.3", "table functions are bound, then read like tables", "the query fails or crashes"),
    Rule("6.4", "in/out functions answer every chunk", "the query fails or hangs"),
    Rule(
        "7",
        "filters may widen a scan and never lose a row",
        "rows are missing from the result, without an error",
    ),
    Rule(
        "8",
        "requests that make no sense are INVALID_ARGUMENT",
        "the user is told nothing, or cannot tell what was wrong",
    ),
    Rule("10", "types are those that the client can take", "the query fails: type not supported"),
)

RULES = {rule.number: rule for rule in _RULES}
