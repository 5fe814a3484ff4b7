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
_WORKER = "An exception was thrown from the Python worker"
_TRACEBACK = re.compile(
    r"^Traceback \(most recent call last\):\n(?P<frames>(?:[ \t].*\n)*)(?P<last>\S.*)$",
    re.MULTILINE,
)
_FRAME = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+)', re.MULTILINE)


# Of a text that cannot be understood, columns count from 0.
_READING = re.compile(
    r"SQLSTATE: \w{5}(?:;\s*|\s*\()line (?P<line>\d+),? pos(?:ition)? (?P<column>\d+)"
)
# Of a value that cannot be computed they count from 1; one in the text of a view is told otherwise.
_COMPUTING = re.compile(
    r"^== SQL \(line (?P<line>\d+), position (?P<column>\d+)\) ==\n(?P<shown>.*)\n(?P<before> *)(?P<under>\^+)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Position:
    """In the text that Spark was given; both count from 1. `fragment` is what it found there."""

    line: int
    column: int
    fragment: str = ""


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
    if any(message.startswith(_WORKER) for message in told):
        return _raised(str(error)) or first
    return first if last in first else f"{first}: {last}"


def position(error: BaseException) -> Position | None:
    text = str(error)
    found = _READING.search(text)
    if found is not None:
        return Position(int(found["line"]), int(found["column"]) + 1)
    found = _COMPUTING.search(text)
    if found is None:
        return None
    start = len(found["before"])
    fragment = found["shown"][start : start + len(found["under"])]
    return Position(int(found["line"]), int(found["column"]), fragment)


def _raised(text: str) -> str | None:
    """What Python raised in one of Spark's workers, and where in the author's own file."""
    found = _TRACEBACK.search(text)
    if found is None:
        return None
    own = [
        f"{frame['file'].replace(chr(92), '/').rpartition('/')[2]}:{frame['line']}"
        for frame in _FRAME.finditer(found["frames"])
        if "pyspark" not in frame["file"] and "site-packages" not in frame["file"]
    ]
    return f"{own[-1]}: {found['last']}" if own else found["last"]
