"""Statements the parser knows under another spelling: the same words, some left out, added or moved.

Every function looks at the first words and answers None unless they are its own. The tokens that
stay are the user's, so spans stay exact.
"""

from __future__ import annotations

from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.duckdb_syntax import merged_rows, without_defaults
from lakeport.lineage.json_clauses import without_json_clauses
from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.mysql_syntax import plain_alter, plain_mysql
from lakeport.lineage.oracle_syntax import (
    inserted_through,
    plain_index,
    plain_oracle,
    truncated_table,
    without_character_set,
    without_error_log,
)
from lakeport.lineage.postgres_syntax import (
    plain_copy,
    plain_foreign_partition,
    plain_postgres,
)
from lakeport.lineage.query_spellings import (
    against,
    array_with_offset,
    joined_signs,
    joined_table,
    searched_value,
    sorted_pivot,
    unnest_deeply,
    with_expression,
)

_NAMED = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_KEYS = frozenset({"PRIMARY KEY", "UNIQUE"})
_CLUSTERED = frozenset({"CLUSTERED", "NONCLUSTERED"})
_FEW = 12
_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "FROM", "TABLE"})


def respelt(tokens: list[Token]) -> list[Token] | None:
    """The statement as the parser knows it, None if it knows no other spelling either."""
    words = [token.text.upper() for token in tokens]
    for rewrite in _REWRITES:
        found = rewrite(tokens, words)
        if found is not None:
            return found
    return _plain(tokens)


def _plain(tokens: list[Token]) -> list[Token] | None:
    """The statement without what engines say in words and signs of their own, as many as it has."""
    made = tokens
    for rewrite in _PLAIN:
        made = rewrite(made, [token.text.upper() for token in made]) or made
    return made if made is not tokens else None


