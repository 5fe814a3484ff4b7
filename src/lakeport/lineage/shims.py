"""Syntax that matters here and that the parser cannot read, rewritten on tokens before a second try.

Each shim keeps the positions of the user's own tokens, so spans stay exact. A shim never guesses:
it either recognises its statement by its first words or lets the next one look.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.alter_shims import COLUMN_SHIMS, TABLE_SHIMS, VIEW_SHIMS
from lakeport.lineage.altered_statements import (
    altered_names,
    altered_relation,
    kept_otherwise,
)
from lakeport.lineage.bodies import tokens_between
from lakeport.lineage.column_changes import altered_column
from lakeport.lineage.created_queries import created_query
from lakeport.lineage.hints import without_hints
from lakeport.lineage.hive_syntax import hive_syntax, moved_files, partition_change
from lakeport.lineage.lake_commands import lake_command
from lakeport.lineage.live_tables import pipeline_flow, without_live
from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.model_clause import without_model
from lakeport.lineage.model_functions import without_models
from lakeport.lineage.no_lineage import NEEDS_NO_PARSER
from lakeport.lineage.oracle_syntax import synonym_as_view
from lakeport.lineage.other_changes import plain_change, unplaced
from lakeport.lineage.outfiles import written_file
from lakeport.lineage.placeholders import filled_in
from lakeport.lineage.respelt import respelt
from lakeport.lineage.rowsets import files_as_rows
from lakeport.lineage.schema_evolution import evolving, evolving_change
from lakeport.lineage.shim import Shim
from lakeport.lineage.spark_syntax import plain_syntax
from lakeport.lineage.streams import nowhere_written, stream_as_view
from lakeport.lineage.values_queries import bracketed_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PLAIN_SETTING = re.compile(r"SET\s+(?P<key>[\w.:-]+)\s*=(?P<value>.*)$", re.IGNORECASE | re.DOTALL)
# What may be reset to give back the first search path.
_RESETTING = frozenset({"search_path", "schema", "current_schema", "all"})


def plain_setting(statement: str) -> Iterator[Shim]:
    """Spark's `SET spark.some.dir=/data/in`, where any text is a value."""
    found = _PLAIN_SETTING.match(statement)
    if found is not None:
        value = exp.Literal.string(found["value"].strip())
        pair = exp.EQ(this=exp.Var(this=found["key"]), expression=value)
        yield Shim("setting", tree=exp.Set(expressions=[exp.SetItem(this=pair)]))


def shimmed(tokens: list[Token], text: str) -> Iterator[Shim]:
    """Every shim that recognises the statement, the most telling first."""
    altered = altered_column(tokens)
    if altered is not None:
        tokens = altered
        yield Shim("altered_column", tokens)
    filled = filled_in(tokens)
    if len(filled) != len(tokens):
        # A statement with parameters may hold more that the parser does not know.
        tokens = filled
        yield Shim("placeholders", tokens)
    words = [token.text.upper() for token in tokens[:12]]
    for rewrite in _SHIMS if tokens else ():
        shim = rewrite(tokens, words, text)
        if shim is not None:
            yield shim


