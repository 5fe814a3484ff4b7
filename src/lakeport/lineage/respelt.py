"""Statements the parser knows under another spelling: the same words, some left out, added or moved.

Every function looks at the first words and answers None unless they are its own. The tokens that
stay are the user's, so spans stay exact.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing, opening
from lakeport.lineage.duckdb_syntax import merged_rows, without_defaults
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMED = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_KEYS = frozenset({"PRIMARY KEY", "UNIQUE"})
_CLUSTERED = frozenset({"CLUSTERED", "NONCLUSTERED"})
_FEW = 12
# What may be altered of a column.
_COLUMN_ACTIONS = frozenset({"AFTER", "COMMENT", "DROP", "FIRST", "SET", "TYPE"})
_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "FROM", "TABLE"})
_BEHIND_TYPE = frozenset({"AFTER", "COMMENT", "FIRST", "NOT"})


def respelt(tokens: list[Token]) -> list[Token] | None:
    """The statement as the parser knows it, None if it knows no other spelling either."""
    words = [token.text.upper() for token in tokens]
    for rewrite in _REWRITES:
        found = rewrite(tokens, words)
        if found is not None:
            return found
    return None


def altered_column(tokens: list[Token]) -> list[Token] | None:
    """Spark's `CHANGE a AFTER b` is `ALTER COLUMN a AFTER b`, and Delta's `CHANGE s.a a int` a new type.

    With a new name it is Hive's CHANGE, and for a field of a struct a RENAME.
    """
    if not tokens or tokens[0].token_type is not TokenType.ALTER:
        return None
    words = [token.text.upper() for token in tokens]
    if words[1:2] != ["TABLE"] or "CHANGE" not in words[3:_FEW]:
        return None
    at = words.index("CHANGE", 3)
    start = at + 1 + (words[at + 1 : at + 2] == ["COLUMN"])
    end = start + 1
    while words[end : end + 1] == ["."]:
        end += 2
    if end >= len(words):
        return None
    behind = tokens[end:]
    if words[end] == words[end - 1]:
        # The name stays what it is, and behind it stands the type.
        kept = next((n for n in range(end, len(words)) if words[n] in _BEHIND_TYPE), len(words))
        place = [] if end - start > 1 else _place(tokens)
        typed = made_token(TokenType.VAR, "TYPE", tokens[end])
        behind = [typed, *tokens[end + 1 : kept], *place]
    elif words[end] not in _COLUMN_ACTIONS:
        return _renamed_field(tokens, at, start, end) if end - start > 1 else None
    altered = made_token(TokenType.ALTER, "ALTER", tokens[at])
    column = made_token(TokenType.COLUMN, "COLUMN", tokens[start - 1])
    return [*tokens[:at], altered, column, *tokens[start:end], *behind]


def _renamed_field(tokens: list[Token], at: int, start: int, end: int) -> list[Token]:
    """`CHANGE s.a b int` as `RENAME COLUMN s.a TO b`."""
    return [
        *tokens[:at],
        made_token(TokenType.RENAME, "RENAME", tokens[at]),
        made_token(TokenType.COLUMN, "COLUMN", tokens[start - 1]),
        *tokens[start:end],
        made_token(TokenType.VAR, "TO", tokens[end]),
        tokens[end],
    ]


def _place(tokens: list[Token]) -> list[Token]:
    """The end of a statement that says where a column goes."""
    words = [token.text.upper() for token in tokens[-2:]]
    return tokens[-1:] if words[-1] == "FIRST" else tokens[-2:] if words[0] == "AFTER" else []


def _with_expression(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """BigQuery's `WITH(x AS a + 1, x * x)`, a value with names for its parts: a call with arguments by name."""
    made = list(tokens)
    for at in range(len(words) - 3):
        end = closing(tokens, at + 1) if words[at : at + 2] == ["WITH", "("] else 0
        if not end or words[at + 3] != "AS":
            continue
        made[at] = made_token(TokenType.VAR, words[at], tokens[at])
        starts, depth = [at + 2], 0
        for inside in range(at + 2, end):
            depth += (words[inside] in {"(", "["}) - (words[inside] in {")", "]"})
            if words[inside] == "," and not depth:
                starts.append(inside + 1)
        for start in starts[:-1]:
            if words[start + 1] == "AS":
                made[start + 1] = made_token(TokenType.FARROW, "=>", tokens[start + 1])
    return made if made != tokens else None


