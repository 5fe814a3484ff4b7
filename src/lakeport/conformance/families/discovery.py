"""What ATTACH needs: the listing of schemas and of everything in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from lakeport.conformance import listing
from lakeport.conformance.attached import RefusedError, header_text, is_header
from lakeport.conformance.check import Family
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import Entry, is_flagged
from lakeport.conformance.verdicts import BrokenRuleError, NotOfferedError, advice, broken
from lakeport.core.status import GrpcCode

FAMILY = Family("discovery", "what ATTACH reads")

_NOT_ASKED = "it has the contents from the listing and does not ask; other Flight clients do"

# What the client's statistics know; a statement on a table with others fails.
_COUNTED = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_fixed_size_binary,
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_date,
    pa.types.is_time,
    pa.types.is_timestamp,
    pa.types.is_nested,
    pa.types.is_dictionary,
)


def _entries(ground: Ground) -> Iterator[Entry]:
    root = listing.fetch_root(ground.attached)
    for namespace in root.namespaces:
        yield from listing.entries_of(ground.attached, root, namespace)


@FAMILY.check("2.3", "list_schemas gives one Result", "it shows an error that hides the message")
def list_schemas(ground: Ground) -> None:
    ground.attached.one("list_schemas", ground.attached.named())


@FAMILY.check("2.3", "the listing is msgpack in zstd, of exactly the length it claims")
def wrapping(ground: Ground) -> None:
    listing.fetch_root(ground.attached)


@FAMILY.check("2.3", "schemas have names of their own, a description and tags")
def schemas(ground: Ground) -> None:
    names = [each.name for each in listing.fetch_root(ground.attached).namespaces]
    if "" in names:
        raise broken("2.3", "a schema has an empty name")
    folded = [name.casefold() for name in names]
    twice = {name for name in folded if folded.count(name) > 1}
    if twice:
        raise broken("2.3", f"schemas are listed twice: {', '.join(sorted(twice))}")


@FAMILY.check("0.main", "no schema is called main")
def name_main(ground: Ground) -> None:
    for each in listing.fetch_root(ground.attached).namespaces:
        if each.name.casefold() == "main":
            raise broken("0.main", f"the listing has a schema called `{each.name}`")


@FAMILY.check("2.3", "contents have the hash they claim, inline or in the catalog's pack")
def contents(ground: Ground) -> None:
    root = listing.fetch_root(ground.attached)
    for namespace in root.namespaces:
        listing.bytes_of(root, namespace)


@FAMILY.check("0.4", "every table and function is well-formed")
def objects(ground: Ground) -> None:
    tables = [
        (each.namespace, each.name.casefold()) for each in _entries(ground) if each.kind == "table"
    ]
    twice = sorted({f"{space}.{name}" for space, name in tables if tables.count((space, name)) > 1})
    if twice:
        raise broken("0.4", f"tables are listed twice: {', '.join(twice)}")


@FAMILY.check("0.ascii", "descriptors and the catalog's name can be gRPC headers")
def ascii_names(ground: Ground) -> None:
    if not is_header(ground.attached.catalog):
        raise broken("0.ascii", f"the catalog is called {ground.attached.catalog!r}")
    for entry in _entries(ground):
        header_text(entry.descriptor)


@FAMILY.check(
    "3.4",
    "the row id is called rowid",
    "UPDATE … RETURNING looks it up by that name and fails",
)
def row_ids(ground: Ground) -> None:
    for entry in _entries(ground):
        if entry.kind == "table" and entry.row_id is not None:
            name = entry.schema.field(entry.row_id).name
            if name != "rowid":
                raise broken("3.4", f"the row id of `{entry}` is called `{name}`")


@FAMILY.check(
    "3.4",
    "statistics are announced only where the row id is last or absent",
    "statistics of one column are taken for those of another: wrong results",
)
def statistics_and_row_ids(ground: Ground) -> None:
    for entry in _entries(ground):
        if entry.is_counted and entry.row_id not in {None, len(entry.schema) - 1}:
            raise broken("3.4", f"`{entry}` announces statistics and its row id is not last")


@FAMILY.check(
    "3.9",
    "statistics are announced only for columns that can have some",
    'every statement on the table fails: "Statistics for type … not implemented"',
)
def statistics_and_types(ground: Ground) -> None:
    for entry in _entries(ground):
        for column in entry.columns if entry.is_counted else ():
            if not any(knows(column.type) for knows in _COUNTED) or pa.types.is_union(column.type):
                raise broken("3.9", f"`{entry}` announces statistics and has {column}")


@FAMILY.check("10", "no column has a type that the client refuses", "the table cannot be read")
def types(ground: Ground) -> None:
    for entry in _entries(ground):
        for column in entry.schema:
            if pa.types.is_float16(column.type) or pa.types.is_decimal256(column.type):
                raise broken("10", f"column `{column.name}` of `{entry}` is {column.type}")


@FAMILY.check("2.5", "parameters carry the flags the client knows")
def parameters(ground: Ground) -> None:
    for entry in _entries(ground):
        if entry.parameters is None or entry.kind != "scalar_function":
            continue
        if any(is_flagged(each, "is_named_parameter") for each in entry.parameters):
            raise broken("2.5", f"the scalar function `{entry}` has named parameters")


@FAMILY.check("2.3", "the listing tells the catalog's version")
def version(ground: Ground) -> None:
    told = listing.fetch_root(ground.attached).version
    now = ground.attached.version()
    if told.number > now.number or told.is_fixed != now.is_fixed:
        raise broken("2.3", f"list_schemas tells version {told}, then catalog_version {now}")


@FAMILY.check("2.3", "standard clients may ask with an empty body")
def empty_body(ground: Ground) -> None:
    try:
        ground.attached.one("list_schemas", b"")
    except RefusedError as refusal:
        raise advice("2.3", f"with an empty body: {refusal.failure}") from None


@FAMILY.check(
    "1.4", "a catalog that is not there is NOT_FOUND", "it is shown another catalog's tables"
)
def unknown_catalog(ground: Ground) -> None:
    other = ground.attached.as_(catalog="no_such_catalog_by_this_name")
    try:
        other.one("list_schemas", other.named())
    except RefusedError as refusal:
        if refusal.code is not GrpcCode.NOT_FOUND:
            seen = f"an unknown catalog is {refusal.code.name}"
            raise advice("1.4", seen, "the user is told, by that text") from None
        return
    raise advice("1.4", "a catalog of any name is listed")


@FAMILY.check("2.7", "ListFlights gives the objects of the schema that the headers name")
def list_flights(ground: Ground) -> None:
    root = listing.fetch_root(ground.attached)
    for namespace in root.namespaces:
        listed = listing.entries_of(ground.attached, root, namespace)
        if 0 < len(listed) <= 200:
            try:
                _look_at_flights(ground, namespace.name, listed)
            except BrokenRuleError as wrong:
                if listing.bytes_of(root, namespace) is None:
                    raise
                # The client asks ListFlights only where the listing has no contents.
                raise advice("2.7", wrong.seen, _NOT_ASKED) from None
            return
    raise NotOfferedError("no schema has anything in it")


def _look_at_flights(ground: Ground, namespace: str, listed: Sequence[Entry]) -> None:
    found = listing.flights_of(ground.attached, namespace)
    missing = {each.name for each in listed} - {each.name for each in found}
    if missing:
        raise broken("2.7", f"ListFlights lacks {sorted(missing)} of `{namespace}`")
