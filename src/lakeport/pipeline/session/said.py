"""What Spark, Iceberg and Java say when something fails, without the stack they say it with.

The exceptions of PySpark, Py4J and Spark Connect differ, but each has Java's own text in it, where a
class, a message and further causes stand in a row; so they are read from there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CLASS = r"(?:[a-z_][\w$]*\.)+[A-Z][\w$]*"
_CAUSE = re.compile(
    rf"^(?:: |Caused by: |\((?={_CLASS}\)))(?P<kind>{_CLASS})\)?:? ?(?P<message>.*)$", re.MULTILINE
)
_CALLING = "An error occurred while calling "
_GRPC = re.compile(
    r'^<.* of RPC that terminated with:.*?details = "(?P<message>[^"\n]*)"', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Cause:
    """`kind` is a class without its package, of Java's or Python's."""

    kind: str
    message: str


def causes(error: BaseException) -> tuple[Cause, ...]:
    """From what was noticed first to what was at the bottom of it."""
    text = str(error).strip()
    cut = _GRPC.match(text)
    if cut is not None:  # the server gave no answer, so nothing of Java's is in it
        return (Cause(type(error).__name__, cut["message"]),)
    found = [
        Cause(match["kind"].rpartition(".")[2], match["message"].strip())
        for match in _CAUSE.finditer(text)
    ]
    first = text.partition("\n")[0].strip()
    if first and not first.startswith((_CALLING, "(")):
        found.insert(0, Cause(type(error).__name__, first))
    return tuple(found) or (Cause(type(error).__name__, first),)


def said(error: BaseException) -> str:
    """One line: the first message, and the last where it says something else."""
    told = [cause.message for cause in causes(error) if cause.message]
    if not told:
        return type(error).__name__
    first, last = told[0], told[-1]
    return first if last in first else f"{first}: {last}"
