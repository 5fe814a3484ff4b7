"""The schema used, at the end of the workload: what to show and to re-import."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from lakeport.lineage.result import (
    ImportedColumns,
    ResolvedColumn,
    ResolvedSchema,
    ResolvedTable,
    TableVersion,
)

if TYPE_CHECKING:
    from lakeport.lineage.entries import ColumnEntry, TableEntry
    from lakeport.lineage.names import Folding, Name
    from lakeport.lineage.session import Session


def resolved_schema(session: Session) -> ResolvedSchema | None:
    """Every table a statement read, wrote or created (or all of them), in name order."""
    registry = session.registry
    used = session.used
    imported, implied = registry.imported, registry.implied
    if session.options.resolved_schema_scope == "all":
        chosen: dict[Name, TableEntry] = {**implied, **imported}
    else:
        chosen = {
            name: entry for name in used if (entry := imported.get(name) or implied.get(name))
        }
    if not (implied or imported):
        return None
    # A temporary relation stands behind the imported table that it hides.
    hiding = [] if imported.keys().isdisjoint(implied) else [n for n in chosen if n in imported]
    hiders = [(name, implied[name]) for name in hiding if name in implied]
    tables = [
        _table(entry, session, used.get(name, []))
        for name, entry in sorted([*chosen.items(), *hiders], key=_order)
    ]
    history = _history(session) if session.options.include_schema_history else []
    return ResolvedSchema(tables=tables, history=history)


def _order(item: tuple[Name, TableEntry]) -> tuple[str, str, str]:
    return _places(item[0])


@lru_cache(maxsize=4096)
def _places(name: Name) -> tuple[str, str, str]:
    """Catalog, namespace and table of a name."""
    return (".".join(name[:-2]), name[-2] if len(name) > 1 else "", name[-1])


def _parts(entry: TableEntry) -> tuple[str | None, str | None, str]:
    """Original spelling where it was written, canonical parts where defaults filled in."""
    name, shown = entry.name, entry.shown
    if len(shown) != len(name):
        shown = (*name[: len(name) - len(shown)], *shown)
    return _split(shown)


@lru_cache(maxsize=4096)
def _split(name: Name) -> tuple[str | None, str | None, str]:
    if len(name) == 1:
        return None, None, name[0]
    catalog, schema, table = _places(name)
    return catalog or None, schema, table


def _table(entry: TableEntry, session: Session, referenced: list[int]) -> ResolvedTable:
    folding = session.folding
    quoted = folding.quotes_matter and _is_exact(entry, folding)
    catalog, schema, name = _split(entry.name) if quoted else _parts(entry)
    # Fields in their order: names would be looked up for each of many tables.
    return ResolvedTable(
        name,
        entry.shown_columns or _columns(entry, folding),
        entry.origin,
        session.time,
        entry.kind,
        entry.complete,
        catalog,
        schema,
        entry.statement_index if entry.origin == "implied" else None,
        entry.source_name,
        entry.temporary,
        entry.constraints,
        entry.inference,
        referenced,
        entry.conflict,
        entry.description,
        quoted,
    )


def _is_exact(entry: TableEntry, folding: Folding) -> bool:
    """Whether a name would fold to another one where it is imported again."""
    fold = folding.tables
    # From the end, because defaults fill in at the front.
    for part, name in zip(entry.shown[::-1], entry.name[::-1], strict=False):
        if fold[part] != name and folding.table(part, quoted=True) == name:
            return True
    return False


def _columns(entry: TableEntry, folding: Folding) -> list[ResolvedColumn]:
    if entry.shown_columns is None:
        fold = folding.columns
        shown = [_column(column, fold) for column in entry.columns]
        # Only what is imported is shown again.
        entry.shown_columns = ImportedColumns(shown) if entry.origin == "imported" else shown
    return entry.shown_columns


def _column(column: ColumnEntry, fold: dict[str, str]) -> ResolvedColumn:
    return ResolvedColumn(
        name=column.name,
        data_type=column.data_type,
        origin=column.origin,
        is_primary_key=column.is_primary_key,
        foreign_key=column.foreign_key,
        data_type_origin=column.type_origin,
        nullable=column.nullable,
        renamed_from=column.renamed_from,
        tags=list(column.tags) or (),
        quoted=column.key == column.name and fold[column.name] != column.key,
    )


def _history(session: Session) -> list[TableVersion]:
    versions: list[TableVersion] = []
    last: dict[Name, int] = {}
    history = session.registry.history
    ends: list[int | None] = []
    following: dict[Name, int] = {}
    for name, version in reversed(history):
        ends.append(following.get(name))
        following[name] = version.valid_from
    for (name, version), end in zip(history, reversed(ends), strict=True):
        if version.entry is None:
            continue
        last[name] = last.get(name, 0) + 1
        catalog, schema, shown = _parts(version.entry)
        versions.append(
            TableVersion(
                catalog=catalog,
                schema=schema,
                name=shown,
                version=last[name],
                valid_from=version.valid_from,
                valid_to=end,
                columns=[
                    _column(column, session.folding.columns) for column in version.entry.columns
                ],
            )
        )
    return versions
