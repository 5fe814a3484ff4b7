"""What a failed statement means for the write: try again, look first, or say it.

Iceberg repeats commits that were merely overtaken by itself; what reaches us is a conflict with rows that
others changed, or an answer that got lost.
"""

from __future__ import annotations

from enum import Enum, auto

from lakeport.core.errors import (
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
    UnavailableError,
)
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.console import SparkError
from lakeport.pipeline.session.jars import AWS, VERSIONS, Artifact

_OVERTAKEN = ("CommitFailedException", "ValidationException")
_REFUSED = ("BadRequestException",)
_FORBIDDEN = ("ForbiddenException", "NotAuthorizedException")
_MALFORMED = "Malformed request: "
_POST = "processing POST request"  # how Iceberg tells that it got no answer to one
_NO_ANCESTOR = "not an ancestor"  # how Iceberg refuses to move a branch that others moved
_NO_S3 = ('No FileSystem for scheme "s3', "software/amazon/awssdk/")  # of writers, of readers

OF_QUERY = "Spark cannot run the query: "
"""How the sentence begins that is about a query, and not about a table."""


class QueryError(InvalidRequestError):
    """What Spark has against a query. `position` is in the text that it was given."""

    def __init__(self, error: SparkError, log: object) -> None:
        super().__init__(f"{OF_QUERY}{error.sentence}", hint=f"all of what it said is in {log}")
        self.position = error.position


class Meaning(Enum):
    CONFLICT = auto()
    """It was not applied, and may be on the table as it is now."""
    UNSURE = auto()
    """Whether it was applied only the table knows."""


def meaning(error: SparkError) -> Meaning:
    if error.cause("CommitStateUnknownException"):
        return Meaning.UNSURE
    if error.cause(*_OVERTAKEN):
        return Meaning.CONFLICT
    if any(_NO_ANCESTOR in cause.message for cause in error.causes):
        return Meaning.CONFLICT
    return Meaning.UNSURE


def is_unknown(error: SparkError) -> bool:
    """Whether a commit may be on its way still, so that its absence now says nothing about later."""
    if error.gone is not None or error.cause("CommitStateUnknownException"):
        return True
    unanswered = error.cause("RESTException")
    return unanswered is not None and _POST in unanswered.message


def of_query(error: SparkError, log: object) -> LakeportError:
    """Of a query that cannot be analysed or computed: its author's to put right, mostly."""
    return _known(error) or QueryError(error, log)


def of_statement(error: SparkError, table: TableName, log: object) -> LakeportError:
    known = _known(error)
    if known is not None:
        return known
    sentence = f"table {quoted(str(table))} was not written: {error.sentence}"
    hint = f"all of what Spark said is in {log}"
    # Spark names what is wrong with a statement or a value; the rest is about machines.
    if any(cause.message.startswith("[") for cause in error.causes):
        return InvalidRequestError(sentence, hint=hint)
    return UnavailableError(sentence, hint=hint)


def _known(error: SparkError) -> LakeportError | None:
    if error.gone is not None:
        return error.gone
    if any(text in cause.message for cause in error.causes for text in _NO_S3):
        return _without_s3()
    refused = error.cause(*_REFUSED)
    if refused is not None:
        return InvalidRequestError(refused.message.removeprefix(_MALFORMED))
    forbidden = error.cause(*_FORBIDDEN)
    if forbidden is not None:
        return PermissionDeniedError(forbidden.message)
    missing = error.cause("NoSuchTableException", "NoSuchNamespaceException")
    return None if missing is None else NotFoundError(missing.message)


def _without_s3() -> LakeportError:
    jar = Artifact(AWS, VERSIONS[0])
    return PreconditionError(
        "the table's files are in S3, and Spark lacks the jar that opens them",
        hint=f"name {jar.file} in `pipeline.jars`, too, or leave that empty and set `s3.region` in"
        f" `[catalog]`: then it is fetched; start a Spark of your own with --packages {jar.coordinates}",
    )
