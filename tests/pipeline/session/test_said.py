from __future__ import annotations

import pytest

from lakeport.pipeline.session import Cause, Position, causes, position, said

# As PySpark 4.1.4 gives them, cut to what matters.
_CALLED = """An error occurred while calling o36.sql.
: org.apache.iceberg.exceptions.BadRequestException: Malformed request: column `b` would be dropped
\tat org.apache.iceberg.rest.ErrorHandlers$DefaultErrorHandler.accept(ErrorHandlers.java:249)
"""
_WRITING = """An error occurred while calling o71.sql.
: org.apache.spark.SparkException: Writing job aborted
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.writingJobAborted(Errors.scala:1)
Caused by: org.apache.iceberg.exceptions.ValidationException: Found new conflicting delete files
\tat org.apache.iceberg.exceptions.ValidationException.check(ValidationException.java:49)
\t... 40 more
"""
_CONNECT = """(org.apache.iceberg.exceptions.CommitFailedException) Requirement failed: branch main

JVM stacktrace:
org.apache.iceberg.exceptions.CommitFailedException
\tat org.apache.iceberg.rest.ErrorHandlers.accept(ErrorHandlers.java:97)
"""
_CUT = """<_MultiThreadedRendezvous of RPC that terminated with:
\tstatus = StatusCode.UNAVAILABLE
\tdetails = "failed to connect to all addresses"
\tdebug_error_string = "UNAVAILABLE:failed to connect"
>"""
_PARSING = """
[PARSE_SYNTAX_ERROR] Syntax error at or near 'selec'. SQLSTATE: 42601 (line 1, pos 0)

== SQL ==
selec
"""

_WORKER = """
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/somewhere/models/shop/orders.py", line 6, in boom
    raise ValueError('no luck')
  File "/usr/lib/python3/site-packages/numpy/core.py", line 1, in inner
    raise ValueError('no luck')
ValueError: no luck

JVM stacktrace:
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
\tat org.apache.spark.api.python
"""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (_CALLED, "Malformed request: column `b` would be dropped"),
        (_WRITING, "Writing job aborted: Found new conflicting delete files"),
        (_CONNECT, "Requirement failed: branch main"),
        (_PARSING, "[PARSE_SYNTAX_ERROR] Syntax error at or near 'selec'. SQLSTATE: 42601 (line 1, pos 0)"),
        (_CUT, "failed to connect to all addresses"),
        (_WORKER, "orders.py:6: ValueError: no luck"),
        ("", "RuntimeError"),
    ],
)  # fmt: skip
def test_one_line_is_said_without_java_s_stack(text: str, sentence: str) -> None:
    assert said(RuntimeError(text)) == sentence


def test_causes_are_told_from_the_top_to_the_bottom() -> None:
    assert causes(RuntimeError(_WRITING)) == (
        Cause("SparkException", "Writing job aborted"),
        Cause("ValidationException", "Found new conflicting delete files"),
    )


def test_an_error_of_python_is_its_own_cause() -> None:
    assert causes(ValueError("no\nmore")) == (Cause("ValueError", "no"),)


_COMPUTING = """[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012
== SQL (line 12, position 40) ==
... many words, id / 0 AS x FROM `lake`...
                ^^^^^^

\tat org.apache.spark.sql.errors.QueryExecutionErrors$.divideByZeroError(QueryExecutionErrors.scala:198)
"""
_IN_VIEW = _COMPUTING.replace("== SQL (", "== SQL of VIEW lake.shop.v (")
_ANALYSING = "[UNRESOLVED_COLUMN] no column. SQLSTATE: 42703; line 3 pos 2;\n'Project ['nme]"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (_PARSING, Position(1, 1)),
        (_ANALYSING, Position(3, 3)),
        (_COMPUTING, Position(12, 40, "id / 0")),
        (_IN_VIEW, None),
        (_WRITING, None),
        ("he said: line 3 pos 2", None),
    ],
)
def test_where_in_the_text_is_told_from_1_on(text: str, found: Position | None) -> None:
    assert position(RuntimeError(text)) == found
