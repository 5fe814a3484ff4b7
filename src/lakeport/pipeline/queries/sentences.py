"""What Spark and the growth door say, for the author of a model: without what is meant for other people."""

from __future__ import annotations

import re

# Spark counts in the text that we made of the query; where it is in the author's file is told before.
_TAIL = re.compile(
    r"\.?\s*SQLSTATE: \w{5}(?:;\s*|\s*\()?(?:line \d+,? pos(?:ition)? \d+)?[;)]*\s*\Z"
)
_NO_COLUMN = re.compile(
    r"\[UNRESOLVED_COLUMN[\w.]*\] .*? with name (?P<name>`.*?`) cannot be resolved"
    r"(?:\. Did you mean one of the following\? \[(?P<near>.*?)\])?",
    re.DOTALL,
)
_MALFORMED = "Malformed request: "
_TOKEN = "; use a token without `--growth`"  # noqa: S105  it is a piece of a sentence


def in_short(sentence: str) -> tuple[str, str | None]:
    """The same in fewer words; what to do, if it tells."""
    missing = _NO_COLUMN.search(sentence)
    if missing is None:
        return _TAIL.sub("", sentence.removeprefix(_MALFORMED).replace(_TOKEN, "")), None
    near = missing["near"].split(", ") if missing["near"] else []
    return f"there is no column {missing['name']}", _or(near) if near else None


def _or(names: list[str]) -> str:
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    return f"did you mean {listed}?"
