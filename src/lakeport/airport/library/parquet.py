"""A folder of Parquet files as a catalog: its sub-folders are namespaces, what is in them are tables.

A table is a file, `shop/orders.parquet`, or a folder of files, `shop/orders/…`. Files that come, go or
change are noticed by the next statement. Nothing outside the folder is read: links that lead out of it,
and names that begin with a dot, are not there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

from lakeport.airport.library.sources import source_of
from lakeport.airport.library.table import ReadTable, table_of
from lakeport.catalog.ports import CatalogVersion, NamespaceInfo, Table
from lakeport.core.errors import ConfigurationError, CorruptDataError, NotFoundError
from lakeport.core.names import NameMap, TableName, quoted, why_unsafe_table

_SUFFIX = ".parquet"


class ParquetFolder:
    def __init__(self, folder: str | Path, *, name: str | None = None) -> None:
        self._root = Path(folder).resolve()
        if not self._root.is_dir():
            raise ConfigurationError(f"{quoted(str(folder))} is no folder")
        self._name = name or self._root.name
        self._lock = threading.Lock()
        self._seen: tuple[object, ...] | None = None
        self._number = 0

    @property
    def name(self) -> str:
        return self._name

    def version(self) -> CatalogVersion:
        """One more than before if any file is other than before: a look at names and times, not into files."""
        with self._lock:
            seen = tuple(sorted(self._stamps()))
            if seen != self._seen:
                self._seen, self._number = seen, self._number + 1
            return CatalogVersion(self._number)

    def namespaces(self) -> Sequence[NamespaceInfo]:
        return [NamespaceInfo(name) for name in sorted(self._places())]

    def namespace(self, name: str) -> FolderNamespace:
        places = self._places()
        if name not in places:
            where = f"catalog {quoted(self._name)}"
            raise NotFoundError.among("namespace", name, places, where=where)
        return FolderNamespace(self, places.spelling(name), places[name])

    def tables_in(self, place: Path) -> NameMap[Path]:
        return NameMap(
            (_table_name(path), path)
            for path in sorted(self._within(place))
            if (path.is_dir() and any(self._files(path))) or path.suffix == _SUFFIX
        )

    def read(self, name: TableName, path: Path) -> ReadTable:
        files = [str(path)] if path.is_file() else sorted(map(str, self._files(path)))
        try:
            dataset = ds.dataset(files, format="parquet")
        except (pa.ArrowException, OSError) as error:
            raise CorruptDataError(
                f"table {quoted(str(name))} cannot be read: {type(error).__name__}",
                hint="its files are no Parquet files, or their columns differ",
            ) from error
        return table_of(source_of(self._name, name, dataset, None, None, None))

    def _places(self) -> NameMap[Path]:
        return NameMap((path.name, path) for path in self._within(self._root) if path.is_dir())

    def _within(self, place: Path) -> Iterator[Path]:
        """What is in a folder and, links followed, really in ours."""
        try:
            found = list(place.iterdir())
        except OSError:
            return  # gone since it was seen
        for path in found:
            if path.name.startswith(".") or why_unsafe_table(_stem(path.name)) is not None:
                continue
            if path.resolve().is_relative_to(self._root):
                yield path

    def _files(self, folder: Path) -> Iterator[Path]:
        for path in self._within(folder):
            if path.is_dir():
                yield from self._files(path)
            elif path.suffix == _SUFFIX:
                yield path

    def _stamps(self) -> Iterator[tuple[str, int, int]]:
        for place in self._within(self._root):
            if place.is_dir():
                yield str(place), 0, 0
                for file in self._files(place):
                    try:
                        known = file.stat()
                    except OSError:
                        continue
                    yield str(file), known.st_mtime_ns, known.st_size


class FolderNamespace:
    def __init__(self, folder: ParquetFolder, name: str, place: Path) -> None:
        self._folder = folder
        self._name = name
        self._place = place

    @property
    def info(self) -> NamespaceInfo:
        return NamespaceInfo(self._name)

    def tables(self) -> Sequence[str]:
        return list(self._folder.tables_in(self._place))

    def table(self, name: str) -> Table:
        known = self._folder.tables_in(self._place)
        if name not in known:
            where = f"namespace {quoted(self._name)}"
            raise NotFoundError.among("table", name, known, where=where)
        return self._folder.read(TableName(self._name, known.spelling(name)), known[name])


def _stem(name: str) -> str:
    return name.removesuffix(_SUFFIX)


def _table_name(path: Path) -> str:
    return _stem(path.name) if path.is_file() else path.name
