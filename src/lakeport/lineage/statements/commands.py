"""Commands the parser leaves as text: never a silent success.

Unless the first word is known to move no data, a command is reported as unsupported.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.executed import is_dynamic
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import written_parts
from lakeport.lineage.no_lineage import NO_LINEAGE, statement_type
from lakeport.lineage.statements.inspected import show_table
from lakeport.lineage.statements.procedures import bind_procedure, command_table
from lakeport.lineage.statements.search_path import command_path, spark_path

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

_SAME_AS = {"MSCK": "REPAIR", "MSCK REPAIR": "REPAIR", "DESC": "SHOW", "DESCRIBE": "SHOW"}
# How the objects are called that hold columns: to alter another one moves no data.
_HOLDERS = frozenset(
    {
        "DYNAMIC",
        "EVENT",
        "EXTERNAL",
        "FOREIGN",
        "ICEBERG",
        "LIVE",
        "MATERIALIZED",
        "STREAMING",
        "TABLE",
        "VIEW",
    }
)
# What holds neither columns nor a query.
_OTHER_OBJECTS = frozenset(
    {
        "AGGREGATE",
        "ASSIGNMENT",
        "BITMAP",
        "BLOOMFILTER",
        "CAPACITY",
        "CAST",
        "CATALOG",
        "CLUSTER",
        "COLLATION",
        "CONFIGURATION",
        "CONNECTION",
        "CREDENTIAL",
        "DATABASE",
        "DATASHARE",
        "DIRECTORY",
        "DOMAIN",
        "EXTENSION",
        "FORMAT",
        "GROUP",
        "INDEX",
        "INTEGRATION",
        "KEY",
        "LANGUAGE",
        "LIBRARY",
        "LINK",
        "LOG",
        "LOGIN",
        "MACRO",
        "MASKING",
        "NAMESPACE",
        "NETWORK",
        "NOTIFICATION",
        "OPERATOR",
        "OWNED",
        "POLICY",
        "PROFILE",
        "PROJECT",
        "PUBLICATION",
        "QUOTA",
        "RESERVATION",
        "RESOURCE",
        "ROLE",
        "ROW",
        "SCHEMA",
        "SCHEME",
        "SEARCH",
        "SECRET",
        "SEQUENCE",
        "SERVER",
        "SERVICE",
        "SHARE",
        "SOURCE",
        "STATISTICS",
        "STOPLIST",
        "SUBSCRIPTION",
        "SYNONYM",
        "TABLESPACE",
        "TAG",
        "TYPE",
        "USER",
        "VECTOR",
        "VOLUME",
        "WAREHOUSE",
        "WRAPPER",
    }
)
# So far reaches the word that says what is created.
_HEAD = 4
# `ALTER TABLE t SET PROPERTIES …`: how a table is kept, not what it holds.
_SETTING = re.compile(
    r"^\s*\w+\s+(?:VIEW\s+)?(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?\S+\s+(?:WITH\s+|PARTITION\s*\([^()]*\)\s*|NOT\s+)?"
    r"(?:SET\s+(?:PROPERTIES|AUTHORIZATION|OPTIONS|OWNER|TAGS?|STATISTICS)|(?:ADD|DROP)\s+SEARCH|OWNER|ENABLE"
    r"|DISABLE|CHECK|NOCHECK|VALIDATE|REBUILD|SUSPEND|RESUME|REFRESH|COMPACT|TOUCH|FORCE|REPLICA|SHRINK|FREEZE"
    r"|EXECUTE|MOVE(?!\s+PART)"
    r"|CONCATENATE|(?:UN)?ARCHIVE|UPDATE\s+STATISTICS|SET\s+(?:FILEFORMAT|SERDE|SERDEPROPERTIES|SKEWED)"
    r"|CLUSTERED|SORTED|SKEWED|STORED|INTO\s+\d+\s+BUCKETS|CLUSTER\s+ON|(?:NO\s+)?(?:INHERIT|FORCE)"
    r"|DETACH\s+PARTITION|(?:ALTER|RENAME)\s+CONSTRAINT|RESET"
    # With other actions behind them these may well change the columns.
    r"|(?:ADD\s+(?:CONSTRAINT|CHECK|EXCLUDE|FOREIGN|PRIMARY|UNIQUE)|ALTER\s+(?:COLUMN\s+)?\S+\s+(?:ADD"
    r"\s+GENERATED|RESET|SET\s+(?:STORAGE|COMPRESSION|STATISTICS)))(?!.*,\s*(?:ADD|DROP|ALTER|RENAME)\b))\b",
    re.IGNORECASE | re.DOTALL,
)
# Rows that change their table: Hive's and Oracle's EXCHANGE, Redshift's APPEND, T-SQL's SWITCH,
# PostgreSQL's ATTACH, ClickHouse's partitions of another table.
_MOVES = tuple(
    (
        re.compile(
            rf"^\s*TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?{form}", re.IGNORECASE | re.DOTALL
        ),
        operation,
    )
    for form, operation in (
        (r"(?P<to>\S+)\s+EXCHANGE\s+PARTITION\b.*\bWITH\s+TABLE\s+(?P<of>\S+)", "EXCHANGE"),
        (r"(?P<to>\S+)\s+APPEND\s+FROM\s+(?P<of>\S+)", "APPEND"),
        (r"(?P<to>\S+)\s+ATTACH\s+PARTITION\s+(?P<of>\S+)\s+(?:FOR\s+VALUES|DEFAULT)\b", "ATTACH"),
        (r"(?P<of>\S+)\s+SWITCH\s+(?:PARTITION\s+\S+\s+)?TO\s+(?P<to>\S+)", "SWITCH"),
        (
            r"(?P<to>\S+)\s+(?:ATTACH|REPLACE)\s+PARTITION\s+.*\bFROM\s+(?P<of>[^\s()]+)\s*$",
            "ATTACH",
        ),
        (r"(?P<of>\S+)\s+MOVE\s+PARTITION\s+.*\bTO\s+TABLE\s+(?P<to>\S+)", "MOVE"),
    )
)
# `SET TIME ZONE 'Asia/Tokyo'`; LOCAL and offsets as intervals leave the zone untold.
_TIME_ZONE = re.compile(
    r"^\s*TIME\s+ZONE\s+(?:(?P<quote>['\"])(?P<name>.*?)(?P=quote)|\w)", re.IGNORECASE
)
# Oracle's `ALTER SESSION SET …`.
_SESSION = re.compile(r"^\s*SESSION\s+SET\s+(.+)$", re.IGNORECASE | re.DOTALL)
# DuckDB's `LOAD httpfs`, PostgreSQL's `LOAD 'auth_delay'`: code, no rows.
_LIBRARY = re.compile(r"^\s*(?:\w+|'[^']*')\s*$")
_DROPPED_VARIABLE = re.compile(
    r"^\s*(?:TEMP(?:ORARY)?\s+)?VAR(?:IABLE)?\s+(?:IF\s+EXISTS\s+)?(?:IDENTIFIER\s*\(\s*['\"])?"
    r"(?:[\w`]+\.)*`?(\w+)`?(?:['\"]\s*\))?\s*$",
    re.IGNORECASE,
)


def bind_execute(binder: Binder, tree: exp.Expr) -> str:
    """A call of a procedure, or SQL that nobody knows."""
    return _dynamic(binder) if is_dynamic(tree) else "CALL"


def _dynamic(binder: Binder) -> str:
    binder.report(
        IssueCode.DYNAMIC_SQL,
        "the statement runs SQL that is computed at run time",
        hint="analyse the generated SQL instead",
    )
    return "CALL"


def bind_command(binder: Binder, tree: exp.Expr) -> str:
    word = str(tree.this).upper()
    argument = tree.args.get("expression")
    text = argument.name if isinstance(argument, exp.Expr) else str(argument or "")
    if word in {"EXECUTE", "EXEC"} or text.upper().startswith("IMMEDIATE"):
        return _dynamic(binder)
    if word == "CALL":
        bind_procedure(binder, text)
        return "CALL"
    variable = _DROPPED_VARIABLE.match(text) if word == "DROP" else None
    if variable is not None:
        binder.variables.pop(binder.folding.column(variable[1]), None)
        return "DROP_VARIABLE"
    if word == "ALTER" and _moved(binder, text):
        return "ALTER_TABLE"
    session = _SESSION.match(text) if word == "ALTER" else None
    if (word == "SET" or session) and command_path(binder, session[1] if session else text):
        return "SET"
    _note(binder, word, text)
    if word in NO_LINEAGE or word.partition(" ")[0] in NO_LINEAGE:
        return _SAME_AS.get(word) or statement_type(word, text)
    if word == "LOAD" and _LIBRARY.match(text):
        return word
    first = text.split(None, 1)[0].upper() if text.split() else ""
    if word == "ALTER" and first.isalpha() and (first not in _HOLDERS or _SETTING.match(text)):
        return f"ALTER_{first}"
    made = _replaced(text) or first
    if word in {"CREATE", "DROP"} and made in _OTHER_OBJECTS:
        return f"{word}_{made}"
    binder.report(
        IssueCode.UNSUPPORTED_SYNTAX,
        f"`{word}` statements of this form have no lineage rule",
        hint="the statement keeps its place; its tables are a guess",
    )
    return (
        f"{word}_{first}"
        if word in {"CREATE", "ALTER", "DROP"} and first.isalpha()
        else word
        if word.isidentifier()
        else "UNKNOWN"
    )


def _note(binder: Binder, word: str, text: str) -> None:
    """What is to be kept or said of a command that moves no data."""
    zone = _TIME_ZONE.match(text) if word == "SET" else None
    if zone is not None:
        binder.registry.configure("spark.sql.session.timezone", zone["name"] or "")
    if word == "SET":
        spark_path(binder, text)
    if word == "SHOW":
        show_table(binder, text)


def _moved(binder: Binder, text: str) -> bool:
    """`ALTER TABLE a APPEND FROM b`: what `b` holds becomes part of `a`."""
    for form, operation in _MOVES:
        found = form.match(text)
        if found is not None:
            source = command_table(binder, written_parts(found["of"]), write=False)
            target = command_table(binder, written_parts(found["to"]), write=True)
            target.table_inputs.append((source, operation))
            return True
    return False


def _replaced(text: str) -> str:
    """What is created or dropped, behind OR REPLACE, TEMPORARY, PUBLIC and the like."""
    words = text.upper().split(None, _HEAD)[:_HEAD]
    for word, following in pairwise([*words, ""]):
        if word in {"TABLE", "VIEW"}:
            return following if following == "LOG" else ""
        if word in _OTHER_OBJECTS:
            return word
    return ""
