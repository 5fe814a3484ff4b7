"""CREATE and DROP of schemas and tables: what is answered, what is refused, and by which code."""

from __future__ import annotations

import hashlib

import pyarrow as pa

from lakeport.conformance import listing
from lakeport.conformance.attached import RefusedError
from lakeport.conformance.check import Family
from lakeport.conformance.families.scans import same_rows
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import Entry, entry_of
from lakeport.conformance.packing import map_of, schema_bytes, unpack, unwrap
from lakeport.conformance.verdicts import NotOfferedError, advice, broken
from lakeport.conformance.workshop import PLAIN, ROWS
from lakeport.core.status import GrpcCode

FAMILY = Family("definitions", "CREATE and DROP")

_HIDES = "it shows an error that hides the server's message"


def _listed(ground: Ground, name: str) -> Entry | None:
    return listing.find(ground.attached, ground.workshop.namespace, name)


@FAMILY.check("4", "create_schema answers with the contents of an empty schema", _HIDES)
def create_schema(ground: Ground) -> None:
    ground.workshop.ready()
    answer = map_of(
        unpack(ground.workshop.answer or b"", "4", "create_schema"), "4", "create_schema"
    )
    contents = listing.Contents.of(answer, "the new schema")
    if contents.serialized is None:
        if contents.url or contents.is_empty:
            return
        raise broken("4", "create_schema answers with a hash and neither bytes nor a URL")
    found = hashlib.sha256(contents.serialized).hexdigest()
    if contents.sha256 and found != contents.sha256:
        raise broken("4", "create_schema answers with bytes of another hash than it says")
    if unpack(unwrap(contents.serialized, "4", "the new schema"), "4", "the new schema") != []:
        raise broken("4", "create_schema answers with a schema that has something in it")


@FAMILY.check("4", "a new schema is listed at once")
def new_schema(ground: Ground) -> None:
    name = ground.workshop.ready()
    if name not in [each.name for each in listing.fetch_root(ground.attached).namespaces]:
        raise broken("4", f"the schema `{name}` was created and is not listed")


@FAMILY.check("4", "a schema that is there is ALREADY_EXISTS, in any case of its letters")
def schema_exists(ground: Ground) -> None:
    name = ground.workshop.ready()
    for spelled in (name, name.upper()):
        ground.must_refuse(
            "create_schema",
            ground.attached.named(schema=spelled, comment=None, tags={}),
            GrpcCode.ALREADY_EXISTS,
            rule="4",
            case=f"of `{spelled}` while `{name}` is there",
        )


@FAMILY.check("4", "dropping a schema that is not there is NOT_FOUND, or nothing with IF EXISTS")
def drop_unknown_schema(ground: Ground) -> None:
    ground.workshop.ready()
    name = f"{ground.workshop.namespace}_no_such"
    body = ground.attached.named(type="schema", schema_name="", name=name, ignore_not_found=False)
    ground.must_refuse(
        "drop_schema", body, GrpcCode.NOT_FOUND, rule="4", case="of an unknown schema"
    )
    ground.workshop.drop_namespace(name, ignore=True)


@FAMILY.check(
    "4", "a schema that holds tables is not dropped: FAILED_PRECONDITION", "tables are lost"
)
def drop_full_schema(ground: Ground) -> None:
    entry = ground.shared
    body = ground.attached.named(
        type="schema", schema_name="", name=entry.namespace, ignore_not_found=False
    )
    ground.must_refuse(
        "drop_schema", body, GrpcCode.FAILED_PRECONDITION, rule="4", case="of a schema with tables"
    )
    if _listed(ground, entry.name) is None:
        raise broken("4", "a refused drop_schema removed the tables")


@FAMILY.check("4", "create_table answers with the table as it was made", _HIDES)
def create_table(ground: Ground) -> None:
    entry = ground.workshop.create(PLAIN)
    if entry.columns.names != PLAIN.names:
        raise broken("4", f"a table of {PLAIN.names} was made with {entry.columns.names}")
    if entry.namespace != ground.workshop.namespace:
        raise broken("4", f"`create_table` answers with a table of schema `{entry.namespace}`")


@FAMILY.check("4", "a new table is listed as it was answered")
def listed_table(ground: Ground) -> None:
    entry = ground.workshop.create(PLAIN)
    found = _listed(ground, entry.name)
    if found is None:
        raise broken("4", f"the table `{entry}` was created and is not listed")
    if not found.schema.equals(entry.schema, check_metadata=False):
        raise broken(
            "4", f"`{entry}` was answered as {entry.schema.names}, listed as {found.schema.names}"
        )


