"""Files of dbt that hold several snapshots: each is a model of its own, at the lines where it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from lakeport.lineage.request import SourceFile

_TAG = re.compile(r"\{%[-+]?\s*(end)?snapshot\b[^%}]*%\}")
# Each gets a text of its own that is as long as the file has lines.
_MOST = 100


def each_snapshot(file: SourceFile) -> list[SourceFile]:
    """The file once for each of its snapshots, without the others; as it is if it has no two."""
    blocks = _blocks(file.content) if "endsnapshot" in file.content else []
    if not 1 < len(blocks) <= _MOST:
        return [file]
    return [replace(file, content=_with_one(file.content, blocks, block)) for block in blocks]


def _blocks(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    begin = -1
    for tag in _TAG.finditer(text):
        if tag[1] is None:
            begin = tag.start()
        elif begin >= 0:
            found.append((begin, tag.end()))
            begin = -1
    return found


def _with_one(text: str, blocks: list[tuple[int, int]], kept: tuple[int, int]) -> str:
    pieces: list[str] = []
    at = 0
    for begin, end in blocks:
        if (begin, end) != kept:
            pieces += [text[at:begin], "\n" * text.count("\n", begin, end)]
            at = end
    return "".join([*pieces, text[at:]])
