"""The tables that a command line means: names, patterns, or all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from lakeport.app.lake.find import find_table, table_names
from lakeport.catalog.ports import Catalog
from lakeport.core.errors import NotFoundError
from lakeport.core.names import fold, quoted

_WILD = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Chosen:
    """`is_named` says that somebody typed this very name, and not a pattern that it matches."""

    name: str
    is_named: bool


def choose_tables(catalog: Catalog, given: Sequence[str]) -> tuple[Chosen, ...]:
    """Sorted, each once; a name or a pattern that means nothing is an error."""
    known = sorted(table_names(catalog), key=fold)
    if not given:
        return tuple(Chosen(name, is_named=False) for name in known)
    found: dict[str, Chosen] = {}
    for text in given:
        if _WILD.isdisjoint(text):
            name = str(find_table(catalog, text).name)
            found[name] = Chosen(name, is_named=True)
        else:
            for name in _matching(text, known):
                found.setdefault(name, Chosen(name, is_named=False))
    return tuple(sorted(found.values(), key=lambda chosen: fold(chosen.name)))


def _matching(pattern: str, known: Iterable[str]) -> list[str]:
    names = list(known)
    found = [name for name in names if fnmatchcase(fold(name), fold(pattern))]
    if not found:
        shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        raise NotFoundError(
            f"no table matches {quoted(pattern)}",
            hint=f"tables: {shown}" if names else "there is no table yet",
        )
    return found
