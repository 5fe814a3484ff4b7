from __future__ import annotations

from typing import get_args

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropConstraint,
    DropField,
    Growth,
    RelaxColumn,
    RenameColumn,
    RenameField,
    RequireColumn,
    SetComment,
    SetDefault,
    WidenColumn,
)
from lakeport.catalog.definition import (
    Check,
    Definition,
    PrimaryKey,
    Unique,
    comment_of,
    default_of,
    with_comment,
    with_default,
)
from lakeport.catalog.evolution.evolve import evolve
from lakeport.catalog.evolution.plan import Evolution, Filled, Kept, origin
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import fold
from tests.catalog.tables import table

_ITEM = pa.struct([("sku", pa.string()), ("qty", pa.int32())])


def orders() -> Definition:
    return table(
        PrimaryKey(("id",)),
        Check("price > 0", "positive"),
        Unique(("region", "price"), "slot"),
        id=pa.int32(),
        price=pa.float32(),
        region=pa.string(),
        buyer=pa.struct([("name", pa.string()), ("age", pa.int8())]),
        items=pa.list_(_ITEM),
        stock=pa.map_(pa.string(), _ITEM),
    )


def column(definition: Definition, name: str) -> pa.DataType:
    found: pa.DataType = definition.schema.field(name).type
    return found


# -- adding --------------------------------------------------------------------------------------


def test_a_new_column_comes_last_and_is_null() -> None:
    evolved = evolve(orders(), [AddColumn(pa.field("note", pa.string()))])
    assert evolved.definition.schema.names[-1] == "note"
    assert evolved.columns[-1] == Filled(None, pa.string())
    assert not evolved.rewrites_rows


def test_a_new_columns_default_fills_the_rows_that_exist() -> None:
    added = with_default(pa.field("state", pa.string(), nullable=False), "'new'")
    evolved = evolve(orders(), [AddColumn(added)])
    assert evolved.columns[-1] == Filled("'new'", pa.string())
    assert evolved.must_not_be_null == ("state",)
    assert evolved.rewrites_rows


def test_a_taken_name_is_refused_in_any_spelling() -> None:
    with pytest.raises(AlreadyExistsError):
        evolve(orders(), [AddColumn(pa.field("PRICE", pa.int8()))])


def test_if_absent_leaves_a_column_that_is_there_alone() -> None:
    assert evolve(orders(), [AddColumn(pa.field("PRICE", pa.int8()), if_absent=True)]).is_noop


@pytest.mark.parametrize("name", ["", "rowid", "a.b", " a", "__lakeport_x"])
def test_a_name_no_column_may_have_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequestError):
        evolve(orders(), [AddColumn(pa.field(name, pa.int8()))])
    with pytest.raises(InvalidRequestError):
        evolve(orders(), [RenameColumn("price", name)])


def test_a_type_no_client_can_read_is_refused() -> None:
    with pytest.raises(InvalidRequestError):
        evolve(orders(), [AddColumn(pa.field("half", pa.float16()))])
    with pytest.raises(InvalidRequestError):
        evolve(orders(), [ChangeType("price", pa.decimal256(50, 2))])


@pytest.mark.parametrize(
    ("parent", "grown"),
    [
        (("buyer",), pa.struct([("name", pa.string()), ("age", pa.int8()), ("x", pa.int64())])),
        (("items", "element"), pa.list_(pa.struct([*_ITEM, pa.field("x", pa.int64())]))),
        (("STOCK", "Value"), pa.map_(pa.string(), pa.struct([*_ITEM, pa.field("x", pa.int64())]))),
    ],
    ids=["struct", "list of structs", "map to structs"],
)
def test_a_field_is_added_where_its_path_says(parent: tuple[str, ...], grown: pa.DataType) -> None:
    evolved = evolve(orders(), [AddField(parent, pa.field("x", pa.int64()))])
    index = evolved.definition.schema.get_field_index(parent[0].lower())
    assert evolved.definition.schema.field(index).type == grown
    assert origin(evolved.columns[index]) == index
    assert not evolved.rewrites_rows


