"""The words for types that sqlglot looks up in itself while it parses, read once instead of each time.

For every CAST its parsers of Spark and Hive ask whether the type is "char" or "varchar", and for each of the two
words it builds a dialect, a tokenizer and a parser, which forget it again: measured at 95 µs, a fourteenth of what
a query of the bench takes as a whole. Its classes are compiled, so that none of ours can take the place of
such a parser; but the one function in between is looked up by name.

It stands there only while a workload is read, and answers as sqlglot's own does, also to other threads.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot.errors import ErrorLevel
from sqlglot.expressions import DataType, DType

_own = sqlglot.parse_one


def read_once() -> None:
    """From now on; what another put there, for a reason of its own, stays."""
    if sqlglot.parse_one is _own:
        sqlglot.parse_one = _parse_one


def read_each_time() -> None:
    """As it was."""
    if sqlglot.parse_one is _parse_one:
        sqlglot.parse_one = _own


def _parse_one(
    sql: str, read: Any = None, dialect: Any = None, into: Any = None, **options: Any
) -> Any:
    if into is DataType and read is None and dialect is None and options == _OF_A_WORD:
        known = _type(sql)
        # A word without parts is made anew in a fourth of the time that a copy takes.
        return DataType(**known.args) if _is_bare(known) else known.copy()
    return _own(sql, read=read, dialect=dialect, into=into, **options)


_OF_A_WORD = {"error_level": ErrorLevel.IGNORE}


def _is_bare(known: DataType) -> bool:
    args = known.args
    return known.__class__ is DataType and not (
        args.keys() - _BARE or args.get("expressions") or args["this"].__class__ is not DType
    )


_BARE = {"this", "expressions", "nested"}


@lru_cache(maxsize=256)
def _type(word: str) -> DataType:
    return _own(word, into=DataType, error_level=ErrorLevel.IGNORE)
