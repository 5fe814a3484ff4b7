"""What a client is told of a change that failed, in the four ways that matter to it.

Refused: the request, or the state of the catalog, is in the way. Lost (`ConflictError`): somebody else was
faster. Busy (`LimitError`): not done, wait and send it again. Unknown (`OutcomeUnknownError`): it may have
been made. Only the last leaves that open, and it is never told of what was surely not applied.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyiceberg.exceptions import (
    BadRequestError,
    NamespaceAlreadyExistsError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)

from lakeport.catalog.engines import OutcomeUnknownError
from lakeport.catalog.iceberg.commit.outcome import Outcome, outcome_of
from lakeport.catalog.iceberg.create import taken
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.failures import (
    asking,
    dropped_table,
    is_busy,
    plain,
    refusal,
    writing,
)
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.core.errors import (
    AlreadyExistsError,
    ConflictError,
    InvalidRequestError,
    LakeportError,
    LimitError,
    NotFoundError,
)
from lakeport.core.names import TableName, quoted


@contextmanager
def changing(surroundings: Surroundings, name: TableName) -> Iterator[None]:
    """Around one change of a table, or of a namespace, whose name has no second part."""
    try:
        with asking(surroundings.profile), writing(f"the metadata of {_shown(name)}"):
            try:
                yield
            except LakeportError:
                raise
            except Exception as error:
                told = _told(surroundings, name, error)
                if told is None:
                    raise
                raise told from error
    finally:
        surroundings.pointers.forget()  # what was remembered is wrong, whatever came of it


def _told(surroundings: Surroundings, name: TableName, error: Exception) -> LakeportError | None:
    if isinstance(error, TableAlreadyExistsError):
        return taken(name)
    if isinstance(error, NamespaceAlreadyExistsError):
        return AlreadyExistsError(f"there is already a namespace {quoted(name.namespace)}")
    if isinstance(error, NoSuchNamespaceError):
        return NotFoundError(
            f"there is no namespace {quoted(name.namespace)}", hint="create it first"
        )
    if isinstance(error, NoSuchTableError):
        return dropped_table(name)
    if is_busy(error):
        busy = refusal(surroundings.profile, error)
        return LimitError(busy.message, hint=busy.hint, outside=busy.outside)
    is_local = isinstance(surroundings.native, PatientSqlCatalog)
    match outcome_of(error, is_local=is_local):
        case Outcome.LOST:
            return ConflictError(
                f"{_shown(name)} was changed by somebody else",
                hint="load the table again, and repeat the change if it still makes sense",
            )
        case Outcome.UNKNOWN:
            return OutcomeUnknownError(
                f"the catalog did not say whether the change of {_shown(name)} was made",
                hint="look at the table before you repeat it",
            )
        case Outcome.REFUSED if isinstance(error, BadRequestError):
            return InvalidRequestError(f"the catalog behind this one refused it: {plain(error)}")
        case Outcome.REFUSED:
            return None


def _shown(name: TableName) -> str:
    return quoted(str(name) if name.table else name.namespace)
