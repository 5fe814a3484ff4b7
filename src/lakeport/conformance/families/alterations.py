"""ALTER TABLE: every action answers with the table after the change, and the rows stay."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakeport.conformance.check import Family
from lakeport.conformance.families.scans import same_rows
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import Entry
from lakeport.conformance.packing import schema_bytes
from lakeport.conformance.verdicts import broken
from lakeport.conformance.workshop import PLAIN, ROWS
from lakeport.core.status import GrpcCode

FAMILY = Family("alterations", "ALTER TABLE")

_STRUCT = pa.struct([("a", pa.int64()), ("b", pa.string())])
_NESTED = pa.schema([("id", pa.int64()), ("s", _STRUCT)])
_NESTED_ROWS = pa.table({"id": [1], "s": pa.array([{"a": 1, "b": "x"}], _STRUCT)}, schema=_NESTED)


def _field(name: str, kind: pa.DataType) -> bytes:
    return schema_bytes(pa.schema([(name, kind)]))


def _columns(entry: Entry, wanted: list[str], after: str) -> None:
    if entry.columns.names != wanted:
        raise broken("4", f"after {after} the columns are {entry.columns.names}, not {wanted}")


def _struct(entry: Entry) -> list[str]:
    kind: Any = entry.schema.field("s").type
    return [kind.field(at).name for at in range(kind.num_fields)]


def _add(ground: Ground, entry: Entry, name: str, *, quietly: bool = False) -> Entry:
    column = _field(name, pa.int64())
    return ground.workshop.alter(
        "add_column", entry, column_schema=column, if_column_not_exists=quietly
    )


@FAMILY.check("4", "ADD COLUMN: the column is last, and NULL where rows were")
def add_column(ground: Ground) -> None:
    entry = _add(ground, ground.workshop.plain(), "extra")
    _columns(entry, [*PLAIN.names, "extra"], "ADD COLUMN")
    found = ground.rows(entry)
    same_rows(found, ROWS, "a table after ADD COLUMN", "4")
    if found.column("extra").null_count != ROWS.num_rows:
        raise broken("4", "a column that was added has values in old rows")


@FAMILY.check(
    "4", "ADD COLUMN of a name that is there: ALREADY_EXISTS, or as it is with IF NOT EXISTS"
)
def add_existing_column(ground: Ground) -> None:
    entry = ground.workshop.plain()
    body = ground.workshop.base(
        entry, column_schema=_field("NAME", pa.int64()), if_column_not_exists=False
    )
    ground.must_refuse(
        "add_column", body, GrpcCode.ALREADY_EXISTS, rule="4", case="of a column that is there"
    )
    _columns(_add(ground, entry, "name", quietly=True), PLAIN.names, "ADD COLUMN IF NOT EXISTS")


@FAMILY.check("4", "DROP COLUMN: the others stay as they are")
def remove_column(ground: Ground) -> None:
    entry = ground.workshop.alter(
        "remove_column",
        ground.workshop.plain(),
        removed_column="name",
        if_column_exists=False,
        cascade=False,
    )
    _columns(entry, ["id", "v"], "DROP COLUMN")
    same_rows(ground.rows(entry), ROWS.select(["id", "v"]), "a table after DROP COLUMN", "4")


@FAMILY.check("4", "DROP COLUMN of one that is not there: NOT_FOUND, or as it is with IF EXISTS")
def remove_unknown_column(ground: Ground) -> None:
    entry = ground.workshop.plain()
    asked = {"removed_column": "no_such", "if_column_exists": False, "cascade": False}
    ground.must_refuse(
        "remove_column",
        ground.workshop.base(entry, **asked),
        GrpcCode.NOT_FOUND,
        rule="4",
        case="of an unknown column",
    )
    after = ground.workshop.alter("remove_column", entry, **asked | {"if_column_exists": True})
    _columns(after, PLAIN.names, "DROP COLUMN IF EXISTS")


@FAMILY.check("4", "RENAME COLUMN keeps its values")
def rename_column(ground: Ground) -> None:
    entry = ground.workshop.alter(
        "rename_column", ground.workshop.plain(), old_name="name", new_name="label"
    )
    _columns(entry, ["id", "label", "v"], "RENAME")
    renamed = ROWS.rename_columns(["id", "label", "v"])
    same_rows(ground.rows(entry), renamed, "a table after RENAME", "4")


@FAMILY.check(
    "4", "RENAME to a column that is there is ALREADY_EXISTS; of one that is not, NOT_FOUND"
)
def rename_wrongly(ground: Ground) -> None:
    entry = ground.shared
    taken = ground.workshop.base(entry, old_name="name", new_name="v")
    ground.must_refuse(
        "rename_column", taken, GrpcCode.ALREADY_EXISTS, rule="4", case="to a name that is taken"
    )
    unknown = ground.workshop.base(entry, old_name="no_such", new_name="w")
    ground.must_refuse(
        "rename_column", unknown, GrpcCode.NOT_FOUND, rule="4", case="of an unknown column"
    )


@FAMILY.check("4", "RENAME TO: the table answers to its new name alone")
def rename_table(ground: Ground) -> None:
    before = ground.workshop.plain()
    name = ground.workshop.name()
    entry = ground.workshop.alter("rename_table", before, new_table_name=name)
    if entry.name != name:
        raise broken("4", f"after RENAME TO {name} the table is called `{entry.name}`")
    same_rows(ground.rows(entry), ROWS, "a table after RENAME TO", "4")
    names = ground.workshop.tables()
    if name not in names or before.name in names:
        raise broken(
            "4", f"after RENAME TO the listing has {sorted({name, before.name} & set(names))}"
        )


@FAMILY.check("4", "RENAME TO a name that is taken is ALREADY_EXISTS", "a table is lost")
def rename_to_taken(ground: Ground) -> None:
    entry = ground.workshop.plain()
    body = ground.workshop.base(entry, new_table_name=ground.shared.name)
    ground.must_refuse(
        "rename_table", body, GrpcCode.ALREADY_EXISTS, rule="4", case="to a name that is taken"
    )


@FAMILY.check("4", "ALTER TYPE: a wider type has the same values")
def change_column_type(ground: Ground) -> None:
    narrow = pa.table({"id": pa.array([1, 2], pa.int32())})
    before = ground.workshop.create(narrow.schema, rows=narrow)
    entry = ground.workshop.alter(
        "change_column_type",
        before,
        column_schema=_field("id", pa.int64()),
        expression="CAST(id AS BIGINT)",
    )
    if entry.schema.field("id").type != pa.int64():
        raise broken("4", f"after ALTER TYPE BIGINT the column is {entry.schema.field('id').type}")
    wanted = pa.table({"id": pa.array([1, 2], pa.int64())})
    same_rows(ground.rows(entry), wanted, "a table after ALTER TYPE", "4")


@FAMILY.check("4", "SET DEFAULT is told by the column's metadata", "INSERT fills in NULL instead")
def set_default(ground: Ground) -> None:
    entry = ground.workshop.alter(
        "set_default", ground.workshop.plain(), column_name="name", expression="'none'"
    )
    told = (entry.schema.field("name").metadata or {}).get(b"default")
    if not told or b"none" not in told:
        raise broken("4", f"after SET DEFAULT 'none' the default is told as {told!r}")


@FAMILY.check("4", "SET and DROP NOT NULL are told by the nullable flag")
def not_null(ground: Ground) -> None:
    entry = ground.workshop.alter("set_not_null", ground.workshop.plain(), column_name="id")
    if entry.schema.field("id").nullable:
        raise broken("4", "after SET NOT NULL the column is told as nullable")
    entry = ground.workshop.alter("drop_not_null", entry, column_name="id")
    if not entry.schema.field("id").nullable:
        raise broken("4", "after DROP NOT NULL the column is told as not nullable")


@FAMILY.check("4", "a field of a struct is added", "the client itself cannot send its name")
def add_field(ground: Ground) -> None:
    before = ground.workshop.create(_NESTED, rows=_NESTED_ROWS)
    entry = ground.workshop.alter(
        "add_field",
        before,
        column_path=["s"],
        column_schema=_field("c", pa.int64()),
        if_field_not_exists=False,
    )
    if _struct(entry) != ["a", "b", "c"]:
        raise broken("4", f"after ADD COLUMN s.c the struct has {_struct(entry)}")
    rows = ground.rows(entry).column("s").to_pylist()
    if rows != [{"a": 1, "b": "x", "c": None}]:
        raise broken("4", f"after ADD COLUMN s.c the row is {rows}")


@FAMILY.check("4", "a field of a struct is removed")
def remove_field(ground: Ground) -> None:
    before = ground.workshop.create(_NESTED, rows=_NESTED_ROWS)
    entry = ground.workshop.alter(
        "remove_field", before, column_path=["s", "b"], if_column_exists=False, cascade=False
    )
    if _struct(entry) != ["a"] or ground.rows(entry).column("s").to_pylist() != [{"a": 1}]:
        raise broken("4", f"after DROP COLUMN s.b the struct has {_struct(entry)}")


@FAMILY.check("4", "a field of a struct is renamed")
def rename_field(ground: Ground) -> None:
    before = ground.workshop.create(_NESTED, rows=_NESTED_ROWS)
    entry = ground.workshop.alter("rename_field", before, column_path=["s", "a"], new_name="z")
    if _struct(entry) != ["z", "b"] or ground.rows(entry).column("s").to_pylist() != [
        {"z": 1, "b": "x"}
    ]:
        raise broken("4", f"after RENAME s.a TO z the struct has {_struct(entry)}")


@FAMILY.check("4", "a constraint is added")
def add_constraint(ground: Ground) -> None:
    entry = ground.workshop.alter(
        "add_constraint", ground.workshop.plain(), constraint="CHECK (id > 0)"
    )
    _columns(entry, PLAIN.names, "ADD CONSTRAINT")


@FAMILY.check("4", "ALTER of a table that is not there: NOT_FOUND, or no Result with IF EXISTS")
def unknown_table(ground: Ground) -> None:
    asked = {"name": "no_such_table", "old_name": "a", "new_name": "b"}
    body = ground.workshop.base(ground.shared, **asked)
    ground.must_refuse(
        "rename_column", body, GrpcCode.NOT_FOUND, rule="4", case="on a table that is not there"
    )
    found = ground.attached.results("rename_column", body | {"ignore_not_found": True})
    if found:
        raise broken("4", f"ALTER TABLE IF EXISTS of nothing gave {len(found)} Results")


@FAMILY.check("2.8", "ALTER takes the user's spelling of the table", "the table is not found")
def any_case(ground: Ground) -> None:
    before = ground.workshop.plain()
    entry = ground.workshop.alter(
        "rename_column", before, name=before.name.upper(), old_name="NAME", new_name="label"
    )
    if entry.name != before.name:
        raise broken("2.8", f"ALTER TABLE {before.name.upper()} answers with `{entry.name}`")
    _columns(entry, ["id", "label", "v"], "RENAME in capitals")
