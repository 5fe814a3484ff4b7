"""Updates of what a table is: schemas, partition specs, sort orders, properties, location, format."""

from __future__ import annotations

from collections.abc import Mapping

from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER, SortOrder

from lakeport.catalog.iceberg.door import messages
from lakeport.catalog.iceberg.door.draft import LAST_ADDED, Draft, require_known
from lakeport.catalog.iceberg.door.parts import (
    FORMAT,
    bound,
    check_format,
    order_of,
    schema_of,
    spec_of,
)
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted


def assign_uuid(draft: Draft, update: messages.AssignUuid) -> None:
    if update.uuid == draft.uuid:
        return
    if not draft.is_new:
        raise InvalidRequestError(
            "a table keeps its uuid for ever", hint="leave `assign-uuid` out, or make a new table"
        )
    draft.uuid = update.uuid
    draft.is_changed = True


def upgrade_format_version(draft: Draft, update: messages.UpgradeFormatVersion) -> None:
    check_format(update.format_version)
    if update.format_version < draft.format_version:
        raise InvalidRequestError(
            f"a table of format {draft.format_version} cannot become one of format"
            f" {update.format_version}"
        )
    if update.format_version != draft.format_version:
        draft.format_version = update.format_version
        draft.is_changed = True


def set_location(draft: Draft, update: messages.SetLocation) -> None:
    location = update.location.rstrip("/")
    if location != draft.location:
        draft.location = location
        draft.is_changed = True


def set_properties(draft: Draft, update: messages.SetProperties) -> None:
    for given in (update.updates, update.updated):
        kept = _kept(draft, given) if given else {}
        if kept:
            draft.properties.update(kept)
            draft.is_changed = True


def remove_properties(draft: Draft, update: messages.RemoveProperties) -> None:
    for keys in (update.removals, update.removed):
        for key in keys or ():
            if draft.properties.pop(key, None) is not None:
                draft.is_changed = True


def _kept(draft: Draft, given: Mapping[str, str]) -> dict[str, str]:
    """But for the format, which is no property of a table though engines let users write it as one."""
    wanted = given.get(FORMAT, str(draft.format_version))
    if wanted != str(draft.format_version):
        raise InvalidRequestError(
            f"the property {quoted(FORMAT)} does not make it a table of format {wanted}",
            hint="send the update `upgrade-format-version`; formats 1 and 2 can be written here",
        )
    return {key: value for key, value in given.items() if key != FORMAT}


# -- schemas -------------------------------------------------------------------------------------


def add_schema(draft: Draft, update: messages.AddSchema) -> None:
    schema = schema_of(update.schema, draft.format_version)
    same = next((each for each in draft.schemas if each == schema), None)
    if same is None:
        known = {each.schema_id for each in draft.schemas}
        number = _free(schema.schema_id, known, first=0)
        same = Schema(
            *schema.fields, schema_id=number, identifier_field_ids=schema.identifier_field_ids
        )
        draft.schemas.append(same)
        draft.is_changed = True
    last = max(draft.last_column_id, schema.highest_field_id)
    if last != draft.last_column_id:
        draft.last_column_id = last
        draft.is_changed = True
    draft.added_schema_id = same.schema_id


def set_current_schema(draft: Draft, update: messages.SetCurrentSchema) -> None:
    number = _meant(update.schema_id, draft.added_schema_id, "schema")
    require_known(
        is_known=any(each.schema_id == number for each in draft.schemas), what=f"schema {number}"
    )
    if number != draft.current_schema_id:
        draft.current_schema_id = number
        draft.is_changed = True


def remove_schemas(draft: Draft, update: messages.RemoveSchemas) -> None:
    doomed = set(update.schema_ids)
    used = {snapshot.schema_id for snapshot in draft.snapshots} | {draft.current_schema_id}
    if doomed & used:
        raise InvalidRequestError(
            f"schema {min(doomed & used)} is the current one, or that of a snapshot",
            hint="only schemas that nothing needs can be removed",
        )
    kept = [each for each in draft.schemas if each.schema_id not in doomed]
    draft.is_changed |= len(kept) != len(draft.schemas)
    draft.schemas = kept


# -- partition specs -----------------------------------------------------------------------------


def add_spec(draft: Draft, update: messages.AddSpec) -> None:
    spec = spec_of(update.spec)
    same = next((each for each in draft.specs if _terms(each) == _terms(spec)), None)
    if same is None:
        spec = bound(spec, draft.last_partition_id)
        number = _free(spec.spec_id, {each.spec_id for each in draft.specs}, first=0)
        same = PartitionSpec(*spec.fields, spec_id=number)
        draft.specs.append(same)
        draft.last_partition_id = max(draft.last_partition_id or 0, same.last_assigned_field_id)
        draft.is_changed = True
    draft.added_spec_id = same.spec_id


def set_default_spec(draft: Draft, update: messages.SetDefaultSpec) -> None:
    number = _meant(update.spec_id, draft.added_spec_id, "partition spec")
    known = {each.spec_id for each in draft.specs}
    require_known(is_known=number in known, what=f"partition spec {number}")
    if number != draft.default_spec_id:
        draft.default_spec_id = number
        draft.is_changed = True


def remove_partition_specs(draft: Draft, update: messages.RemovePartitionSpecs) -> None:
    doomed = set(update.spec_ids)
    if draft.default_spec_id in doomed:
        raise InvalidRequestError(
            f"partition spec {draft.default_spec_id} is the default",
            hint="make another one the default first",
        )
    kept = [each for each in draft.specs if each.spec_id not in doomed]
    draft.is_changed |= len(kept) != len(draft.specs)
    draft.specs = kept


def _terms(spec: PartitionSpec) -> list[tuple[int, str, str]]:
    return [(each.source_id, str(each.transform), each.name) for each in spec.fields]


# -- sort orders ---------------------------------------------------------------------------------


def add_sort_order(draft: Draft, update: messages.AddSortOrder) -> None:
    order = order_of(update.sort_order)
    same = next((each for each in draft.orders if each.fields == order.fields), None)
    if same is None:
        same = UNSORTED_SORT_ORDER if order.is_unsorted else _numbered(draft, order)
        draft.orders.append(same)
        draft.is_changed = True
    draft.added_order_id = same.order_id


def set_default_sort_order(draft: Draft, update: messages.SetDefaultSortOrder) -> None:
    number = _meant(update.sort_order_id, draft.added_order_id, "sort order")
    known = {each.order_id for each in draft.orders}
    require_known(is_known=number in known, what=f"sort order {number}")
    if number != draft.default_order_id:
        draft.default_order_id = number
        draft.is_changed = True


def _numbered(draft: Draft, order: SortOrder) -> SortOrder:
    number = _free(order.order_id, {each.order_id for each in draft.orders}, first=1)
    return SortOrder(*order.fields, order_id=number)


def _free(wanted: int, known: set[int], *, first: int) -> int:
    """The id that was asked for, if it can be had."""
    if wanted >= first and wanted not in known:
        return wanted
    return max(known, default=first - 1) + 1 if known else first


def _meant(number: int, added: int | None, what: str) -> int:
    if number != LAST_ADDED:
        return number
    if added is None:
        raise InvalidRequestError(
            f"-1 means the {what} that was added last, and none was", hint=f"add the {what} first"
        )
    return added