def _array_with_offset(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """BigQuery's `FROM t, t.items AS i WITH OFFSET` is `UNNEST(t.items)`; the parser takes it for a table."""
    made: list[Token] = []
    for at, token in enumerate(tokens):
        if words[at : at + 2] == ["WITH", "OFFSET"]:
            path = _path_before(made)
            if path is not None:
                first, last = path
                here = made[first]
                made[last:last] = [made_token(TokenType.R_PAREN, ")", here)]
                made[first:first] = [
                    made_token(TokenType.UNNEST, "UNNEST", here),
                    made_token(TokenType.L_PAREN, "(", here),
                ]
        made.append(token)
    return made if len(made) > len(tokens) else None


def _path_before(tokens: list[Token]) -> tuple[int, int] | None:
    """Where the dotted name at the end stands, before an alias that may follow it."""
    end = len(tokens)
    kinds = [token.token_type for token in tokens]
    if kinds[-2:-1] == [TokenType.ALIAS]:
        end -= 2
    elif len(kinds) > 1 and kinds[-1] in _NAMED and kinds[-2] in _NAMED:
        end -= 1
    start = end - 1
    while start > 1 and kinds[start] in _NAMED and kinds[start - 1] is TokenType.DOT:
        start -= 2
    listed = start > 0 and kinds[start - 1] in {TokenType.COMMA, TokenType.JOIN}
    return (start, end) if listed and end - start > 2 else None


def _unnest_deeply(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """DuckDB's `FROM unnest(x, recursive := true)`: the parser knows the option in a select list only."""
    made: list[Token] = []
    closes: dict[int, Token] = {}
    for at, token in enumerate(tokens):
        end = closing(tokens, at + 1) if words[at : at + 2] == ["UNNEST", "("] else 0
        if end and {":=", "=>"} & {*words[at:end]} and _stands_in_from(words, at):
            made += (
                [made_token(TokenType.LATERAL, "LATERAL", token)] if words[at - 1] != "FROM" else []
            )
            made.append(made_token(TokenType.L_PAREN, "(", token))
            made.append(made_token(TokenType.SELECT, "SELECT", token))
            closes[end] = token
        made.append(token)
        if at in closes:
            made.append(made_token(TokenType.ALIAS, "AS", token))
            made.append(made_token(TokenType.VAR, "unnest", closes[at]))
            made.append(made_token(TokenType.R_PAREN, ")", token))
    return made if closes else None


def _searched_value(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """BigQuery's `VECTOR_SEARCH(TABLE t, 'v', query_value => [1.0])`: a query of one row, which the parser wants."""
    if "VECTOR_SEARCH" not in words or "QUERY_VALUE" not in words:
        return None
    at = words.index("QUERY_VALUE")
    if words[at + 1 : at + 2] != ["=>"]:
        return None
    depth, end = 0, at + 2
    while end < len(words) and (depth or words[end] not in {",", ")"}):
        depth += (words[end] in {"(", "["}) - (words[end] in {")", "]"})
        end += 1
    lead = [
        made_token(TokenType.L_PAREN, "(", tokens[at]),
        made_token(TokenType.SELECT, "SELECT", tokens[at]),
    ]
    closed = made_token(TokenType.R_PAREN, ")", tokens[end - 1])
    return [*tokens[:at], *lead, *tokens[at + 2 : end], closed, *tokens[end:]]


def _sorted_pivot(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """DuckDB's `PIVOT t ON a USING sum(b) ORDER BY a LIMIT 3`: the order of rows is left out."""
    if words[0] not in {"PIVOT", "UNPIVOT"}:
        return None
    depth = 0
    for at, word in enumerate(words):
        depth += (word in {"(", "["}) - (word in {")", "]"})
        if not depth and word in {"ORDER BY", "LIMIT"}:
            return tokens[:at]
    return None


def _stands_in_from(words: list[str], at: int) -> bool:
    """Whether a word is a source of the query around it, and no select item."""
    depth = 0
    for before in range(at - 1, -1, -1):
        depth += (words[before] == ")") - (words[before] == "(")
        if depth < 0:
            return False
        if not depth and words[before] in {"FROM", "SELECT"}:
            return words[before] == "FROM" and words[at - 1] in {"FROM", ",", "JOIN"}
    return False


def nested_column(tokens: list[Token]) -> tuple[list[Token], str] | None:
    """`ALTER COLUMN a.b TYPE int` for the column `b`, and the names before it."""
    words = [token.text.upper() for token in tokens[:_FEW]]
    if words[:2] != ["ALTER", "TABLE"] or "COLUMN" not in words[3:]:
        return None
    start = words.index("COLUMN", 3) + 1
    end = start
    while end + 2 < len(tokens) and tokens[end + 1].token_type is TokenType.DOT:
        end += 2
    if end == start or words[start - 2] not in {"ALTER", "CHANGE"}:
        return None
    names = ".".join(token.text for token in tokens[start:end:2])
    return [*tokens[:start], *tokens[end:]], names


def within(names: str) -> Callable[[exp.Expr], exp.Expr]:
    """What gives the column of an ALTER its struct back."""

    def finish(tree: exp.Expr) -> exp.Expr:
        for action in tree.args.get("actions") or []:
            if isinstance(action, exp.AlterColumn):
                column = action.this.this if isinstance(action.this, exp.Column) else action.this
                parts = [exp.to_identifier(name) for name in names.split(".")]
                action.set("this", exp.Dot.build([*parts, column.copy()]))
        return tree

    return finish


def evolving_change(tokens: list[Token]) -> list[Token] | None:
    """`MERGE WITH SCHEMA EVOLUTION INTO t` without the words that let `t` grow."""
    words = [token.text.upper() for token in tokens[:4]]
    if words[0] not in {"MERGE", "INSERT"} or words[1:] != ["WITH", "SCHEMA", "EVOLUTION"]:
        return None
    return [tokens[0], *tokens[4:]]


def evolving(tree: exp.Expr) -> exp.Expr:
    """The tree of such a statement."""
    tree.meta["evolving"] = True
    return tree


def is_evolving(tree: exp.Expr) -> bool:
    return bool(tree.meta.get("evolving"))


def placed_column(tokens: list[Token]) -> tuple[list[Token], exp.ColumnPosition] | None:
    """`CHANGE a b int AFTER c` and `ALTER COLUMN a FIRST` without the place, and the place."""
    words = [token.text.upper() for token in tokens]
    if words[:2] != ["ALTER", "TABLE"] or {"CHANGE", "ALTER"}.isdisjoint(words[3:_FEW]):
        return None
    if words[-1] == "FIRST":
        kept, place = tokens[:-1], exp.ColumnPosition(position="FIRST")
    elif words[-2] == "AFTER":
        named = tokens[-1]
        after = exp.to_identifier(named.text, quoted=named.token_type is TokenType.IDENTIFIER)
        kept, place = tokens[:-2], exp.ColumnPosition(this=after, position="AFTER")
    else:
        return None
    if words[len(kept) - 2] == "COLUMN":
        # The parser wants to know what is altered: a default, which no query sees.
        last = kept[-1]
        kept = [*kept, made_token(TokenType.DROP, "DROP", last)]
        kept.append(made_token(TokenType.DEFAULT, "DEFAULT", last))
    return respelt(kept) or kept, place


def at_place(place: exp.ColumnPosition) -> Callable[[exp.Expr], exp.Expr]:
    """What gives the column of an ALTER its place back."""

    def finish(tree: exp.Expr) -> exp.Expr:
        for action in tree.args.get("actions") or []:
            if isinstance(action, exp.AlterColumn):
                action.set("position", place)
        return tree

    return finish


def _create_table(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """`LOCAL TEMPORARY` is temporary; a deep clone and a snapshot are clones; no key is clustered here."""
    if words[0] != "CREATE":
        return None
    left_out = {
        position
        for position, (word, following) in enumerate(pairwise(words))
        if (word == "LOCAL" and following in {"TEMP", "TEMPORARY"})
        or (word == "DEEP" and following == "CLONE")
        or (word == "SNAPSHOT" and following == "TABLE" and position < 4)
        or (word in _CLUSTERED and words[position - 1] in _KEYS)
    } | _provider(words)
    if "CLONE" in words:
        left_out |= _behind_clone(words)
    kept = [token for position, token in enumerate(tokens) if position not in left_out]
    return kept if left_out else None


def _provider(words: list[str]) -> set[int]:
    """`USING org.apache.spark.sql.parquet`: all parts of the name but the last."""
    at = words.index("USING") + 1 if "USING" in words else len(words)
    end = at
    while words[end + 1 : end + 2] == ["."]:
        end += 2
    return set(range(at, end))


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


def _joined_table(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """Oracle's `FROM t, TABLE(f(t.a))`: the parser knows the function's rows behind a JOIN."""
    made: list[Token] = []
    for at, token in enumerate(tokens):
        if token.token_type is TokenType.COMMA and words[at + 1 : at + 3] == ["TABLE", "("]:
            made.append(made_token(TokenType.CROSS, "CROSS", token))
            made.append(made_token(TokenType.JOIN, "JOIN", token))
        else:
            made.append(token)
    return made if len(made) > len(tokens) else None


def _against(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """MySQL's `MATCH (a, b) AGAINST (expression …)`, of which the parser knows strings alone: a call."""
    made = list(tokens)
    for at in range(len(words) - 2, 0, -1):
        if words[at - 1 : at + 2] != [")", "AGAINST", "("]:
            continue
        begin, end = opening(tokens, at - 1), closing(tokens, at + 1)
        if begin < 1 or words[begin - 1] != "MATCH" or not end:
            continue
        mode = next(
            (n for n in range(at + 2, end) if words[n : n + 2] in _SEARCH_MODES),
            end,
        )
        call = made_token(TokenType.VAR, "MATCH_AGAINST", tokens[begin - 1])
        comma = made_token(TokenType.COMMA, ",", tokens[at])
        made[at - 1 : end] = [comma, *made[at + 2 : mode]]
        made[begin - 1] = call
    return made if len(made) < len(tokens) else None


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
_SEARCH_MODES = (["IN", "NATURAL"], ["IN", "BOOLEAN"], ["WITH", "QUERY"])


_REWRITES = (
    _sorted_pivot,
    merged_rows,
    without_defaults,
    _with_expression,
    _unnest_deeply,
    _searched_value,
    _array_with_offset,
    _joined_table,
    _against,
    _create_table,
    _change_column,
    _replaced_on,
    _load_file,
    _bulk_insert,
    _labelled_insert,
    _file_format,
    _set_of_rows,
)
