"""Pipelines of Databricks and Spark: `CREATE OR REFRESH LIVE TABLE a AS SELECT … FROM STREAM(LIVE.b)`.

`LIVE`, in the old words, says that a table belongs to the pipeline, where it is created and read;
without the word both are one name. `STREAM` says how a table is read, which is nothing to its columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

# So far reach the words in front of a table's name.
_HEAD = 6
_SAID = frozenset({"OR", "REFRESH", "STREAMING", "LIVE"})
_BEFORE_TABLE = frozenset({TokenType.FROM, TokenType.JOIN})
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER, TokenType.DOT})
# What ends the list of columns that APPLY CHANGES takes.
_BEHIND_COLUMNS = frozenset({"STORED", "TRACK"})


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


def read_streams(tokens: list[Token]) -> None:
    """`FROM STREAM(t)` and `FROM STREAM t` read the table `t`, row by row; in place."""
    for at in range(len(tokens) - 2, 0, -1):
        if tokens[at].text.upper() != "STREAM" or tokens[at - 1].token_type not in _BEFORE_TABLE:
            continue
        end = at + 2
        if tokens[at + 1].token_type is TokenType.L_PAREN:
            while end < len(tokens) and tokens[end].token_type in _NAMES:
                end += 1
            if end < len(tokens) and tokens[end].token_type is TokenType.R_PAREN:
                tokens[at : end + 1] = tokens[at + 2 : end]
        elif tokens[at + 1].token_type in _NAMES:
            del tokens[at]


def pipeline_flow(tokens: list[Token]) -> list[Token] | None:
    """What `CREATE FLOW f AS …` runs; `APPLY CHANGES INTO t FROM s` and `AUTO CDC INTO` insert by name."""
    words = [token.text.upper() for token in tokens]
    begin = words.index("AS") + 1 if words[:2] == ["CREATE", "FLOW"] and "AS" in words else 0
    tokens, words = tokens[begin:], words[begin:]
    if begin and words[:1] == ["INSERT"]:
        # ONCE says how often.
        flow = [token for place, token in enumerate(tokens) if place != 2 or words[2] != "ONCE"]
    elif words[:3] in (["APPLY", "CHANGES", "INTO"], ["AUTO", "CDC", "INTO"]):
        flow = _captured(tokens, words)
    else:
        flow = []
    return [token for place, token in enumerate(flow) if not _qualifies(flow, place)] or None


def _captured(tokens: list[Token], words: list[str]) -> list[Token]:
    """The INSERT that captured changes are; nothing where the text ends too early."""
    if "FROM" not in words or "KEYS" not in words:
        return []
    source, keys = words.index("FROM"), words.index("KEYS")
    here = tokens[source]
    chosen = [made_token(TokenType.STAR, "*", here)]
    if "COLUMNS" in words[keys:]:
        first = words.index("COLUMNS", keys) + 1
        behind = (n for n in range(first, len(words)) if words[n] in _BEHIND_COLUMNS)
        chosen = tokens[first : next(behind, len(words))]
        if words[first : first + 1] == ["("]:
            chosen = chosen[1:-1]
    query = [(TokenType.VAR, "BY"), (TokenType.VAR, "NAME"), (TokenType.SELECT, "SELECT")]
    return [
        made_token(TokenType.INSERT, "INSERT", tokens[0]),
        *tokens[2:source],
        *(made_token(kind, text, here) for kind, text in query),
        *chosen,
        *tokens[source:keys],
    ]
