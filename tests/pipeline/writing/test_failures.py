"""What a failed statement means, by the words that PySpark, Py4J and Spark Connect hand on."""

from __future__ import annotations

import pytest

from lakeport.core.errors import (
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
    UnavailableError,
)
from lakeport.core.names import TableName
from lakeport.pipeline.console import SparkError
from lakeport.pipeline.writing.failures import (
    Meaning,
    is_unknown,
    meaning,
    of_query,
    of_statement,
)

TABLE = TableName("shop", "orders")
ICEBERG = "org.apache.iceberg.exceptions"
NO_SCHEME = 'Failed to get file system for path: s3://b/f: No FileSystem for scheme "s3"'
CALLING = "An error occurred while calling o95.sql.\n: "


def failed(text: str) -> SparkError:
    return SparkError(Exception(text))


@pytest.mark.parametrize(
    "text",
    [
        f"{CALLING}{ICEBERG}.CommitFailedException: Commit failed: overtaken\n\tat x",
        f"[WRITE] Writing job aborted\n\tat x\nCaused by: {ICEBERG}.ValidationException: Found files",
        "(org.apache.iceberg.exceptions.ValidationException) Found conflicting files",
        f"{CALLING}java.lang.IllegalArgumentException: Cannot fast-forward: main is not an ancestor of b",
    ],
)
def test_who_was_overtaken_may_try_again(text: str) -> None:
    assert meaning(failed(text)) is Meaning.CONFLICT


@pytest.mark.parametrize(
    "text",
    [
        f"{CALLING}{ICEBERG}.CommitStateUnknownException: gateway timeout\n\tat x",
        # What the answer was is lost, whatever the conflict behind it says.
        f"{CALLING}{ICEBERG}.CommitStateUnknownException: lost\nCaused by: {ICEBERG}.CommitFailedException: x",
        "Answer from Java side is empty",
        "[CAST_INVALID_INPUT] The value 'x' cannot be cast",
    ],
)
def test_everything_else_is_looked_up_in_the_table_first(text: str) -> None:
    assert meaning(failed(text)) is Meaning.UNSURE


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        (f"{CALLING}{ICEBERG}.CommitStateUnknownException: gateway timeout\n\tat x", True),
        (f"{CALLING}{ICEBERG}.RESTException: Error occurred while processing POST request\n", True),
        (f"{CALLING}{ICEBERG}.RESTException: Error occurred while processing GET request\n", False),
        ("[CAST_INVALID_INPUT] The value 'x' cannot be cast", False),
    ],
)
def test_a_commit_without_an_answer_may_be_made_yet(text: str, *, unknown: bool) -> None:
    assert is_unknown(failed(text)) is unknown


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        (
            f"{CALLING}{ICEBERG}.BadRequestException: Malformed request: column `v` would be dropped (a hint)",
            InvalidRequestError,
            "column `v` would be dropped (a hint)",
        ),
        (
            f"{CALLING}{ICEBERG}.ForbiddenException: `ann` has no grant\n\tat x",
            PermissionDeniedError,
            "`ann` has no grant",
        ),
        (
            f"{CALLING}{ICEBERG}.NoSuchTableException: Table does not exist: s.t\n\tat x",
            NotFoundError,
            "Table does not exist: s.t",
        ),
        (
            "[CAST_INVALID_INPUT] The value 'x' cannot be cast. SQLSTATE: 22018\n\tat x",
            InvalidRequestError,
            "table `shop.orders` was not written: [CAST_INVALID_INPUT] The value 'x' cannot be cast",
        ),
        (
            "Job aborted due to stage failure: No space left on device\n\tat x",
            UnavailableError,
            "table `shop.orders` was not written: Job aborted due to stage failure",
        ),
    ],
)
def test_a_user_is_told_one_sentence(text: str, kind: type[LakeportError], told: str) -> None:
    error = of_statement(failed(text), TABLE, "spark.log")
    assert type(error) is kind
    assert error.message.startswith(told)
    assert "\n" not in str(error)


def test_a_spark_that_ended_is_the_reason_for_everything() -> None:
    gone = UnavailableError("Spark has ended", hint="run it again")
    error = SparkError(ConnectionError("refused"), gone)
    assert of_query(error, "spark.log") is gone
    assert of_statement(error, TABLE, "spark.log") is gone
    assert is_unknown(error)


def test_secrets_in_what_spark_says_are_masked() -> None:
    text = "cannot reach https://user:hunter2@catalog.example.com/v1"
    assert "hunter2" not in of_query(failed(text), "spark.log").message


@pytest.mark.parametrize(
    "text",
    [
        f"{CALLING}a.SparkException: Job aborted\nCaused by: java.io.IOException: {NO_SCHEME}",
        f"{CALLING}java.lang.NoClassDefFoundError: software/amazon/awssdk/services/s3/model/S3Exception",
    ],
)
def test_a_spark_that_cannot_open_files_in_s3_is_told_how(text: str) -> None:
    for told in (
        of_query(failed(text), "spark.log"),
        of_statement(failed(text), TABLE, "spark.log"),
    ):
        assert isinstance(told, PreconditionError)
        assert "lacks the jar" in told.message
        assert "iceberg-aws-bundle-1.12.0.jar in `pipeline.jars`" in str(told.hint)
