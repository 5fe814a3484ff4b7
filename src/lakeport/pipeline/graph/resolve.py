"""Which table a name means: a model, then a source, then what the catalog has.

A name without a namespace means the one model or source that is called so. Names that nobody in the
project knows are asked of the catalog, all at once and by name; it is looked through for what may be meant
only by one that is nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from lakeport.core.names import TableName, fold, nearest, quoted
from lakeport.lineage.names import written_parts
from lakeport.lineage.references import TableUse
from lakeport.pipeline.graph.model import KnownTable, Nearest, Qualifier, Reference, ReferenceKind
from lakeport.pipeline.project.model import Project, TableMap
from lakeport.pipeline.project.problems import Place

METADATA_TABLES = frozenset(
    {
        *("history", "metadata_log_entries", "snapshots", "refs", "entries", "all_entries"),
        *("files", "data_files", "delete_files", "all_files", "all_data_files", "all_delete_files"),
        *("manifests", "all_manifests", "partitions", "position_deletes"),
    }
)
_BRANCHES = ("branch_", "tag_")


@dataclass(frozen=True, slots=True)
class Target:
    """A table, and how many parts of the written name follow it."""

    table: TableName
    kind: ReferenceKind
    suffix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why a name means nothing."""

    code: str
    message: str
    hint: str


@dataclass(slots=True)
class Names:
    """`catalog` is what the catalog answered, None before it was asked."""

    project: Project
    nearest: Nearest | None = None
    catalog: TableMap[KnownTable] | None = None
    _by_table: dict[str, list[tuple[TableName, ReferenceKind]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.project.models:
            self._by_table.setdefault(fold(name.table), []).append((name, "model"))
        for name in self.project.sources:
            if name not in self.project.models:
                self._by_table.setdefault(fold(name.table), []).append((name, "source"))

    def find(self, parts: tuple[str, ...]) -> Target | Unknown:
        if len(parts) == 1:
            return self._unqualified(parts[0])
        for name, suffix in self._candidates(parts):
            found = self._known(name, suffix)
            if found is not None:
                return found
        return self._unknown(parts)

    def asked(self, parts: tuple[str, ...]) -> Iterable[TableName]:
        """What the catalog must be asked to know what a name means."""
        if len(parts) == 1 or isinstance(self.find(parts), Target):
            return ()
        return (name for name, _ in self._candidates(parts))

    def _candidates(self, parts: tuple[str, ...]) -> Iterator[tuple[TableName, tuple[str, ...]]]:
        if len(parts) > 2 and fold(parts[0]) == fold(self.project.catalog):
            parts = parts[1:]
        yield TableName(".".join(parts[:-1]), parts[-1]), ()
        last = fold(parts[-1])
        if len(parts) > 2 and (last in METADATA_TABLES or last.startswith(_BRANCHES)):
            yield TableName(".".join(parts[:-2]), parts[-2]), parts[-1:]

    def _known(self, name: TableName, suffix: tuple[str, ...]) -> Target | None:
        if name in self.project.models:
            return Target(self.project.models.spelling(name), "model", suffix)
        if name in self.project.sources:
            return Target(self.project.sources.spelling(name), "source", suffix)
        if self.catalog is not None and name in self.catalog:
            return Target(self.catalog.spelling(name), "catalog", suffix)
        return None

    def _unqualified(self, table: str) -> Target | Unknown:
        found = self._by_table.get(fold(table), [])
        if len(found) == 1:
            return Target(*found[0])
        if found:
            names = [quoted(str(name)) for name, _ in found]
            message = f"{quoted(table)} could be {', '.join(names[:-1])} or {names[-1]}"
            return Unknown("ambiguous-name", message, "write the namespace, too")
        close = nearest(table, [name.table for name in self._all()])
        meant = next((str(name) for name in self._all() if name.table == close), None)
        hint = f"did you mean {quoted(meant)}? " if meant else ""
        return Unknown(
            "unknown-table",
            f"there is no model or source {quoted(table)}",
            f"{hint}a table of the catalog is written with its namespace: namespace.{table}",
        )

    def _unknown(self, parts: tuple[str, ...]) -> Unknown:
        name, _ = next(self._candidates(parts))
        close = nearest(str(name), map(str, self._all()))
        if close is None and self.nearest is not None:
            meant = self.nearest(name)
            close = None if meant is None else str(meant)
        hint = f"did you mean {quoted(close)}? if not, " if close else ""
        return Unknown(
            "unknown-table",
            f"there is no table {quoted(str(name))}",
            f"{hint}load it: lakeport load {name} FILE, or declare it in sources.toml: [{name}]",
        )

    def _all(self) -> Collection[TableName]:
        return [*self.project.models, *self.project.sources]


def reference_of(use: TableUse, found: Target, kind: ReferenceKind, place: Place) -> Reference:
    """A name in a text, with the table that it means."""
    return Reference(
        use.parts,
        use.start,
        use.end,
        found.table,
        kind,
        place,
        found.suffix,
        use.travels,
        use.alias_at,
        use.lead,
        use.is_only,
        tuple(Qualifier(one.start, one.end, one.parts) for one in use.qualifiers),
    )


def parts_of(text: str) -> tuple[str, ...]:
    """A name as settings write it: `shop.orders`, with backticks where a part holds a dot."""
    return tuple(part for part, _ in written_parts(text))