def test_a_field_of_the_empty_path_is_a_column() -> None:
    assert "x" in evolve(orders(), [AddField((), pa.field("x", pa.int8()))]).definition.schema.names


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (AddField(("buyer",), pa.field("AGE", pa.int8())), AlreadyExistsError),
        (AddField(("buyer",), pa.field("", pa.int8())), InvalidRequestError),
        (AddField(("buyer",), pa.field("a.b", pa.int8())), InvalidRequestError),
        (AddField(("buyer",), pa.field("x", pa.int8(), nullable=False)), InvalidRequestError),
        (AddField(("price",), pa.field("x", pa.int8())), InvalidRequestError),
        (AddField(("items",), pa.field("x", pa.int8())), InvalidRequestError),
        (AddField(("nobody",), pa.field("x", pa.int8())), NotFoundError),
        (AddField(("buyer", "nam"), pa.field("x", pa.int8())), NotFoundError),
        (AddField(("stock", "key"), pa.field("x", pa.int8())), InvalidRequestError),
    ],
    ids=str,
)
def test_a_field_that_cannot_be_added_is_refused(
    change: AddField, error: type[LakeportError]
) -> None:
    with pytest.raises(error):
        evolve(orders(), [change])


def test_a_field_that_is_there_is_added_if_absent() -> None:
    assert evolve(
        orders(), [AddField(("buyer",), pa.field("AGE", pa.int8()), if_absent=True)]
    ).is_noop


# -- types and nullability -----------------------------------------------------------------------


def test_widening_keeps_the_column_and_its_key() -> None:
    evolved = evolve(orders(), [WidenColumn(("id",), pa.int64())])
    assert column(evolved.definition, "id") == pa.int64()
    assert origin(evolved.columns[0]) == 0
    assert not evolved.rewrites_rows
    assert evolved.constraints_to_check == ()


def test_widening_checks_conditions_that_read_the_column() -> None:
    evolved = evolve(orders(), [WidenColumn(("price",), pa.float64())])
    assert [c.name for c in evolved.constraints_to_check] == ["positive"]


def test_a_field_inside_a_list_is_widened() -> None:
    evolved = evolve(orders(), [WidenColumn(("items", "element", "qty"), pa.int64())])
    assert column(evolved.definition, "items") == pa.list_(
        pa.struct([("sku", pa.string()), ("qty", pa.int64())])
    )


def test_what_is_not_wider_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="cannot be widened"):
        evolve(orders(), [WidenColumn(("id",), pa.int16())])
    with pytest.raises(InvalidRequestError, match="keys of the map"):
        evolve(orders(), [WidenColumn(("stock", "key"), pa.large_string())])


def test_another_type_is_a_cast_of_every_row() -> None:
    evolved = evolve(orders(), [ChangeType("price", pa.decimal128(9, 2))])
    assert column(evolved.definition, "price") == pa.decimal128(9, 2)
    assert evolved.rewrites_rows
    assert [c.name for c in evolved.constraints_to_check] == ["positive", "slot"]
    assert origin(evolved.columns[1]) == 1


def test_an_expression_computes_the_new_values() -> None:
    evolved = evolve(orders(), [ChangeType("region", pa.int32(), "length(region) + id")])
    assert column(evolved.definition, "region") == pa.int32()
    assert evolved.rewrites_rows
    assert origin(evolved.columns[2]) == 2


def test_using_a_plain_cast_to_a_wider_type_is_a_widening() -> None:
    evolved = evolve(orders(), [ChangeType("id", pa.int64(), "CAST(Id AS BIGINT)")])
    assert not evolved.rewrites_rows