def _create_table(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """`LOCAL TEMPORARY` is temporary; a deep clone and a snapshot are clones; no key is clustered here.

    Nor is told how a computed column is kept, how long bits may be, or how texts are compressed.
    """
    if words[0] != "CREATE":
        return None
    left_out = {
        position
        for position, (word, following) in enumerate(pairwise(words))
        if (word == "LOCAL" and following in {"TEMP", "TEMPORARY"})
        or (word == "DEEP" and following == "CLONE")
        or (word == "SNAPSHOT" and following == "TABLE" and position < 4)
        or (word in _CLUSTERED and words[position - 1] in _KEYS)
        or (word == "VIRTUAL" and words[position - 1] == ")")
        or (word == "VARYING" and words[position - 1] == "BIT")
        or (word == "COMPRESSION" and following.isidentifier())
        or (words[position - 1] == "COMPRESSION" and word.isidentifier())
    } | _provider(tokens, words)
    if "CLONE" in words:
        left_out |= _behind_clone(words)
    kept = [token for position, token in enumerate(tokens) if position not in left_out]
    return kept if left_out else None


def _provider(tokens: list[Token], words: list[str]) -> set[int]:
    """`USING org.apache.spark.sql.parquet`: all parts of the name but the last; and its options.

    What they are called may be a word like TO or FROM.
    """
    at = words.index("USING") + 1 if "USING" in words else len(words)
    end = at
    while words[end + 1 : end + 2] == ["."]:
        end += 2
    options = words[end + 1 : end + 3] == ["OPTIONS", "("]
    last = closing(tokens, end + 2) if options else 0
    return {*range(at, end), *range(end + 1, last + 1)}


def _behind_clone(words: list[str]) -> set[int]:
    """What stands behind the name of the table that is cloned: its version, the place of the copy."""
    end = words.index("CLONE") + 2
    while words[end : end + 1] == ["."]:
        end += 2
    clauses = {"VERSION", "TIMESTAMP", "TBLPROPERTIES", "LOCATION"}
    return set(range(end, len(words))) if words[end : end + 1] and words[end] in clauses else set()


def _change_column(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """Hive's `CHANGE [COLUMN] a b int`."""
    if words[:2] != ["ALTER", "TABLE"] or "CHANGE" not in words[3:_FEW]:
        return None
    at = words.index("CHANGE", 3) + 1
    rest = tokens[at + (words[at : at + 1] == ["COLUMN"]) :]
    made = [*tokens[:at], made_token(TokenType.COLUMN, "COLUMN", tokens[at - 1]), *rest]
    return made if [token.text.upper() for token in made] != words else None


def _replaced_on(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """Databricks' `INSERT INTO t AS x REPLACE ON x.a = y.a SELECT …`: which rows go is left out."""
    if words[0] != "INSERT" or ["REPLACE", "ON"] not in [words[n : n + 2] for n in range(_FEW)]:
        return None
    at = words.index("REPLACE")
    depth = 0
    for start in range(at + 2, len(tokens)):
        named = words.index("AS", 2, at) if "AS" in words[2:at] else at
        if not depth and words[start] in _QUERIES:
            return [*tokens[:named], *tokens[start:]]
        if not depth and words[start] == "(" and words[start + 1 : start + 2] == ["SELECT"]:
            return [*tokens[:named], *tokens[start + 1 : closing(tokens, start)]]
        depth += words[start] == "("
        depth -= words[start] == ")"
    return None


def _load_file(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """MySQL's `LOAD DATA [LOCAL] INFILE 'x' … INTO TABLE t …`: the file and the table."""
    if words[:2] != ["LOAD", "DATA"] or "INFILE" not in words[2:5]:
        return None
    at = words.index("INFILE")
    into = next((n for n in range(at, len(words) - 2) if words[n : n + 2] == ["INTO", "TABLE"]), 0)
    if not into or tokens[at + 1].token_type is not TokenType.STRING:
        return None
    end = into + 3
    while end < len(tokens) and (tokens[end].text == "." or tokens[end - 1].text == "."):
        end += 1
    path = [made_token(TokenType.VAR, "INPATH", tokens[at]), tokens[at + 1]]
    return [*tokens[:2], *path, *tokens[into:end]]


def _bulk_insert(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """T-SQL's `BULK INSERT t FROM 'x' WITH (…)`: the file and the table."""
    if words[:2] != ["BULK", "INSERT"] or "FROM" not in words:
        return None
    at = words.index("FROM")
    if at + 1 >= len(tokens) or tokens[at + 1].token_type is not TokenType.STRING:
        return None
    first = tokens[0]
    return [
        made_token(TokenType.LOAD, "LOAD", first),
        made_token(TokenType.VAR, "DATA", first),
        made_token(TokenType.VAR, "INPATH", tokens[at]),
        tokens[at + 1],
        made_token(TokenType.INTO, "INTO", first),
        made_token(TokenType.TABLE, "TABLE", first),
        *tokens[2:at],
    ]


def _labelled_insert(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """StarRocks' `INSERT INTO t WITH LABEL job SELECT …`: a name for the load alone."""
    if words[0] != "INSERT" or "LABEL" not in words[2:_FEW]:
        return None
    at = words.index("LABEL", 2)
    return [*tokens[: at - 1], *tokens[at + 2 :]] if words[at - 1] == "WITH" else None


def _set_of_rows(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """Postgres' `CREATE FUNCTION … RETURNS SETOF t`: the parser knows the type alone."""
    if words[0] != "CREATE" or "FUNCTION" not in words[1:5] or "SETOF" not in words:
        return None
    at = words.index("SETOF")
    return [*tokens[:at], *tokens[at + 1 :]] if words[at - 1] == "RETURNS" else None


def _file_format(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """Snowflake's `COPY … FILE_FORMAT = db.s.f`: a format of another schema is a format."""
    if words[0] != "COPY" or "FILE_FORMAT" not in words:
        return None
    begin = at = words.index("FILE_FORMAT") + 2
    while words[at + 1 : at + 2] == ["."]:
        at += 2
    return [*tokens[:begin], *tokens[at:]] if at > begin else None


def leave_clusters_out(tokens: list[Token]) -> None:
    """Doris' `FROM cluster:db.t` and `cluster:db`.t, in place: the cluster is always the one that is asked."""
    words = [token.text.upper() for token in tokens]
    left_out: set[int] = set()
    for at in range(len(tokens) - 1):
        token = tokens[at]
        if words[at + 1] == "." and token.token_type is TokenType.IDENTIFIER:
            cluster, colon, name = token.text.partition(":")
            if cluster and colon and name:
                tokens[at] = made_token(TokenType.IDENTIFIER, name, token)
        elif (
            words[at + 1] == ":"
            and words[at + 3 : at + 4] == ["."]
            and words[at - 1] in _BEFORE_TABLES
            and token.token_type in _NAMED
        ):
            left_out |= {at, at + 1}
    tokens[:] = [token for at, token in enumerate(tokens) if at not in left_out]


_BEFORE_TABLES = frozenset({"FROM", "JOIN", "INTO", "TABLE", "VIEW", "UPDATE", "EXISTS", ","})


_PLAIN = (
    without_error_log,
    joined_signs,
    plain_alter,
    plain_mysql,
    plain_oracle,
    plain_postgres,
    without_json_clauses,
    without_character_set,
)
_REWRITES = (
    sorted_pivot,
    merged_rows,
    without_defaults,
    with_expression,
    unnest_deeply,
    searched_value,
    array_with_offset,
    joined_table,
    against,
    plain_copy,
    plain_foreign_partition,
    inserted_through,
    truncated_table,
    plain_index,
    _create_table,
    _change_column,
    _replaced_on,
    _load_file,
    _bulk_insert,
    _labelled_insert,
    _file_format,
    _set_of_rows,
)
