"""Stars nobody could expand, as later statements see them: a table made of one has its columns.

`CREATE TABLE b AS SELECT * FROM a` lists no column, and `SELECT x FROM b` says that there is an `x`,
in `b` and therefore in `a`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lakeport.lineage.bind.scope import Tail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakeport.lineage.bind.scope import Relation
    from lakeport.lineage.names import Name


# All columns go with these, like those behind a star.
_WHOLE = frozenset({"CLONE", "MERGE_INSERT", "MERGE_UPDATE", "RENAME"})


class Opened(NamedTuple):
    """A relation that a statement fills from stars: its node, and the nodes behind them.

    With each of those go the names that do not come from there.
    """

    relation: str
    # Names decide in what a query makes; what is inserted goes by position.
    certain: bool
    origins: tuple[tuple[str, frozenset[str]], ...]


class OpenEnd(NamedTuple):
    """One relation behind the stars of another, and what was behind its own by then."""

    relation: str
    name: Name
    without: frozenset[str]
    behind: tuple[OpenEnd, ...]
    certain: bool


def opened_by(relation: Relation, *, certain: bool) -> Opened:
    """Where the columns of a written relation come from that its statement did not list."""
    listed = frozenset(column.key for column in relation.columns)
    return Opened(relation.node or "", certain, tuple(_origins(relation, listed, set())))


def _origins(
    relation: Relation, without: frozenset[str], passed: set[int]
) -> Iterator[tuple[str, frozenset[str]]]:
    """The stored relations behind stars, through CTEs and derived tables."""
    whole = [
        Tail(origin)
        for origin, operation in relation.table_inputs
        if operation in _WHOLE and not origin.complete
    ]
    for tail in (*relation.tails, *whole):
        origin = tail.relation
        if id(origin) in passed:
            continue
        if origin.local_kind is None:
            if origin.node is not None:
                yield origin.node, without | tail.excluded
        else:
            passed.add(id(origin))
            listed = frozenset(column.key for column in origin.columns)
            yield from _origins(origin, without | tail.excluded | listed, passed)
