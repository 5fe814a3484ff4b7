"""Databricks' pipelines in the old words: `CREATE OR REFRESH LIVE TABLE a AS SELECT … FROM LIVE.b`.

`LIVE` says that a table belongs to the pipeline, where it is created and read; without the word both
are one name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

# So far reach the words in front of a table's name.
_HEAD = 6
_SAID = frozenset({"OR", "REFRESH", "STREAMING", "LIVE"})


def without_live(tokens: list[Token]) -> list[Token] | None:
    """The statement without what the pipeline adds; None if it creates no table of a pipeline."""
    words = [token.text.upper() for token in tokens[:_HEAD]]
    if words[:1] != ["CREATE"] or "LIVE" not in words:
        return None
    named = words.index("LIVE") + 1
    head = [token for token in tokens[:named] if token.text.upper() not in _SAID]
    body = tokens[named:]
    return head + [token for place, token in enumerate(body) if not _qualifies(body, place)]


def _qualifies(tokens: list[Token], place: int) -> bool:
    """Whether the token is the `LIVE` or the dot of `LIVE.b`."""
    first = place - 1 if tokens[place].token_type is TokenType.DOT else place
    if first < 0 or tokens[first].text.upper() != "LIVE":
        return False
    behind = tokens[first + 1] if first + 1 < len(tokens) else None
    return behind is not None and behind.token_type is TokenType.DOT
