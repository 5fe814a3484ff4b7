"""What a commit asks of the table as it is: not met means that somebody else was faster.

The words that say so are those of Iceberg's reference implementation: engines' own tests look for them.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.iceberg.door import messages
from lakeport.core.errors import ConflictError, InvalidRequestError
from lakeport.core.names import TableName, quoted

_RETRY = "load the table again, and repeat the change if it still makes sense"


def creates(requirements: Iterable[messages.AnyRequirement]) -> bool:
    """Whether a table is to be made. Then nothing else can be asked of it."""
    kinds = {type(requirement) for requirement in requirements}
    if messages.AssertCreate not in kinds:
        return False
    if len(kinds) > 1:
        raise InvalidRequestError(
            "`assert-create` is met by no table, and another requirement by none that is not there",
            hint="leave one of them out",
        )
    return True


def check(
    name: TableName, metadata: TableMetadata, requirements: Iterable[messages.AnyRequirement]
) -> None:
    for requirement in requirements:
        reason = _why_not(metadata, requirement)
        if reason is not None:
            message = f"Requirement failed: {reason} (table {quoted(str(name))})"
            raise ConflictError(message, hint=_RETRY)


def _why_not(metadata: TableMetadata, requirement: messages.AnyRequirement) -> str | None:
    match requirement:
        case messages.AssertCreate():
            return "table already exists"
        case messages.AssertTableUuid(uuid):
            return _differs("UUID does not match", uuid, metadata.table_uuid)
        case messages.AssertRefSnapshotId(ref, snapshot_id):
            return _moved(metadata, ref, snapshot_id)
        case messages.AssertLastAssignedFieldId(number):
            return _differs("last assigned field id changed", number, metadata.last_column_id)
        case messages.AssertCurrentSchemaId(number):
            return _differs("current schema changed", number, metadata.current_schema_id)
        case messages.AssertLastAssignedPartitionId(number):
            return _differs(
                "last assigned partition id changed", number, metadata.last_partition_id
            )
        case messages.AssertDefaultSpecId(number):
            return _differs("default partition spec changed", number, metadata.default_spec_id)
        case messages.AssertDefaultSortOrderId(number):
            return _differs("default sort order changed", number, metadata.default_sort_order_id)


def _differs(what: str, expected: object, found: object) -> str | None:
    return None if expected == found else f"{what}: expected {expected}, found {found}"


def _moved(metadata: TableMetadata, ref: str, expected: int | None) -> str | None:
    found = metadata.refs.get(ref)
    if found is None:
        return None if expected is None else f"branch or tag {ref} is missing, expected {expected}"
    if expected is None:
        return f"{found.snapshot_ref_type} {ref} was created concurrently"
    if found.snapshot_id == expected:
        return None
    return _differs(f"{found.snapshot_ref_type} {ref} has changed", expected, found.snapshot_id)