def test_a_cast_to_another_type_on_the_way_is_not_left_out() -> None:
    evolved = evolve(table(c=pa.float64()), [ChangeType("c", pa.float64(), "CAST(c AS INTEGER)")])
    assert evolved.rewrites_rows


def test_the_same_type_is_no_change() -> None:
    assert evolve(orders(), [ChangeType("id", pa.int32())]).is_noop


@pytest.mark.parametrize(
    "change",
    [
        ChangeType("price", pa.struct([("x", pa.int8())])),
        ChangeType("price", pa.float64(), "nothing + 1"),
        ChangeType("price", pa.float64(), "random()"),
        ChangeType("price", pa.float64(), "(SELECT 1)"),
        ChangeType("id", pa.list_(pa.int8()), "[1]"),
    ],
    ids=str,
)
def test_a_type_change_that_cannot_be_computed_is_refused(change: ChangeType) -> None:
    with pytest.raises(InvalidRequestError):
        evolve(orders(), [change])


def test_a_check_that_would_lose_its_meaning_keeps_the_type() -> None:
    with pytest.raises(PreconditionError, match="`positive`"):
        evolve(table(Check("a > 0", "positive"), a=pa.int8()), [ChangeType("a", pa.string())])


def test_a_default_must_fit_the_new_type() -> None:
    definition = evolve(orders(), [SetDefault("region", "'eu'")]).definition
    with pytest.raises(InvalidRequestError, match="DEFAULT"):
        evolve(definition, [ChangeType("region", pa.int64(), "1")])


def test_an_extension_name_goes_with_its_type() -> None:
    shape = pa.field("g", pa.binary(), metadata={"ARROW:extension:name": "geoarrow.wkb"})
    changed = with_comment(shape, "where")
    evolved = evolve(Definition(pa.schema([changed])), [ChangeType("g", pa.string(), "'x'")])
    assert evolved.definition.schema.field(0).metadata == {b"comment": b"where"}


def test_a_wider_type_keeps_what_its_field_says_about_it() -> None:
    shape = pa.field("g", pa.binary(), metadata={"ARROW:extension:name": "geoarrow.wkb"})
    geometry = Definition(pa.schema([shape]))
    assert evolve(geometry, [WidenColumn(("g",), pa.binary())]).is_noop
    wider = evolve(geometry, [WidenColumn(("g",), pa.large_binary())]).definition.schema.field(0)
    assert wider.metadata == shape.metadata
    assert (
        evolve(geometry, [ChangeType("g", pa.binary())]).definition.schema.field(0).metadata is None
    )


def test_a_column_of_nothing_cannot_be_required() -> None:
    nothing = Definition(pa.schema([pa.field("x", pa.null())]))
    with pytest.raises(InvalidRequestError, match="cannot be NOT NULL"):
        evolve(nothing, [RequireColumn("x")])


def test_not_null_is_for_the_rows_to_prove() -> None:
    evolved = evolve(orders(), [RequireColumn("REGION")])
    assert not evolved.definition.schema.field("region").nullable
    assert evolved.must_not_be_null == ("region",)


def test_what_was_not_null_before_needs_no_proof() -> None:
    assert evolve(orders(), [RequireColumn("id"), RenameColumn("id", "key")]).must_not_be_null == ()


def test_relaxing_reaches_into_structs() -> None:
    inner = pa.struct([pa.field("f", pa.int8(), nullable=False)])
    evolved = evolve(table(s=inner), [RelaxColumn(("s", "f"))])
    assert column(evolved.definition, "s") == pa.struct([("f", pa.int8())])


def test_a_key_column_stays_not_null() -> None:
    with pytest.raises(PreconditionError, match="PRIMARY KEY"):
        evolve(orders(), [RelaxColumn(("id",))])


# -- names ---------------------------------------------------------------------------------------


