from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    Change,
    ChangeType,
    RequireColumn,
    WidenColumn,
)
from lakeport.catalog.definition import Check, Definition, PrimaryKey, Unique
from lakeport.catalog.evolution.evolve import evolve
from lakeport.catalog.evolution.rewrite import rewrite
from lakeport.catalog.rows.constraints import check_evolution, check_rows
from lakeport.core.errors import ConstraintViolationError, KeyViolationError, PreconditionError
from tests.catalog.tables import columns, rows, table

ORDERS = table(
    PrimaryKey(("id",)),
    Check("price > 0", "positive"),
    id=pa.int64(),
    price=pa.float64(),
    region=pa.string(),
)


def test_good_rows_pass() -> None:
    check_rows(rows(ORDERS.schema, (1, 0.5, "eu"), (2, None, None)), ORDERS)


def test_a_condition_that_is_null_holds() -> None:
    check_rows(rows(ORDERS.schema, (1, None, "eu")), ORDERS)


def test_a_broken_condition_is_named_with_its_values() -> None:
    batch = rows(ORDERS.schema, (1, 1.0, "eu"), (2, -1.5, "eu"), (3, 0.0, None), (4, -3.0, "x"))
    with pytest.raises(ConstraintViolationError) as broken:
        check_rows(batch, ORDERS)
    assert broken.value.details["constraint"] == "positive"
    assert broken.value.details["sample"] == "price = -1.5; price = 0.0; price = -3.0"
    assert "3 rows" in broken.value.message


def test_a_missing_value_is_named_with_its_row() -> None:
    definition = table(PrimaryKey(("id",)), id=pa.int64(), name=pa.string(), note=pa.string())
    required = evolve(definition, [RequireColumn("name")]).definition
    with pytest.raises(ConstraintViolationError, match=r"`name` is NOT NULL.*id = 7"):
        check_rows(rows(required.schema, (6, "x", None), (7, None, "y")), required)


def test_slices_are_checked_at_their_own_place() -> None:
    batch = rows(ORDERS.schema, (1, -1.0, "eu"), (2, 1.0, "eu"), (3, -1.0, "eu"))
    check_rows(batch.slice(1, 1), ORDERS)
    with pytest.raises(ConstraintViolationError):
        check_rows(batch.slice(2), ORDERS)


_STRICT = pa.struct([pa.field("f", pa.int8(), nullable=False), pa.field("g", pa.int8())])


@pytest.mark.parametrize(
    ("data_type", "good", "bad", "path"),
    [
        (_STRICT, {"f": 1, "g": None}, {"f": None, "g": 1}, "c.f"),
        (pa.list_(_STRICT), [None, {"f": 1}], [{"f": 1}, {"f": None}], "c.element.f"),
        (pa.list_(pa.field("l", pa.int8(), nullable=False)), [1], [1, None], "c.element"),
        (pa.large_list(_STRICT), [], [{"f": None}], "c.element.f"),
        (pa.map_(pa.string(), _STRICT), [("k", None)], [("k", {"f": None})], "c.value.f"),
        (pa.struct([("s", _STRICT)]), {"s": None}, {"s": {"f": None}}, "c.s.f"),
    ],
    ids=str,
)
def test_not_null_reaches_into_nested_values(
    data_type: pa.DataType, good: object, bad: object, path: str
) -> None:
    definition = Definition(columns(c=data_type))
    batch = rows(definition.schema, (None,), (good,), (bad,), (None,))
    check_rows(batch.slice(0, 2), definition)
    with pytest.raises(ConstraintViolationError, match=path):
        check_rows(batch.slice(1), definition)


def test_a_null_behind_an_encoding_is_a_null() -> None:
    definition = Definition(
        pa.schema([pa.field("c", pa.dictionary(pa.int8(), pa.string()), nullable=False)])
    )
    encoded = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["a", None]))
    with pytest.raises(ConstraintViolationError):
        check_rows(pa.RecordBatch.from_arrays([encoded], schema=definition.schema), definition)


def test_a_condition_whose_column_is_gone_refuses_rows() -> None:
    foreign = Definition(columns(id=pa.int64()), ORDERS.constraints)
    with pytest.raises(PreconditionError, match="`positive`"):
        check_rows(rows(foreign.schema, (1,)), foreign)


# -- what a schema change asks of the rows -------------------------------------------------------


def alter(definition: Definition, batch: pa.RecordBatch, *changes: Change) -> None:
    evolution = evolve(definition, changes)
    check_evolution(
        evolution, [rewrite(batch.slice(0, 1), evolution), rewrite(batch.slice(1), evolution)]
    )


def test_a_column_with_nulls_does_not_become_not_null() -> None:
    batch = rows(ORDERS.schema, (1, 1.0, "eu"), (2, 1.0, None))
    with pytest.raises(ConstraintViolationError, match="`region`"):
        alter(ORDERS, batch, RequireColumn("region"))
    alter(ORDERS, batch.slice(0, 1), RequireColumn("region"))


def test_a_required_column_without_default_needs_an_empty_table() -> None:
    new = AddColumn(pa.field("n", pa.int8(), nullable=False))
    alter(ORDERS, rows(ORDERS.schema), new)
    with pytest.raises(ConstraintViolationError, match="`n`"):
        alter(ORDERS, rows(ORDERS.schema, (1, 1.0, None)), new)


def test_a_new_condition_must_hold_for_the_rows_that_exist() -> None:
    batch = rows(ORDERS.schema, (1, 1.0, "eu"), (2, 9.0, "us"))
    alter(ORDERS, batch, AddConstraint(Check("price < 10", "cheap")))
    with pytest.raises(ConstraintViolationError, match="`cheap`"):
        alter(ORDERS, batch, AddConstraint(Check("price < 5", "cheap")))


def test_a_new_key_must_hold_over_all_batches() -> None:
    batch = rows(ORDERS.schema, (1, 1.0, "eu"), (2, 9.0, "eu"))
    with pytest.raises(KeyViolationError, match="'eu'"):
        alter(ORDERS, batch, AddConstraint(Unique(("region",), "r")))
    alter(ORDERS, batch, AddConstraint(Unique(("region", "price"), "r")))


def test_a_cast_that_merges_keys_is_refused() -> None:
    definition = table(Unique(("c",), "u"), c=pa.float64())
    batch = rows(definition.schema, (1.1,), (1.2,))
    with pytest.raises(KeyViolationError):
        alter(definition, batch, ChangeType("c", pa.int64()))


def test_not_null_inside_a_new_type_is_checked() -> None:
    definition = table(c=pa.int64())
    change = ChangeType("c", _STRICT, "struct_pack(f := nullif(c, 2), g := 1)")
    alter(definition, rows(definition.schema, (1,)), change)
    with pytest.raises(ConstraintViolationError, match=r"`c\.f`"):
        alter(definition, rows(definition.schema, (1,), (2,)), change)


def test_rows_are_not_asked_for_what_they_proved_before() -> None:
    broken = rows(ORDERS.schema, (None, -1.0, None))
    alter(
        ORDERS,
        broken,
        AddColumn(pa.field("n", pa.int8())),
        WidenColumn(("region",), pa.large_string()),
    )
