"""Names of namespaces, tables and columns: matched without regard to case, kept as they were written.

A nested namespace is written with dots (`sales.eu`), so no single part may hold one. What a name may
be is decided here once; a name that another engine wrote is read as it is, only names that *we* are
asked to create are checked. Case means Unicode case folding: `STRASSE` and `straße` are one name.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

V = TypeVar("V")

ROW_ID = "rowid"
"""The name of the row id column: what DuckDB's client looks up, so no column of a user's may have it."""

OWN_PREFIX = "__lakeport"
"""Private columns of ours (keys of a merge, markers) start with this."""

# Iceberg's metadata columns: engines accept them as column names and break later.
_RESERVED_COLUMNS = frozenset(
    {
        ROW_ID,
        "_file",
        "_pos",
        "_deleted",
        "_spec_id",
        "_partition",
        "_row_id",
        "_last_updated_sequence_number",
        "_change_type",
        "_change_ordinal",
        "_commit_snapshot_id",
    }
)

_MAX_LENGTH = 255


def fold(name: str) -> str:
    """What two spellings of one name have in common."""
    if name.isascii():
        return name.lower()  # which is all that the rest does to it
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def quoted(name: str) -> str:
    """How messages show a name."""
    return f"`{name}`"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name a person most likely meant, if one is close."""
    by_fold = {fold(candidate): candidate for candidate in known}
    close = difflib.get_close_matches(fold(name), by_fold, n=1, cutoff=0.6)
    return by_fold[close[0]] if close else None


def why_unsafe(name: str) -> str | None:
    """Why we would not create anything with this name, or None."""
    if not name:
        return "it is empty"
    if name != name.strip():
        return "it starts or ends with a blank"
    if len(name) > _MAX_LENGTH:
        return f"it is longer than {_MAX_LENGTH} characters"
    if any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in name):
        return "it holds a control character"
    if fold(name).startswith(OWN_PREFIX):
        return f"names that start with `{OWN_PREFIX}` are Lakeport's own"
    return None


def why_unsafe_column(name: str) -> str | None:
    if fold(name) in _RESERVED_COLUMNS:
        return "that name is reserved for metadata columns"
    return why_unsafe_field(name)


def why_unsafe_field(name: str) -> str | None:
    if "." in name:
        return "a dot would read as a nested field"
    return why_unsafe(name)


def why_unsafe_table(name: str) -> str | None:
    if "." in name:
        return "a dot separates namespace and table"
    if "\\" in name:
        return "a backslash parts folders on some machines"
    return why_unsafe(name)


def why_unsafe_namespace(name: str) -> str | None:
    for part in name.split("."):
        # Folders of tables have names of their own, folders of namespaces have theirs.
        slash = "a slash would lead into another folder" if "/" in part else None
        reason = slash or why_unsafe_table(part)
        if reason is not None:
            return reason
    return None


@dataclass(frozen=True, slots=True, order=True)
class TableName:
    """Namespace and table, in the spelling of whoever wrote them."""

    namespace: str
    table: str

    @classmethod
    def parse(cls, text: str) -> TableName | None:
        """`namespace.table`, where the last dot separates; None when there is no namespace."""
        namespace, dot, table = text.rpartition(".")
        if not dot or not namespace or not table:
            return None
        return cls(namespace, table)

    @property
    def folded(self) -> tuple[str, str]:
        return fold(self.namespace), fold(self.table)

    def __str__(self) -> str:
        return f"{self.namespace}.{self.table}"


class NameMap(Mapping[str, V], Generic[V]):
    """A read-only mapping that finds a name in any spelling and lists the ones it was given."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[tuple[str, V]] = ()) -> None:
        self._items: dict[str, tuple[str, V]] = {}
        for name, value in items:
            self._items[fold(name)] = (name, value)

    def __getitem__(self, name: str) -> V:
        return self._items[fold(name)][1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and fold(name) in self._items

    def spelling(self, name: str) -> str:
        """The name as it was first written."""
        return self._items[fold(name)][0]


def twins(names: Iterable[str]) -> tuple[str, str] | None:
    """The first two names that fold to one, if any: a schema must not hold both."""
    seen: dict[str, str] = {}
    for name in names:
        folded = fold(name)
        if folded in seen:
            return seen[folded], name
        seen[folded] = name
    return None
