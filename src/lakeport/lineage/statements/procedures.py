"""Iceberg's system procedures, which CALL names: writes to a table, most of them out of nowhere.

Some read another one: `snapshot` copies a table, `add_files` takes its files over, and a changelog
view shows what happened to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.tables import known_table
from lakeport.lineage.bind.written_names import table_named
from lakeport.lineage.names import dotted, written_parts
from lakeport.lineage.statements.define import bind_definition

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Relation

_PROCEDURE = re.compile(
    r"^\s*(?:([\w`\".]+)\.)?system\.(\w+)\s*\((.*)\)\s*$", re.IGNORECASE | re.DOTALL
)
_ARGUMENT = re.compile(r"(?:(\w+)\s*=>\s*)?'([^']+)'")
# What a map or an array holds is no argument.
_INSIDE = re.compile(r"\([^()]*\)")
# How the first arguments are called; all others begin with their table.
_ORDERS = {
    "snapshot": ("source_table", "table"),
    "add_files": ("table", "source_table"),
    "create_changelog_view": ("table", "changelog_view"),
}
_READ = {"snapshot": "CLONE", "add_files": "APPEND"}
_CHANGES = (
    ("_change_type", "STRING"),
    ("_change_ordinal", "INT"),
    ("_commit_snapshot_id", "BIGINT"),
)


def bind_procedure(binder: Binder, text: str) -> None:
    """The call of a procedure; of other ones than Iceberg's nothing is known."""
    match = _PROCEDURE.match(text)
    if match is None:
        return
    catalog, procedure, written = match.groups()
    procedure = procedure.lower()
    given = _arguments(_ORDERS.get(procedure, ("table",)), written)
    target = given.get("table")
    if target is None:
        return
    name = written_parts(target)
    if catalog and len(name) < 3:
        # The procedure's catalog is the table's.
        name = [*written_parts(catalog), *name]
    if procedure == "create_changelog_view":
        view = given.get("changelog_view") or f"{name[-1][0]}_changes"
        _changelog(binder, dotted(f"`{part}`" for part, _ in name), view)
        return
    changed = command_table(binder, name, write=True)
    source = given.get("source_table")
    if source is not None and procedure in _READ:
        read = command_table(binder, written_parts(source), write=False)
        changed.table_inputs.append((read, _READ[procedure]))


def _arguments(names: tuple[str, ...], written: str) -> dict[str, str]:
    """Texts by the names of their parameters; those without a name come first, in order."""
    given: dict[str, str] = {}
    while (flat := _INSIDE.sub("", written)) != written:
        written = flat
    for place, (name, value) in enumerate(_ARGUMENT.findall(written)):
        called = name.lower() or (names[place] if place < len(names) else "")
        given.setdefault(called, value)
    return given


def _changelog(binder: Binder, table: str, view: str) -> None:
    """A temporary view: the rows of the table, and how, in which order and by what they changed."""
    told = [exp.alias_(exp.cast(exp.null(), kind), name) for name, kind in _CHANGES]
    query = exp.Select(expressions=[exp.Star(), *told]).from_(table_named(table))
    bind_definition(binder, table_named(view), query, {}, kind="view", temporary=True)


def command_table(binder: Binder, written: list[tuple[str, bool]], *, write: bool) -> Relation:
    """A table that the text of a command names."""
    parts = tuple(binder.folding.table(part, quoted=quoted) for part, quoted in written)
    shown = tuple(part for part, _ in written)
    if len(shown) == 2 and "/" in shown[1]:
        # `parquet`.`/lake/events`
        parts = shown = shown[1:]
    relation = known_table(binder, parts, shown, exp.Table(), write=write)
    if write:
        relation.written = True
        binder.writes.setdefault(dotted(relation.name))
    return relation
