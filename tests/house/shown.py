"""What a page shows of a run, without what is new each time: durations, ids, ports, moments."""

from __future__ import annotations

import re

_NEW = (
    (re.compile(r"(?:\d+ min )?\d+(?:\.\d+)? s\b"), "TIME"),
    (re.compile(r"\brun [0-9a-f]{32}\b"), "run ID"),
    (re.compile(r"\b\d{15,19}\b"), "SNAPSHOT"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "MOMENT"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"[ \t]+"), " "),
)


def plain(text: str) -> list[str]:
    for pattern, word in _NEW:
        text = pattern.sub(word, text)
    return [line.rstrip() for line in text.splitlines()]
