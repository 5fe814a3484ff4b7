"""`CREATE TABLE (…)`, `CREATE … AS SELECT` and `… CLONE` with options that the parser does not know.

Beside the name of what is created stand schedules, warehouses, policies, places and layouts: each
engine adds some with each release, and none says where a column comes from. They are left out, so
that columns and query are read whatever they are. Column lists keep names and types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokenizer_core import Token

_T = TokenType
# So far reach the words before the name.
_HEAD = 8
# What of them is kept; DYNAMIC, HYBRID, PRIVATE and the like tell of the engine's work.
_SAID = frozenset(
    {"CREATE", "OR", "REPLACE", "ALTER", "TEMP", "TEMPORARY", "GLOBAL", "VOLATILE", "MATERIALIZED"}
)
_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "("})
# What ends the type of a column.
_BEHIND_TYPES = frozenset(
    {
        "AS",
        "AUTO_INCREMENT",
        "CHECK",
        "COLLATE",
        "COMMENT",
        "CONSTRAINT",
        "DEFAULT",
        "DISTKEY",
        "ENCODE",
        "GENERATED",
        "IDENTITY",
        "INVISIBLE",
        "MASKING",
        "NOT",
        "NULL",
        "OPTIONS",
        "PRIMARY",
        "PRIMARY KEY",
        "PROJECTION",
        "REFERENCES",
        "SORTKEY",
        "SRID",
        "STORAGE",
        "TAG",
        "UNIQUE",
        "VISIBLE",
        "WITH",
        "ZEROFILL",
    }
)
# What begins an item that is no column.
_NO_COLUMNS = frozenset(
    {
        "CHECK",
        "CONSTRAINT",
        "EXCLUDE",
        "FOREIGN",
        "FOREIGN KEY",
        "INDEX",
        "PRIMARY",
        "PRIMARY KEY",
        "SUPPLEMENTAL",
        "UNIQUE",
    }
)
_NESTED_TYPES = frozenset({"ARRAY", "LIST", "MAP", "MULTISET", "NESTED", "ROW", "STRUCT"})
# When the copied table is copied.
_TIMES = frozenset({"AT", "BEFORE"})


def created_query(tokens: list[Token]) -> list[Token] | None:
    """The statement without its options; None if it creates no table, and no view from a query."""
    given = tokens
    words = [token.text.upper() for token in tokens]
    if words[:1] == ["DEFINE"]:
        # What a project of Snowflake holds is made as it is defined.
        words[0], tokens = "CREATE", [made_token(_T.CREATE, "CREATE", tokens[0]), *tokens[1:]]
    kind = next((n for n, word in enumerate(words[:_HEAD]) if word in {"TABLE", "VIEW"}), 0)
    if words[:1] != ["CREATE"] or not kind or words[kind + 1 : kind + 2] == ["FUNCTION"]:
        return None
    name = kind + 1 + 3 * (words[kind + 1 : kind + 4] == ["IF", "NOT", "EXISTS"])
    end = _behind_name(tokens, name)
    head = [*_said(tokens, words, kind), *tokens[kind:end]]
    if "CLONE" in words[end:]:
        at = words.index("CLONE", end)
        copied = _behind_name(tokens, at + 1)
        time = (
            closing(tokens, copied + 1)
            if words[copied : copied + 1] and words[copied] in _TIMES
            else 0
        )
        made = [*head, *tokens[at : (time + 1 if time else copied)]]
    else:
        behind = closing(tokens, end) + 1 if words[end : end + 1] == ["("] else end
        at = _query(tokens, words, behind)
        listed = list(_items(tokens[end + 1 : behind - 1]))
        if at:
            columns = _columns(listed, tokens[end], with_types=words[kind] == "TABLE")
            made = [*head, *columns, *_kept(tokens, words, behind, at), *_body(tokens, words, at)]
        elif words[kind] == "TABLE" and behind > end:
            listed += _partitions(tokens, words, behind)
            made = [*head, *_columns(listed, tokens[end], with_types=True)]
        else:
            return None
    return made if made != tokens or tokens is not given else None


def _behind_name(tokens: list[Token], at: int) -> int:
    """Where the name that begins there ends; a project of BigQuery may have dashes in its name."""
    end = at + 1
    while end < len(tokens) and (
        tokens[end].token_type is _T.DOT
        or (tokens[end].token_type is _T.DASH and tokens[end].start == tokens[end - 1].end + 1)
    ):
        end += 2
    return end


def _said(tokens: list[Token], words: list[str], kind: int) -> Iterator[Token]:
    for token, word in zip(tokens[:kind], words, strict=False):
        if word in _SAID:
            yield token
        elif word == "REFRESH":
            yield made_token(_T.REPLACE, "REPLACE", token)


def _query(tokens: list[Token], words: list[str], begin: int) -> int:
    """Where the AS before the query stands; 0 if there is none."""
    at = begin
    while at and at < len(tokens) - 1:
        if words[at] == "(":
            at = closing(tokens, at)
            if not at:
                return 0
        elif (
            words[at] == "AS"
            and (words[at + 1] in _QUERIES or words[at + 1] == "REPLICA")
            # Oracle's `LOB (c) STORE AS (…)` says where large values are kept.
            and words[at - 1] != "STORE"
        ):
            return at
        at += 1
    return 0


def _columns(items: list[list[Token]], at: Token, *, with_types: bool) -> list[Token]:
    """A column list without what is said about columns but, for tables, their types."""
    made: list[Token] = []
    for item in items:
        if item and item[0].text.upper() not in _NO_COLUMNS:
            kind, mark = (_T.COMMA, ",") if made else (_T.L_PAREN, "(")
            made += [made_token(kind, mark, item[0])]
            made += list(_named(item)) if with_types else item[:1]
    return [*made, made_token(_T.R_PAREN, ")", at)] if made else []


def _partitions(tokens: list[Token], words: list[str], begin: int) -> list[list[Token]]:
    """The columns that only `PARTITIONED BY (day date)` or `WITH PARTITION COLUMNS (day date)` names."""
    for at in range(begin, len(words) - 1):
        said = words[at] in {"PARTITIONED BY", "COLUMNS"} or words[at - 1 : at + 1] == [
            "PARTITIONED",
            "BY",
        ]
        if said and words[at + 1] == "(":
            items = _items(tokens[at + 2 : closing(tokens, at + 1)])
            # One that is listed already stands there by its name, a transform is called.
            return [item for item in items if len(item) > 1 and item[1].text != "("]
    return []


def _items(tokens: list[Token]) -> Iterator[list[Token]]:
    depth = types = begin = 0
    for place, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        # What is smaller or greater in a CHECK opens nothing.
        if token.text == "<" and place and tokens[place - 1].text.upper() in _NESTED_TYPES:
            types += 1
        elif token.text == ">" and types:
            types -= 1
        if depth == types == 0 and token.token_type is _T.COMMA:
            yield tokens[begin:place]
            begin = place + 1
    yield tokens[begin:]


def _named(item: list[Token]) -> Iterator[Token]:
    """The name and the type of a column; what Oracle says of it in more words than others is left out."""
    yield item[0]
    interval = len(item) > 1 and item[1].text.upper() == "INTERVAL"
    depth = 0
    for at, token in enumerate(item[1:], 1):
        word = token.text.upper()
        if word in _BEHIND_TYPES:
            return
        depth += token.text == "("
        raw = word == "LONG" and [t.text.upper() for t in item[at + 1 : at + 2]] == ["RAW"]
        if not raw and not (interval and depth):
            yield token
        depth -= token.text == ")"


def _kept(tokens: list[Token], words: list[str], begin: int, end: int) -> list[Token]:
    """Of the options the one that names a table: where ClickHouse puts the rows of a view."""
    if "TO" not in words[begin:end]:
        return []
    at = words.index("TO", begin)
    return tokens[at : min(_behind_name(tokens, at + 1), end)]


def _body(tokens: list[Token], words: list[str], at: int) -> list[Token]:
    """The query, without whether it runs at once; a replica is one of all columns."""
    if words[at + 1 : at + 3] != ["REPLICA", "OF"]:
        end = len(words) - 3 if words[-3:] == ["WITH", "NO", "DATA"] else len(words)
        return tokens[at : end - 2 if words[-2:] == ["WITH", "DATA"] else end]
    token = tokens[at]
    made = (_T.SELECT, "SELECT"), (_T.STAR, "*"), (_T.FROM, "FROM")
    return [token, *(made_token(kind, text, token) for kind, text in made), *tokens[at + 3 :]]
