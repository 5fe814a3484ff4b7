"""T-SQL's `WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = h, …))`, and DATA_DELETION likewise, without their options.

Where a table keeps its old rows no column shows; and at an option that it does not know the parser waits forever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.brackets import closing

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_PROPERTIES = frozenset({"SYSTEM_VERSIONING", "DATA_DELETION"})
_BETWEEN = frozenset({"=", "ON"})


def leave_versions_out(tokens: list[Token]) -> None:
    """In place: the brackets go, with all that follows where they are never closed."""
    for at in range(len(tokens) - 1, -1, -1):
        if tokens[at].text.upper() not in _PROPERTIES:
            continue
        begin = at + 1
        while begin < len(tokens) and tokens[begin].text.upper() in _BETWEEN:
            begin += 1
        if begin < len(tokens) and tokens[begin].text == "(":
            end = closing(tokens, begin)
            del tokens[begin : end + 1 if end else len(tokens)]
