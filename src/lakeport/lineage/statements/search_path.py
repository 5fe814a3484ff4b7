"""Where names without a namespace are looked up from now on: `SET search_path` and its relatives.

One namespace parses as a setting. Lists of them, and `SET SCHEMA`, the parser leaves as text, and
DuckDB and Snowflake write the list into a string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.names import written_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakeport.lineage.bind.binder import Binder

# The settings that hold it.
PATHS = frozenset({"search_path", "schema", "current_schema"})
_COMMAND = re.compile(
    r"^\s*(?:(?:SESSION|LOCAL)\s+)?"
    r"(?:SEARCH_PATH\s*(?:=|\bTO\b)|CURRENT[_ ]SCHEMA\s*=?|SCHEMA\b\s*=?)\s*(?P<list>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SPARK_PATH = re.compile(r"^\s*(?:SET\s+)?PATH\s*=\s*(?P<list>\S.*)$", re.IGNORECASE | re.DOTALL)
_CURRENT = ("DEFAULT_PATH", "CURRENT_SCHEMA", "CURRENT_DATABASE")
# The path that the session began with.
_FIRST = "DEFAULT"
_STRING = re.compile(r"^\s*'([^']*)'\s*$")
# A name up to the next comma; parts in quotes may hold one.
_ENTRY = re.compile(r"(?:\"[^\"]*\"|`[^`]*`|'[^']*'|[^,\"`'])+")


def set_path(binder: Binder, value: exp.Expr) -> None:
    """`SET search_path = …` as the parser reads it."""
    if isinstance(value, exp.Var) and value.name.upper() == _FIRST:
        binder.registry.use_first()
        return
    values = value.expressions if isinstance(value, exp.Tuple) else [value]
    written: list[str] = []
    for item in values:
        if isinstance(item, exp.Literal):
            written += _ENTRY.findall(item.name)
        elif item.name:
            written.append(item.sql(comments=False))
    _use(binder, written)


def command_path(binder: Binder, text: str) -> bool:
    """The same from the text of a command; False if it is about something else."""
    command = _COMMAND.match(text)
    if command is None:
        return False
    names = command["list"]
    if names.strip().upper() == _FIRST:
        binder.registry.use_first()
        return True
    string = _STRING.match(names)
    _use(binder, _ENTRY.findall(string[1] if string else names))
    return True


def spark_path(binder: Binder, text: str) -> bool:
    """Spark's `SET PATH = cat.a, PATH, system.builtin`; False if the text sets something else."""
    command = _SPARK_PATH.match(text) if binder.dialect.naming == "spark" else None
    if command is None:
        return False
    registry = binder.registry
    schema = registry.namespaces.default_schema
    words: dict[str, list[tuple[str | None, str]]] = {
        "PATH": registry.namespaces.search_path,
        "SYSTEM_PATH": [],
        **dict.fromkeys(
            _CURRENT, [(registry.namespaces.default_catalog, schema)] if schema else []
        ),
    }
    path: list[tuple[str | None, str]] = []
    for name in _ENTRY.findall(command["list"]):
        word = name.strip().upper()
        if word in words:
            path += words[word]
            continue
        fold = binder.folding.table
        parts = [fold(part, quoted=quoted) for part, quoted in written_parts(name.strip())]
        if len(parts) != 2:
            return False
        if parts[0] != "system":
            own = parts[0] == "spark_catalog" and registry.namespaces.default_catalog is None
            path.append((None if own else parts[0], parts[1]))
    registry.look_in(path)
    return True


def _use(binder: Binder, written: Iterable[str]) -> None:
    """The namespaces of the path, in order; `$user` and the like are nobody's tables."""
    path: list[tuple[str | None, str]] = []
    for name in written:
        parts = [
            binder.folding.table(part, quoted=quoted)
            for part, quoted in written_parts(name.strip())
        ]
        if parts[-1] and not parts[-1].startswith("$"):
            path.append(
                (
                    parts[-2] if len(parts) > 1 else binder.registry.namespaces.default_catalog,
                    parts[-1],
                )
            )
    binder.registry.use(None, None, path)
