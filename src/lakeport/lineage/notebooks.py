"""Notebooks of Databricks as text: cells of SQL and of other languages behind `-- COMMAND ----------`.

A mark ends a statement as a semicolon does; a cell that begins with `%python` or `%md` holds none.
Every position stays as it was.
"""

from __future__ import annotations

import re

_DIALECTS = frozenset({"databricks", "spark"})
_MARK = re.compile(r"^--[ \t]*COMMAND[ \t]*-{5,}[ \t\r]*$", re.MULTILINE)
_MAGIC = re.compile(r"(?:\s|--[^\n]*(?:\n|\Z))*(%[a-z]+)", re.IGNORECASE)


def is_notebook(text: str, lowered: str, parser: str) -> bool:
    """Whether there are cells, or one cell that names its language."""
    if parser not in _DIALECTS:
        return False
    return "-- command ---" in lowered or text.lstrip()[:1] == "%"


def with_cells_parted(text: str) -> str:
    """The text with its cells parted by semicolons, and blanks for what is no SQL."""
    pieces: list[str] = []
    begin = 0
    for mark in _MARK.finditer(text):
        pieces += [_cell(text[begin : mark.start()]), ";".ljust(len(mark[0]))]
        begin = mark.end()
    return "".join([*pieces, _cell(text[begin:])])


def _cell(text: str) -> str:
    magic = _MAGIC.match(text)
    if magic is None:
        return text
    if magic[1].lower() == "%sql":
        return f"{text[: magic.start(1)]}    {text[magic.end(1) :]}"
    # Lines are kept: problems are told by them.
    return re.sub(r"[^\n]", " ", text)