def test_a_rename_is_carried_into_everything_that_mentions_the_column() -> None:
    definition = Definition(
        orders().schema,
        orders().constraints,
        partitioned_by=("bucket(4, region)",),
        sorted_by=("price desc",),
    )
    evolved = evolve(
        definition,
        [
            RenameColumn("ID", "order id"),
            RenameColumn("price", "Cost"),
            RenameColumn("region", "area"),
        ],
    ).definition
    assert evolved.schema.names[:3] == ["order id", "Cost", "area"]
    assert evolved.keys == (PrimaryKey(("order id",)), Unique(("area", "Cost"), "slot"))
    assert "cost" in evolved.checks[0].expression.casefold()
    assert evolved.partitioned_by == ("bucket(4, area)",)
    assert evolved.sorted_by == ("Cost desc",)


def test_a_rename_moves_no_rows() -> None:
    evolved = evolve(orders(), [RenameColumn("price", "cost")])
    assert evolved.columns == tuple(Kept(index) for index in range(6))
    assert evolved.constraints_to_check == ()
    assert not evolved.is_noop


def test_a_column_may_change_the_case_of_its_own_name() -> None:
    assert evolve(orders(), [RenameColumn("price", "PRICE")]).definition.schema.names[1] == "PRICE"


def test_a_rename_to_another_columns_name_is_refused() -> None:
    with pytest.raises(AlreadyExistsError):
        evolve(orders(), [RenameColumn("price", "ID")])
    with pytest.raises(AlreadyExistsError):
        evolve(orders(), [RenameField(("buyer", "name"), "AGE")])


def test_an_unknown_column_is_refused_with_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="did you mean `price`"):
        evolve(orders(), [RenameColumn("prise", "x")])
    with pytest.raises(NotFoundError, match="did you mean `name`"):
        evolve(orders(), [RenameField(("buyer", "nam"), "x")])


def test_a_field_rename_is_carried_into_conditions() -> None:
    definition = table(
        "s.f > 0 AND s['f'] < 9 AND struct_extract(s, 'f') <> 5",
        s=pa.struct([("f", pa.int8()), ("g", pa.int8())]),
    )
    evolved = evolve(definition, [RenameField(("s", "f"), "h")])
    assert column(evolved.definition, "s") == pa.struct([("h", pa.int8()), ("g", pa.int8())])
    assert "f" not in evolved.definition.checks[0].expression.replace("struct_", "")


def test_fields_in_lists_and_maps_are_renamed() -> None:
    definition = table(
        "l[1].f > 0 AND m['k'].f > 0",
        l=pa.list_(pa.struct([("f", pa.int8())])),
        m=pa.map_(pa.string(), pa.struct([("f", pa.int8())])),
    )
    evolved = evolve(
        definition,
        [RenameField(("l", "element", "f"), "x"), RenameField(("m", "value", "f"), "y")],
    ).definition
    assert column(evolved, "l") == pa.list_(pa.struct([("x", pa.int8())]))
    assert column(evolved, "m") == pa.map_(pa.string(), pa.struct([("y", pa.int8())]))


# -- dropping ------------------------------------------------------------------------------------


def test_a_column_nothing_stands_on_is_dropped() -> None:
    evolved = evolve(orders(), [DropColumn("BUYER")])
    assert evolved.definition.schema.names == ["id", "price", "region", "items", "stock"]
    assert [origin(source) for source in evolved.columns] == [0, 1, 2, 4, 5]


def test_a_drop_names_all_that_stands_on_the_column() -> None:
    definition = Definition(
        orders().schema, orders().constraints, partitioned_by=("price",), sorted_by=("price desc",)
    )
    with pytest.raises(PreconditionError) as refused:
        evolve(definition, [DropColumn("price")])
    for mention in ("`positive`", "`slot`", "partition field `price`", "sort field `price desc`"):
        assert mention in refused.value.message


def test_cascade_takes_along_what_stands_on_the_column() -> None:
    definition = Definition(
        orders().schema, orders().constraints, partitioned_by=("price", "region")
    )
    evolved = evolve(definition, [DropColumn("price", cascade=True)]).definition
    assert evolved.constraints == (PrimaryKey(("id",)),)
    assert evolved.partitioned_by == ("region",)


