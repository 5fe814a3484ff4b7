"""How the dialects' scripting languages differ, as far as cutting them goes."""

from __future__ import annotations

# Statements need no semicolon between them.
BATCHES = frozenset({"tsql", "fabric"})
# Blocks open with a section of declarations, one per semicolon.
SECTIONS = frozenset(
    {"oracle", "postgres", "redshift", "materialize", "risingwave", "snowflake", "exasol"}
)
# A declaration is a statement that the parser reads.
STATED = frozenset({"spark", "spark2", "databricks", "bigquery", *BATCHES})
# Commands that are followed by more than their own text.
_CONTROL = frozenset(
    {
        "BEGIN",
        "WHILE",
        "LOOP",
        "REPEAT",
        "FOR",
        "IF",
        "ELSEIF",
        "ELSIF",
        "ELSE",
        "EXCEPTION",
        "WHEN",
    }
)
_REOPENED = {
    **dict.fromkeys(SECTIONS, _CONTROL | {"DECLARE"}),
    **dict.fromkeys(
        BATCHES, _CONTROL | {"END", "GO", "PRINT", "FETCH", "KILL", "DBCC", "RAISERROR"}
    ),
}


def reopened_commands(parser: str) -> frozenset[str]:
    """Commands whose text is script again, though the tokenizer keeps it in one piece."""
    return _REOPENED.get(parser, _CONTROL)