@FAMILY.check("4", "CREATE TABLE AS fills the table that was answered")
def create_table_as(ground: Ground) -> None:
    entry = ground.workshop.create(PLAIN, rows=ROWS)
    same_rows(ground.rows(entry), ROWS, "CREATE TABLE AS", "4")


@FAMILY.check("4", "NOT NULL arrives by position and is told by the nullable flag")
def not_null(ground: Ground) -> None:
    entry = ground.workshop.create(PLAIN, not_null_constraints=[0])
    if entry.schema.field("id").nullable or not entry.schema.field("name").nullable:
        raise broken(
            "4", "NOT NULL of the first column is not told", "NULLs are not refused by the client"
        )


@FAMILY.check("2.5", "CHECK arrives as SQL and is told by check_constraints")
def check_constraint(ground: Ground) -> None:
    entry = ground.workshop.create(PLAIN, check_constraints=["(id > 0)"])
    if not (entry.schema.metadata or {}).get(b"check_constraints"):
        raise advice("2.5", "CHECK (id > 0) is not told", "rows are refused by the server alone")


@FAMILY.check("4", "the keys that only newer clients send may be missing")
def eight_keys(ground: Ground) -> None:
    body = ground.workshop.request(ground.workshop.name(), PLAIN)
    for key in (
        "primary_key_columns",
        "unique_columns",
        "multi_key_primary_keys",
        "extra_constraints",
    ):
        del body[key]
    entry_of(ground.attached.one("create_table", body), "4", ground.attached.catalog)


@FAMILY.check("4", "a table that is there is ALREADY_EXISTS, in any case of its letters")
def table_exists(ground: Ground) -> None:
    entry = ground.shared
    for spelled in (entry.name, entry.name.upper()):
        ground.must_refuse(
            "create_table",
            ground.workshop.request(spelled, PLAIN),
            GrpcCode.ALREADY_EXISTS,
            rule="2.8" if spelled != entry.name else "4",
            case=f"of `{spelled}` while `{entry.name}` is there",
        )


@FAMILY.check("4", "IF NOT EXISTS answers with the table that is there")
def on_conflict_ignore(ground: Ground) -> None:
    entry = ground.shared
    other = pa.schema([("other", pa.string())])
    body = ground.workshop.request(entry.name, other, on_conflict="ignore")
    found = entry_of(ground.attached.one("create_table", body), "4", ground.attached.catalog)
    if found.columns.names != entry.columns.names:
        raise broken("4", f"IF NOT EXISTS answers with the columns {found.columns.names}")
    same_rows(ground.rows(found), ROWS, "the table after CREATE TABLE IF NOT EXISTS", "4")


@FAMILY.check("4", "on_conflict replace makes the table anew")
def on_conflict_replace(ground: Ground) -> None:
    entry = ground.workshop.plain()
    other = pa.schema([("other", pa.string())])
    body = ground.workshop.request(entry.name, other, on_conflict="replace")
    found = entry_of(ground.attached.one("create_table", body), "4", ground.attached.catalog)
    if found.columns.names != ["other"] or ground.rows(found).num_rows:
        raise broken("4", f"a replaced table has the columns {found.columns.names}")


@FAMILY.check("8", "an on_conflict that is none of the three is INVALID_ARGUMENT")
def on_conflict_nonsense(ground: Ground) -> None:
    body = ground.workshop.request(ground.workshop.name(), PLAIN, on_conflict="perhaps")
    ground.must_refuse(
        "create_table", body, GrpcCode.INVALID_ARGUMENT, rule="8", case="with on_conflict `perhaps`"
    )


@FAMILY.check("8", "a constraint on a column that is not there is INVALID_ARGUMENT")
def constraint_outside(ground: Ground) -> None:
    body = ground.workshop.request(ground.workshop.name(), PLAIN, not_null_constraints=[9])
    ground.must_refuse(
        "create_table",
        body,
        GrpcCode.INVALID_ARGUMENT,
        rule="8",
        case="with NOT NULL on column 9 of 3",
    )


@FAMILY.check("8", "columns of one name are INVALID_ARGUMENT")
def duplicate_columns(ground: Ground) -> None:
    twice = pa.schema([("a", pa.int64()), ("A", pa.int64())])
    ground.must_refuse(
        "create_table",
        ground.workshop.request(ground.workshop.name(), twice),
        GrpcCode.INVALID_ARGUMENT,
        rule="8",
        case="with the columns `a` and `A`",
    )