def test_the_last_column_stays() -> None:
    with pytest.raises(PreconditionError, match="only column"):
        evolve(table(a=pa.int8()), [DropColumn("a", cascade=True)])
    with pytest.raises(PreconditionError, match="only field"):
        evolve(table(s=pa.struct([("f", pa.int8())])), [DropField(("s", "f"))])


def test_if_exists_excuses_a_missing_column_or_field() -> None:
    missing: list[Change] = [
        DropColumn("nothing", if_exists=True),
        DropField(("buyer", "nothing"), if_exists=True),
        DropField(("nothing", "at all"), if_exists=True),
    ]
    assert evolve(orders(), missing).is_noop
    with pytest.raises(NotFoundError):
        evolve(orders(), [DropColumn("nothing")])


def test_a_field_that_a_condition_reads_is_dropped_with_cascade_alone() -> None:
    definition = table("s.f > 0", s=pa.struct([("f", pa.int8()), ("g", pa.int8())]))
    with pytest.raises(PreconditionError, match="`s_check`"):
        evolve(definition, [DropField(("s", "f"))])
    assert evolve(definition, [DropField(("s", "f"), cascade=True)]).definition.checks == ()
    assert evolve(definition, [DropField(("s", "g"))]).definition.checks == definition.checks


# -- constraints, defaults, comments -------------------------------------------------------------


_INSIDE = pa.schema([pa.field("s", pa.struct([pa.field("x", pa.int32())]))])


@pytest.mark.parametrize(
    "arranged",
    [Definition(_INSIDE, partitioned_by=("s.x",)), Definition(_INSIDE, sorted_by=("s.x desc",))],
)
def test_a_column_keeps_the_fields_that_a_layout_is_worked_out_from(arranged: Definition) -> None:
    with pytest.raises(PreconditionError, match=r"s\.x"):
        evolve(arranged, [ChangeType("s", pa.string())])
    wider = pa.struct([pa.field("x", pa.int64())])
    assert evolve(arranged, [WidenColumn(("s",), wider)]).definition.schema.field("s").type == wider


def test_a_new_constraint_is_for_the_rows_to_prove() -> None:
    evolved = evolve(orders(), [AddConstraint(Check("id > 0", ""))])
    assert [c.name for c in evolved.constraints_to_check] == ["id_check"]


def test_a_new_primary_key_makes_its_columns_not_null() -> None:
    evolved = evolve(table(a=pa.int8()), [AddConstraint(PrimaryKey(("A",)))])
    assert evolved.must_not_be_null == ("a",)
    assert evolved.constraints_to_check == (PrimaryKey(("a",)),)


def test_a_constraint_is_dropped_by_name() -> None:
    evolved = evolve(orders(), [DropConstraint("POSITIVE")])
    assert evolved.definition.checks == ()
    with pytest.raises(NotFoundError, match="did you mean `positive`"):
        evolve(orders(), [DropConstraint("positiv")])


def test_a_dropped_primary_key_leaves_its_column_not_null() -> None:
    evolved = evolve(orders(), [DropConstraint("primary key")]).definition
    assert not evolved.schema.field("id").nullable


def test_defaults_and_comments_move_no_rows() -> None:
    evolved = evolve(
        orders(),
        [SetDefault("Region", "'eu'"), SetComment("region", "where"), SetComment(None, "all")],
    )
    region = evolved.definition.schema.field("region")
    assert (default_of(region), comment_of(region)) == ("'eu'", "where")
    assert evolved.definition.comment == "all"
    assert not evolved.rewrites_rows
    assert not evolved.is_noop
    gone = evolve(evolved.definition, [SetDefault("region", None), SetComment("region", None)])
    assert gone.definition.schema.field("region").metadata is None