def _replace_table(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    if words[:2] != ["REPLACE", "TABLE"]:
        return None
    first = tokens[0]
    lead = [made_token(TokenType.CREATE, "CREATE", first), made_token(TokenType.OR, "OR", first)]
    return Shim("replace_table", [*lead, *tokens])


def _private_temporary(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """Oracle's tables of one session, and when their definition ends."""
    if words[:3] != ["CREATE", "PRIVATE", "TEMPORARY"]:
        return None
    kept = [tokens[0], *tokens[2:]]
    for position in range(len(kept) - 3):
        ending = [token.text.upper() for token in kept[position : position + 4]]
        if ending in (["ON", "COMMIT", word, "DEFINITION"] for word in ("DROP", "PRESERVE")):
            del kept[position : position + 4]
            break
    return Shim("private_temporary", kept)


def _delete_from(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    """T-SQL's `DELETE FROM a OUTPUT … FROM t AS a WHERE …`: the first FROM says nothing."""
    verb = next((n for n, t in enumerate(tokens) if t.token_type is TokenType.DELETE), None)
    if verb is None or [t.token_type for t in tokens[verb + 1 : verb + 2]] != [TokenType.FROM]:
        return None
    return Shim("delete_from", [*tokens[: verb + 1], *tokens[verb + 2 :]])


def _replace_rows(tokens: list[Token], words: list[str], text: str) -> Shim | None:
    """MySQL's `REPLACE [INTO] t …` is an INSERT that overwrites rows of equal key."""
    if words[0] != "REPLACE" or len(tokens) < 2 or tokens[1].token_type is not TokenType.STRING:
        return None
    inner = tokens_between(text, tokens[0].end + 1, tokens[-1].end + 1, "mysql", tokens[0])
    while inner and inner[0].text.upper() in {"LOW_PRIORITY", "DELAYED"}:
        del inner[0]
    if not inner or inner[0].text.upper() in {"TABLE", "VIEW"}:
        return None
    said = [made_token(TokenType.INSERT, "INSERT", tokens[0])]
    if inner[0].token_type is not TokenType.INTO:
        said.append(made_token(TokenType.INTO, "INTO", tokens[0]))
    return Shim("replace_rows", [*said, *inner])


def _table_query(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """`TABLE t` is `SELECT * FROM t`."""
    if words[:1] != ["TABLE"] or len(tokens) < 2:
        return None
    first = tokens[0]
    lead = [
        made_token(TokenType.SELECT, "SELECT", first),
        made_token(TokenType.STAR, "*", first),
        made_token(TokenType.FROM, "FROM", first),
    ]
    return Shim("table_query", [*lead, *tokens[1:]])


def _system_time_travel(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    """`FOR SYSTEM_VERSION AS OF` and `FOR VERSION AS OF` in Spark's own words."""
    kept: list[Token] = []
    changed = False
    for position, token in enumerate(tokens):
        following = tokens[position + 1].text.upper() if position + 1 < len(tokens) else ""
        word = token.text.upper()
        if word == "FOR" and following in {"SYSTEM_VERSION", "VERSION", "TIMESTAMP", "SYSTEM_TIME"}:
            changed = True
            continue
        if changed and word == "SYSTEM_VERSION":
            kept.append(made_token(TokenType.VAR, "VERSION", token))
        elif changed and word == "SYSTEM_TIME":
            kept.append(made_token(TokenType.TIMESTAMPTZ, "TIMESTAMP", token))
        else:
            kept.append(token)
    return Shim("time_travel", kept) if changed else None


def _insert_directory(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """The query of `INSERT OVERWRITE DIRECTORY 'p' USING csv SELECT …`, with the WITH before it."""
    start = 0
    if words[0] == "WITH":
        words = [token.text.upper() for token in tokens]
        start = next((n for n, pair in enumerate(pairwise(words)) if pair == _OVERWRITES), 0)
    if (
        words[start : start + 2] != list(_OVERWRITES)
        or "DIRECTORY" not in words[start + 2 : start + 4]
    ):
        return None
    at = words.index("DIRECTORY", start)
    path = (
        tokens[at + 1].text
        if len(tokens) > at + 1 and tokens[at + 1].token_type is TokenType.STRING
        else ""
    )
    starts = {TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.VALUES}
    depth = 0
    for position in range(at + 1, len(tokens)):
        kind = tokens[position].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth == 0 and kind in starts:
            return Shim("directory", [*tokens[:start], *tokens[position:]], path=path)
    return None


_OVERWRITES = ("INSERT", "OVERWRITE")


def _checked_view(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """`CREATE VIEW … WITH [LOCAL | CASCADED] CHECK OPTION`: what may be written through the view."""
    if words[0] not in {"ALTER", "CREATE"} or "VIEW" not in words:
        return None
    ending = [token.text.upper() for token in tokens[-4:]]
    if ending[-2:] != ["CHECK", "OPTION"] or "WITH" not in ending:
        return None
    return Shim("checked_view", tokens[: len(tokens) - len(ending) + ending.index("WITH")])


def _merge_delete(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """Oracle's `UPDATE SET … DELETE WHERE …` in a MERGE is a WHEN clause of its own."""
    if "MERGE" not in words:
        return None
    made: list[Token] = []
    closing: list[Token] = []
    for position, token in enumerate(tokens):
        following = tokens[position + 1 : position + 2]
        if (
            token.token_type is TokenType.DELETE
            and following
            and following[0].token_type is TokenType.WHERE
        ):
            made += [made_token(*word, token) for word in _WHEN_MATCHED]
            closing = [made_token(*word, token) for word in _THEN_DELETE]
            continue
        if closing and token.token_type is TokenType.WHEN:
            made, closing = made + closing, []
        if not (token.token_type is TokenType.WHERE and closing and made[-1].text == "("):
            made.append(token)
    made += closing
    return Shim("merge_delete", made) if len(made) != len(tokens) else None


_WHEN_MATCHED = (
    (TokenType.WHEN, "WHEN"),
    (TokenType.VAR, "MATCHED"),
    (TokenType.AND, "AND"),
    (TokenType.L_PAREN, "("),
)
_THEN_DELETE = (
    (TokenType.R_PAREN, ")"),
    (TokenType.THEN, "THEN"),
    (TokenType.DELETE, "DELETE"),
)


def _administration(_tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """`DENY SELECT ON t TO u`, `CHECK TABLE t`: a statement that is nothing but its type."""
    if words[0] not in NEEDS_NO_PARSER:
        return None
    second = exp.Identifier(this=words[1] if len(words) > 1 else "")
    return Shim("no_lineage", tree=exp.Alias(this=exp.column(words[0]), alias=second))


def _reset(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """`RESET search_path`, `RESET ALL`, and Spark's `RESET spark.sql.x`."""
    if words[0] != "RESET":
        return None
    key, value = "".join(token.text for token in tokens[1:]), ""
    if key.lower() in _RESETTING:
        key, value = "search_path", "DEFAULT"
    # A setting that is nothing is what it was at first.
    pair = exp.EQ(this=exp.Var(this=key), expression=exp.Var(this=value))
    return Shim("reset", tree=exp.Set(expressions=[exp.SetItem(this=pair)]))


def _describe(_tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """What is described is not read; the parser knows but a few forms of it."""
    return Shim("describe", tree=exp.Describe()) if words[0] in {"DESC", "DESCRIBE"} else None


def _window_function(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    """Spark's `window(ts, '5 minutes')` is a function, not the clause."""
    changed = [
        made_token(TokenType.VAR, token.text, token)
        if token.token_type is TokenType.WINDOW
        and position + 1 < len(tokens)
        and tokens[position + 1].token_type is TokenType.L_PAREN
        else token
        for position, token in enumerate(tokens)
    ]
    return Shim("window_function", changed) if changed != tokens else None


def _stream(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    made = stream_as_view(tokens, words)
    return Shim("stream", made, finish=nowhere_written) if made is not None else None


def _model(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    queries = {"SELECT", "WITH", "CREATE", "INSERT"}
    made = without_models(tokens) if words[0] in queries else tokens
    return Shim("model", made) if len(made) != len(tokens) else None


def _array_model(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    made = without_model(tokens) if words[0] in {"SELECT", "WITH", "CREATE", "INSERT"} else None
    return Shim("array_model", made) if made is not None else None


def _external_table(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """Oracle's `CREATE TABLE … ORGANIZATION EXTERNAL (…)`: where the rows are is left out."""
    if words[:2] != ["CREATE", "TABLE"]:
        return None
    every = [token.text.upper() for token in tokens]
    at = next((n for n, pair in enumerate(pairwise(every)) if pair == _EXTERNAL), None)
    return Shim("external_table", tokens[:at]) if at is not None else None


_EXTERNAL = ("ORGANIZATION", "EXTERNAL")


_ASSIGNED = frozenset({TokenType.VAR, TokenType.IDENTIFIER, TokenType.DOT, TokenType.PARAMETER})


def _compound_assignment(tokens: list[Token], words: list[str], _text: str) -> Shim | None:
    """T-SQL's `SET a += b` is `SET a = a + b`, and so is `SELECT @a += b`."""
    if words[0] not in {"UPDATE", "MERGE", "SELECT", "WITH"}:
        return None
    operators = {TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.MOD}
    kept: list[Token] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        following = tokens[position + 1] if position + 1 < len(tokens) else None
        compound = (
            token.token_type in operators
            and following is not None
            and following.token_type is TokenType.EQ
        )
        if compound and following is not None and following.start == token.end + 1:
            name: list[Token] = []
            for earlier in reversed(kept):
                if earlier.token_type not in _ASSIGNED:
                    break
                name.insert(0, earlier)
            kept += [following, *name, token]
            position += 2
            continue
        kept.append(token)
        position += 1
    return Shim("compound_assignment", kept) if len(kept) != len(tokens) or kept != tokens else None


def _titles(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    """Teradata's `a (TITLE 'A')` and `a (FORMAT '…')`: how a column is shown."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        four = tokens[at : at + 4]
        kinds = [token.token_type for token in four]
        shown = len(four) == 4 and four[1].text.upper() in {"TITLE", "FORMAT"}
        if shown and (kinds[0], kinds[2], kinds[3]) == _SHOWN:
            at += 4
            continue
        kept.append(tokens[at])
        at += 1
    return Shim("titles", kept) if len(kept) < len(tokens) else None


_SHOWN = (TokenType.L_PAREN, TokenType.STRING, TokenType.R_PAREN)


def _evolving_change(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    made = evolving_change(tokens)
    return Shim("evolving_change", made, finish=evolving) if made is not None else None


def _other_change(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    made = plain_change(tokens)
    return Shim("other_change", made, finish=unplaced) if made is not None else None


def _moved_files(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    moved = moved_files(tokens)
    if moved is None:
        return None
    made, path = moved
    return Shim("directory" if path is not None else "moved_files", made, path=path)


def _written_file(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
    written = written_file(tokens)
    return Shim("unload", written[0], path=written[1]) if written is not None else None


_Rewrite: TypeAlias = "Callable[[list[Token], list[str], str], Shim | None]"


def _tokens_by(kind: str, rewrite: Callable[[list[Token]], list[Token] | None]) -> _Rewrite:
    """A shim that needs the tokens alone, and gives others."""

    def shim(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
        made = rewrite(tokens)
        return Shim(kind, made) if made is not None else None

    return shim


def _tree_by(kind: str, read: Callable[[list[Token]], exp.Expr | None]) -> _Rewrite:
    """A shim that reads the tokens itself."""

    def shim(tokens: list[Token], _words: list[str], _text: str) -> Shim | None:
        tree = read(tokens)
        return Shim(kind, tree=tree) if tree is not None else None

    return shim


_SHIMS: tuple[_Rewrite, ...] = (
    _replace_table,
    _replace_rows,
    _private_temporary,
    _external_table,
    _tokens_by("live_table", without_live),
    _tokens_by("pipeline_flow", pipeline_flow),
    _delete_from,
    _table_query,
    _insert_directory,
    *COLUMN_SHIMS,
    _evolving_change,
    _tokens_by("respelt", respelt),
    *VIEW_SHIMS,
    _checked_view,
    *TABLE_SHIMS,
    _merge_delete,
    _stream,
    _model,
    _array_model,
    _describe,
    _tree_by("lake_command", lake_command),
    _reset,
    _compound_assignment,
    _window_function,
    _system_time_travel,
    _titles,
    _tree_by("partition_change", partition_change),
    _moved_files,
    _written_file,
    _tokens_by("hive_syntax", hive_syntax),
    _tokens_by("values_query", bracketed_values),
    _tokens_by("spark_syntax", plain_syntax),
    _tokens_by("rowsets", files_as_rows),
    _tokens_by("hints", without_hints),
    _other_change,
    _tokens_by("altered_relation", altered_relation),
    _tree_by("altered_names", altered_names),
    _tree_by("kept_otherwise", kept_otherwise),
    _tokens_by("synonym", synonym_as_view),
    _tokens_by("created_query", created_query),
    _administration,
)
