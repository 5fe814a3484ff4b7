"""How identifiers become keys, and relations canonical names.

A canonical name is a tuple of folded parts, never a dotted string: BigQuery projects hold dashes and
Spark paths hold dots. Original spelling is kept beside it for labels.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from lakeport.lineage.dialects import Dialect, Fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakeport.lineage.request import CaseSensitivity

Name: TypeAlias = tuple[str, ...]

_OVERRIDES = {"lower": Fold.LOWER, "upper": Fold.UPPER, "exact": Fold.EXACT}
# `events_20240101`, `events_2023*`: BigQuery's date-sharded tables are one relation.
_SHARD = re.compile(r"^(?P<base>.*?_?)(?:(?:19|20)\d{6}|(?:19|20)\d{0,6}\*|\*)$")


_MANY_NAMES = 20_000


class _Folded(dict[str, str]):
    """Names by their spelling, each folded when it is first asked for."""

    __slots__ = ("_fold",)

    def __init__(self, fold: Fold) -> None:
        self._fold = fold

    def __missing__(self, text: str) -> str:
        made = self[text] = _folded(text, self._fold, quoted=False)
        return made


class Folding:
    """The case rules of a dialect, with every answer remembered."""

    __slots__ = (
        "_column_fold",
        "_quoted_columns",
        "_quoted_tables",
        "_table_fold",
        "columns",
        "quotes_matter",
        "shards",
        "tables",
    )

    def __init__(self, dialect: Dialect, case: CaseSensitivity = "dialect") -> None:
        self._table_fold = _OVERRIDES.get(case, dialect.tables)
        self._column_fold = _OVERRIDES.get(case, dialect.columns)
        # Whether a table's name in quotes may be another than the same without.
        self.quotes_matter = self._table_fold in {Fold.LOWER, Fold.UPPER}
        # BigQuery's date-sharded tables are one relation.
        self.shards = dialect.name == "bigquery"
        # The keys of unquoted names; the binder looks here itself.
        self.columns = _Folded(self._column_fold)
        self.tables = _Folded(self._table_fold)
        self._quoted_tables: dict[str, str] = {}
        self._quoted_columns: dict[str, str] = {}

    def trim(self) -> None:
        """Forget, if there is too much to remember."""
        for known in (self.tables, self._quoted_tables, self.columns, self._quoted_columns):
            if len(known) > _MANY_NAMES:
                known.clear()

    def table(self, text: str, *, quoted: bool = False) -> str:
        """The key of one part of a relation's name."""
        if not quoted:
            return self.tables[text]
        key = self._quoted_tables.get(text)
        if key is None:
            key = self._quoted_tables[text] = _folded(text, self._table_fold, quoted=True)
        return key

    def column(self, text: str, *, quoted: bool = False) -> str:
        """The key of a column's name or of a table alias."""
        if not quoted:
            return self.columns[text]
        key = self._quoted_columns.get(text)
        if key is None:
            key = self._quoted_columns[text] = _folded(text, self._column_fold, quoted=True)
        return key


# By the name of the dialect, because a dialect is long to hash.
_shared: dict[tuple[str, CaseSensitivity], Folding] = {}


def folding_of(dialect: Dialect, case: CaseSensitivity = "dialect") -> Folding:
    """The rules for requests of this kind; the names of one request are mostly those of the next."""
    shared = _shared.get((dialect.name, case))
    if shared is None:
        shared = _shared.setdefault((dialect.name, case), Folding(dialect, case))
    shared.trim()
    return shared


def _folded(text: str, fold: Fold, *, quoted: bool) -> str:
    if fold is Fold.INSENSITIVE:
        return text.lower()
    if quoted or fold is Fold.EXACT:
        return text
    return text.lower() if fold is Fold.LOWER else text.upper()


def dotted(name: Iterable[str]) -> str:
    """A canonical name for people."""
    return ".".join(name)


def written_parts(text: str) -> list[tuple[str, bool]]:
    """A dotted name as people write it, split on unquoted dots into (part, was quoted)."""
    parts: list[tuple[str, bool]] = []
    for match in _PART.finditer(text):
        quoted = next((group for group in match.groups()[:4] if group is not None), None)
        parts.append((quoted, True) if quoted is not None else (match.group(5), False))
    return parts or [(text, False)]


_PART = re.compile(r'"([^"]+)"|`([^`]+)`|\[([^\]]+)\]|\'([^\']+)\'|([^.]+)')


def is_path(name: str) -> bool:
    """Whether a name is that of a file or a folder wherever it is written: no namespace holds it."""
    return "/" in name and (name[0] == "/" or ":/" in name)


def unsharded(name: str) -> str:
    """BigQuery: a date-sharded or wildcard table name without its date; decorators are dropped."""
    if "${" in name:
        # A variable: which table it is nobody knows.
        return name
    base = name.split("$", 1)[0].split("@", 1)[0]
    match = _SHARD.match(base)
    return match["base"].rstrip("_") or base if match and match["base"].rstrip("_") else base