@pytest.mark.parametrize("default", ["now()", "price", "'x'", "1 +"])
def test_a_default_that_is_no_constant_of_the_type_is_refused(default: str) -> None:
    with pytest.raises(InvalidRequestError):
        evolve(orders(), [SetDefault("id", default)])


# -- several changes -----------------------------------------------------------------------------


def test_later_changes_see_what_earlier_ones_left() -> None:
    evolved = evolve(
        orders(),
        [
            RenameColumn("price", "cost"),
            AddColumn(with_default(pa.field("rate", pa.float64()), "2.0")),
            ChangeType("cost", pa.float64(), "cost * rate"),
            DropColumn("rate"),
        ],
    )
    assert evolved.definition.schema.names[1] == "cost"
    assert origin(evolved.columns[1]) == 1


def test_a_column_that_is_dropped_and_added_again_is_a_new_one() -> None:
    evolved = evolve(
        orders(), [DropColumn("buyer"), AddColumn(pa.field("buyer", column(orders(), "buyer")))]
    )
    assert origin(evolved.columns[-1]) is None
    assert not evolved.is_noop


def test_nothing_to_do_is_a_noop() -> None:
    assert evolve(orders(), []).is_noop


def test_a_refused_change_refuses_them_all() -> None:
    with pytest.raises(NotFoundError):
        evolve(orders(), [DropColumn("buyer"), DropColumn("buyer")])


_NAMES = st.sampled_from(["id", "price", "region", "buyer", "items", "stock", "a", "B", "ID"])
_TYPES = st.sampled_from([pa.int64(), pa.float64(), pa.string(), pa.large_string()])
_PATHS = st.sampled_from(
    [("buyer",), ("items", "element"), ("stock", "value"), ("id",), ("buyer", "age")]
)
growths: st.SearchStrategy[Growth] = st.one_of(
    st.builds(AddColumn, st.builds(pa.field, _NAMES, _TYPES), if_absent=st.booleans()),
    st.builds(AddField, _PATHS, st.builds(pa.field, _NAMES, _TYPES), if_absent=st.booleans()),
    st.builds(WidenColumn, _PATHS, _TYPES),
    st.builds(RelaxColumn, _PATHS),
)


def _paths(data_type: pa.DataType, prefix: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    found = {prefix}
    for index in range(data_type.num_fields):
        child = data_type.field(index)
        found |= _paths(child.type, (*prefix, fold(child.name)))
    return found


@given(changes=st.lists(growths, max_size=6))
@settings(max_examples=150, derandomize=True)
def test_growth_never_loses_a_column_or_field(changes: list[Growth]) -> None:
    definition = orders()
    for change in changes:
        try:
            evolved: Evolution = evolve(definition, [change])
        except LakeportError:
            continue
        before, after = pa.struct(definition.schema), pa.struct(evolved.definition.schema)
        assert _paths(before) <= _paths(after)
        kept = [origin(source) for source in evolved.columns]
        assert kept[: len(definition.schema)] == list(range(len(definition.schema)))
        assert not evolved.rewrites_rows
        definition = evolved.definition


def test_every_change_there_is_can_be_planned() -> None:
    planned = {
        type(change)
        for change in (
            AddColumn(pa.field("x", pa.int8())),
            AddField(("buyer",), pa.field("x", pa.int8())),
            WidenColumn(("id",), pa.int64()),
            RelaxColumn(("price",)),
            RequireColumn("price"),
            RenameColumn("price", "x"),
            RenameField(("buyer", "age"), "x"),
            DropColumn("buyer"),
            DropField(("buyer", "age")),
            ChangeType("price", pa.float64()),
            SetDefault("price", "1"),
            SetComment("price", "x"),
            AddConstraint(Check("id > 0", "x")),
            DropConstraint("slot"),
        )
        if not evolve(orders(), [change]).is_noop or isinstance(change, RelaxColumn)
    }
    assert planned == set(get_args(Change))