@FAMILY.check("4", "a table in a schema that is not there is NOT_FOUND")
def unknown_schema(ground: Ground) -> None:
    name = f"{ground.workshop.ready()}_no_such"
    body = ground.workshop.request("t", PLAIN, schema_name=name)
    ground.must_refuse(
        "create_table", body, GrpcCode.NOT_FOUND, rule="4", case="in an unknown schema"
    )


@FAMILY.check("4", "drop_table gives no Result, and the table is gone")
def drop_table(ground: Ground) -> None:
    entry = ground.workshop.create(PLAIN)
    found = ground.workshop.drop(entry.name.upper())
    if found:
        raise advice("4", f"`drop_table` gave {len(found)} Results")
    if _listed(ground, entry.name) is not None:
        raise broken("4", f"`{entry}` was dropped and is still listed")


@FAMILY.check("4", "dropping a table that is not there is NOT_FOUND, or nothing with IF EXISTS")
def drop_unknown_table(ground: Ground) -> None:
    name = ground.workshop.ready()
    body = ground.attached.named(
        type="table", schema_name=name, name="no_such_table", ignore_not_found=False
    )
    ground.must_refuse("drop_table", body, GrpcCode.NOT_FOUND, rule="4", case="of an unknown table")
    ground.workshop.drop("no_such_table", ignore=True)


@FAMILY.check("8", "drop_table of another type than a table is INVALID_ARGUMENT")
def drop_wrong_type(ground: Ground) -> None:
    entry = ground.shared
    body = ground.attached.named(
        type="schema", schema_name=entry.namespace, name=entry.name, ignore_not_found=False
    )
    ground.must_refuse(
        "drop_table", body, GrpcCode.INVALID_ARGUMENT, rule="8", case="with the type `schema`"
    )


@FAMILY.check("2.6", "the version grows with CREATE, ALTER and DROP")
def version_grows(ground: Ground) -> None:
    ground.workshop.ready()
    before = ground.attached.version()
    if before.is_fixed:
        raise broken("2.6", "the catalog can be changed and says that its version is fixed")
    entry = ground.workshop.create(PLAIN)
    created = ground.attached.version()
    added = schema_bytes(pa.schema([("extra", pa.int64())]))
    ground.workshop.alter("add_column", entry, column_schema=added, if_column_not_exists=False)
    altered = ground.attached.version()
    ground.workshop.drop(entry.name)
    dropped = ground.attached.version()
    told = [each.number for each in (before, created, altered, dropped)]
    if sorted(set(told)) != told:
        raise broken("2.6", f"before and after CREATE, ALTER and DROP the version is {told}")


@FAMILY.check("0.ascii", "a name beyond ASCII has a descriptor in ASCII, and can be read")
def beyond_ascii(ground: Ground) -> None:
    _read_named(ground, "täble ünï")


@FAMILY.check("2.8", "a name may hold blanks, slashes, percents and quotes")
def odd_names(ground: Ground) -> None:
    _read_named(ground, "a b%2F\"c'd/e@f")


def _read_named(ground: Ground, name: str) -> None:
    ground.workshop.ready()
    try:
        entry = ground.workshop.create(PLAIN, name, rows=ROWS)
    except RefusedError as refusal:
        if refusal.code in {GrpcCode.INVALID_ARGUMENT, GrpcCode.UNIMPLEMENTED}:
            raise NotOfferedError(f"no table may be called `{name}`: {refusal.failure}") from None
        raise
    same_rows(ground.rows(entry), ROWS, f"the table called `{name}`", "2.8")
    found = _listed(ground, name)
    if found is None or found.name != name:
        raise broken("2.8", f"a table called `{name}` is listed as `{found and found.name}`")
    ground.workshop.drop(name)


@FAMILY.check("2.3", "a schema's comment and tags come back in the listing")
def comment_and_tags(ground: Ground) -> None:
    name = f"{ground.workshop.ready()}_told"
    body = ground.attached.named(schema=name, comment="what it is for", tags={"team": "sales"})
    ground.attached.one("create_schema", body)
    try:
        root = listing.fetch_root(ground.attached)
        (found,) = [each for each in root.namespaces if each.name == name]
        if found.description != "what it is for" or found.tags.get("team") != "sales":
            told = f"{found.description!r} and {found.tags}"
            raise advice(
                "2.3", f"comment and tags come back as {told}", "duckdb_schemas() shows none"
            )
    finally:
        ground.workshop.drop_namespace(name, ignore=True)
