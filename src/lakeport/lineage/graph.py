"""Identity: stable content hashes for nodes and edges.

blake2b over UTF-8 with a separator byte; never Python's `hash()`, which changes between runs. A view
and a table of one name share an id, so a consumer before the producer still meets it.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakeport.lineage.names import Name

_SEPARATOR = "\x1f"
# Of so many columns of a relation something is kept for later requests.
MANY_COLUMNS = 64


@lru_cache(maxsize=65536)
def node_id(kind: str, *parts: str) -> str:
    """`<kind>_<16 hex digits>`."""
    text = _SEPARATOR.join((kind, *parts))
    return f"{kind}_{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


@lru_cache(maxsize=8192)
def table_id(name: Name) -> str:
    """The id of a stored relation, which is asked for again and again."""
    return node_id("table", *name)


class ColumnIds(dict[str, str]):
    """The ids of one relation's columns by key, each worked out when it is first asked for."""

    __slots__ = ("_owner", "ownership")

    def __init__(self, owner: str) -> None:
        self._owner = owner
        # What the ids of the edges to them begin with.
        self.ownership = edge_id(owner, "", "ownership")

    def __missing__(self, key: str) -> str:
        made = node_id("column", self._owner, key)
        if len(self) < MANY_COLUMNS:
            self[key] = made
        return made


@lru_cache(maxsize=2048)
def column_ids(owner: str) -> ColumnIds:
    """Looked up once per relation: then a column's id costs no more than a key of a map."""
    return ColumnIds(owner)


_KINDS = {
    "ownership": "o",
    "data_flow": "f",
    "derivation": "d",
    "join_dependency": "j",
    "cross_statement": "x",
    "indirect_dependency": "i",
}


# The length of an edge's id without `extra`.
PLAIN_EDGE = len("edge_x_") + 16 + len("_") + 16


def edge_id(source: str, target: str, edge_type: str, extra: str = "") -> str:
    """Made of the ids of its ends, which are hashes already; `extra` tells parallel edges apart."""
    return f"edge_{_KINDS[edge_type]}{extra}_{source[-16:]}_{target[-16:]}"
