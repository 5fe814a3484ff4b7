"""`[files]` of the settings: the folders that functions read, and tables over files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import pyarrow as pa

from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.expressions.evaluate import result_type
from lakeport.catalog.files import FileFormat, FilesCatalog, FilesTable, Reading, Roots
from lakeport.catalog.files.roots import parts_of
from lakeport.core.errors import ConfigurationError, LakeportError
from lakeport.core.names import TableName, quoted, twins, why_unsafe_namespace, why_unsafe_table

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.catalog.ports import Catalog

C = TypeVar("C", bound="Catalog")

_TABLES = "files.tables"
_SUFFIXES = {
    ".parquet": FileFormat.PARQUET,
    ".csv": FileFormat.CSV,
    ".tsv": FileFormat.CSV,
    ".json": FileFormat.JSON,
    ".jsonl": FileFormat.JSON,
    ".ndjson": FileFormat.JSON,
}
_COMPRESSED = {".gz", ".zst", ".bz2", ".lz4"}


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[files.tables.NAMESPACE.TABLE]`."""

    path: Annotated[str, msgspec.Meta(min_length=1)]
    format: FileFormat | None = None
    header: bool = True
    delimiter: str | None = None
    columns: dict[str, str] = {}
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class FilesOf:
    """`catalog` is the one that has the tables: the first."""

    roots: Roots = field(default_factory=Roots)
    catalog: str | None = None
    tables: tuple[FilesTable, ...] = ()

    def over(self, catalog: C, close: Callable[[], None] = lambda: None) -> C | FilesCatalog:
        if not self.tables or catalog.name != self.catalog:
            return catalog
        return FilesCatalog(catalog, self.tables, close)


def files_of(settings: Settings) -> FilesOf:
    """Every mistake is told here; whether files are there is found out when they are read."""
    folders = tuple(Path(os.path.normpath(each)) for each in settings.files.roots)
    tables = tuple(_tables(settings, folders))
    pair = twins(str(table.name) for table in tables)
    if pair is not None:
        raise ConfigurationError(f"`{_TABLES}` has two tables called {quoted(pair[1])}")
    return FilesOf(Roots(folders), settings.catalogs[0].name, tables)


def _tables(settings: Settings, folders: tuple[Path, ...]) -> Iterator[FilesTable]:
    for parts, written in _leaves((), settings.files.tables):
        place = ".".join((_TABLES, *parts))
        source = settings.sources.get(f"{_TABLES}.{parts[0]}")
        where = f"{source}: " if source is not None else ""
        try:
            yield _table(settings.root, folders, parts, written)
        except (LakeportError, msgspec.ValidationError) as error:
            reason = error.message if isinstance(error, LakeportError) else str(error)
            hint = error.hint if isinstance(error, LakeportError) else None
            raise ConfigurationError(f"{where}`{place}`: {reason}", hint=hint) from error


def _leaves(
    above: tuple[str, ...], written: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """A namespace may be nested, so a table is what has a `path`."""
    for name, value in written.items():
        here = (*above, name)
        if not isinstance(value, dict):
            raise ConfigurationError(
                f"`{'.'.join((_TABLES, *here))}` is no table",
                hint=f"write [{_TABLES}.NAMESPACE.TABLE] and its `path` below it",
            )
        if (above and not any(isinstance(each, dict) for each in value.values())) or (
            "path" in value and isinstance(value["path"], str)
        ):
            yield here, value
        else:
            yield from _leaves(here, value)


def _table(
    root: Path, folders: tuple[Path, ...], parts: tuple[str, ...], value: Mapping[str, Any]
) -> FilesTable:
    name = TableName(".".join(parts[:-1]), parts[-1])
    unsafe = (
        why_unsafe_namespace(name.namespace) if name.namespace else "it is in no namespace"
    ) or why_unsafe_table(name.table)
    if unsafe:
        raise ConfigurationError(unsafe, hint=f"write [{_TABLES}.NAMESPACE.TABLE]")
    written = msgspec.convert(dict(value), _Written)
    folder, pattern = _placed(root, folders, written.path)
    return FilesTable(
        name,
        Roots((folder,)),
        pattern,
        _reading(written),
        _declared(written.columns) if written.columns else None,
        written.comment,
    )


def _placed(root: Path, folders: tuple[Path, ...], path: str) -> tuple[Path, str]:
    """The folder that the files are under, and the way from there."""
    whole = Path(os.path.normpath(root / path))
    for folder in (Path(os.path.normpath(root)), *folders):
        if whole.is_relative_to(folder) and whole != folder:
            pattern = whole.relative_to(folder).as_posix()
            parts_of(pattern)
            return folder, pattern
    raise ConfigurationError(
        f"{quoted(path)} is outside of the project",
        hint="add the folder that it is in to `files.roots`",
    )


def _reading(written: _Written) -> Reading:
    name = written.path.lower()
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    found = written.format or _SUFFIXES.get(Path(name).suffix)
    if found is None:
        raise ConfigurationError(
            f"the format of {quoted(written.path)} cannot be told from its name",
            hint=f"set `format` to one of: {', '.join(FileFormat)}",
        )
    delimiter = written.delimiter or ("\t" if name.endswith(".tsv") else ",")
    return Reading(found, header=written.header, delimiter=delimiter)


def _declared(columns: Mapping[str, str]) -> pa.Schema:
    """Types as DuckDB writes them: `DECIMAL(9,2)`, `TIMESTAMP WITH TIME ZONE`."""
    empty = pa.schema([])
    return pa.schema(
        [
            pa.field(name, result_type(parse_expression(f"CAST(NULL AS {kind})", empty), empty))
            for name, kind in columns.items()
        ]
    )
