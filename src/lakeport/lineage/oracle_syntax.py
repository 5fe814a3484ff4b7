"""Oracle's words for what the parser knows in other words, or need not know.

INSERT INTO t SELECT … LOG ERRORS INTO e REJECT LIMIT 10
TRANSLATE(a USING CHAR_CS)
SELECT a FROM t PARTITION BY (b) RIGHT JOIN s ON t.b = s.b
SELECT a MULTISET UNION DISTINCT b FROM t
UPDATE t SET a = 1 RETURNING a, b BULK COLLECT INTO x, y
CAST(a AS INTERVAL DAY(2) TO SECOND(6))
TRUNCATE TABLE t DROP STORAGE
INSERT INTO (SELECT a, b FROM t) VALUES (1, 2)
CREATE UNIQUE INDEX i ON t (a) PCTFREE 10 TABLESPACE x
CREATE PUBLIC SYNONYM s FOR t                               also T-SQL's
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_T = TokenType
_NAMES = frozenset({_T.VAR, _T.IDENTIFIER})
_CHANGES = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
# What a truncated table does with its space, its triggers and what is counted on it.
_TRUNCATIONS = frozenset(
    {
        "CASCADE",
        "DROP",
        "IGNORE",
        "IMMEDIATE",
        "ON",
        "PRESERVE",
        "PURGE",
        "RESTRICT",
        "REUSE",
        "SYNC",
    }
)
# So far reaches the word INDEX or SYNONYM.
_HEAD = 6


_UNITS = frozenset({"DAY", "HOUR", "MINUTE", "MONTH", "SECOND", "YEAR"})
_JOINS = frozenset({"CROSS", "FULL", "INNER", "JOIN", "LEFT", "NATURAL", "ON", "RIGHT", "USING"})
_OF_SETS = frozenset({"EXCEPT", "INTERSECT", "UNION"})


def plain_oracle(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """The statement in plainer words; None if there are none."""
    tokens = _with_signs(tokens, words)
    left_out = _partitioned(tokens) | _returned_into(tokens) | _precision(tokens)
    kept = [token for at, token in enumerate(tokens) if at not in left_out]
    return kept if len(kept) < len(words) else None


def _with_signs(tokens: list[Token], words: list[str]) -> list[Token]:
    """What is done with two nested tables is a sign between them; of what type, nobody knows."""
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        made.append(tokens[at])
        if words[at] == "MULTISET" and words[at + 1 : at + 2] and words[at + 1] in _OF_SETS:
            made[-1] = made_token(_T.PIPE, "|", tokens[at])
            at += 1 + (words[at + 2 : at + 3] in (["ALL"], ["DISTINCT"]))
        at += 1
    return made


def _partitioned(tokens: list[Token]) -> set[int]:
    """An outer join that fills up each partition: which those are, no column shows."""
    left_out: set[int] = set()
    for at in range(1, len(tokens) - 1):
        if tokens[at].token_type is not _T.PARTITION_BY or tokens[at - 1].token_type not in _NAMES:
            continue
        end = closing(tokens, at + 1)
        following = [token.text.upper() for token in tokens[end + 1 : end + 3]]
        if end and not _JOINS.isdisjoint(following):
            left_out |= {*range(at, end + 1)}
    return left_out


def _returned_into(tokens: list[Token]) -> set[int]:
    """Where a script keeps the columns that a change returns, and from before or after which they are."""
    words = [token.text.upper() for token in tokens]
    if words[0] not in _CHANGES or not {"RETURNING", "RETURN"} & {*words}:
        return set()
    at = max(n for n, word in enumerate(words) if word in {"RETURNING", "RETURN"})
    into = next((n for n in range(at, len(words)) if words[n].endswith("INTO")), 0)
    aged = {
        n
        for n in range(at + 1, into)
        if words[n] in {"OLD", "NEW"} and tokens[n + 1].token_type in _NAMES
    }
    return aged | {*range(into, len(words))} if into else set()


def _precision(tokens: list[Token]) -> set[int]:
    """How many digits the units of an interval have."""
    words = [token.text.upper() for token in tokens]
    left_out: set[int] = set()
    for at in range(1, len(words) - 2):
        if words[at] in _UNITS and words[at + 1] == "(" and words[at - 1] in {"INTERVAL", "TO"}:
            left_out |= {*range(at + 1, closing(tokens, at + 1) + 1)}
    return left_out


def without_error_log(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """A data change without the table that is told of the rows it refuses."""
    if words[0] not in _CHANGES:
        return None
    at = next((n for n in range(len(words) - 1) if words[n : n + 2] == ["LOG", "ERRORS"]), 0)
    return tokens[:at] if at else None


def inserted_through(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """An INSERT into a query is one into its table, and the columns that it lists."""
    if words[:4] != ["INSERT", "INTO", "(", "SELECT"] or "FROM" not in words:
        return None
    end, origin = closing(tokens, 2), words.index("FROM")
    table = origin + 2
    while words[table : table + 1] == ["."]:
        table += 2
    listed = tokens[4:origin]
    named = all(token.token_type in _NAMES | {_T.COMMA} for token in listed)
    columns = [tokens[2], *listed, tokens[end]] if named else []
    joined = not _JOINS.isdisjoint(words[table:end])
    return (
        [*tokens[:2], *tokens[origin + 1 : table], *columns, *tokens[end + 1 :]]
        if end and not joined
        else None
    )


def without_character_set(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """`TRANSLATE(a USING CHAR_CS)` as a call with one argument, which the function of that name has not."""
    made: list[Token] = []
    begin = 0
    for at in range(len(words) - 1):
        end = closing(tokens, at + 1) if words[at : at + 2] == ["TRANSLATE", "("] else 0
        if end and words[end - 2] == "USING":
            called = made_token(_T.VAR, "TRANSLATE_USING", tokens[at])
            made += [*tokens[begin:at], called, *tokens[at + 1 : end - 2]]
            begin = end
    return [*made, *tokens[begin:]] if begin else None


def truncated_table(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """`TRUNCATE TABLE t DROP STORAGE`: the table alone."""
    if words[0] != "TRUNCATE":
        return None
    at = next((n for n in range(2, len(words)) if words[n] in _TRUNCATIONS), 0)
    return tokens[:at] if at and words[at - 1] not in {"TABLE", "."} else None


def plain_index(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """An index without its kind and place: `CREATE INDEX i ON t (a)`."""
    head = words[:_HEAD]
    if words[0] not in {"CREATE", "DROP"} or "INDEX" not in head or "ON" not in words:
        return None
    kind, on = head.index("INDEX"), words.index("ON")
    end = on + 2
    while words[end : end + 1] == ["."]:
        end += 2
    if words[end : end + 1] == ["("]:
        end = closing(tokens, end) + 1
    kept = [tokens[0], *tokens[kind:end]]
    return kept if end and len(kept) < len(tokens) else None


def synonym_as_view(tokens: list[Token]) -> list[Token] | None:
    """The view that shows what another name stands for."""
    words = [token.text.upper() for token in tokens]
    if words[:1] != ["CREATE"] or "SYNONYM" not in words[:_HEAD] or "FOR" not in words:
        return None
    kind, given = words.index("SYNONYM"), words.index("FOR")
    end = given + 2
    while words[end : end + 1] == ["."]:
        end += 2
    here = tokens[given]
    replaced = tokens[1:3] if words[1:3] == ["OR", "REPLACE"] else []
    query = (_T.ALIAS, "AS"), (_T.SELECT, "SELECT"), (_T.STAR, "*"), (_T.FROM, "FROM")
    return [
        tokens[0],
        *replaced,
        made_token(_T.VIEW, "VIEW", tokens[kind]),
        *tokens[kind + 1 : given],
        *(made_token(token, text, here) for token, text in query),
        *tokens[given + 1 : end],
    ]
