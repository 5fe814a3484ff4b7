"""Identity: stable content hashes for nodes and edges.

blake2b over UTF-8 with a separator byte; never Python's `hash()`, which changes between runs. A view
and a table of one name share an id, so a consumer before the producer still meets it.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

_SEPARATOR = "\x1f"
_MASK = (1 << 64) - 1


@lru_cache(maxsize=65536)
def node_id(kind: str, *parts: str) -> str:
    """`<kind>_<16 hex digits>`."""
    text = _SEPARATOR.join((kind, *parts))
    return f"{kind}_{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


_SALTS = {
    "ownership": 0x9E3779B97F4A7C15,
    "data_flow": 0xBF58476D1CE4E5B9,
    "derivation": 0x94D049BB133111EB,
    "join_dependency": 0xD6E8FEB86659FD93,
    "cross_statement": 0xA0761D6478BD642F,
    "indirect_dependency": 0xE7037ED1A0B428DB,
}


def edge_id(source: str, target: str, edge_type: str, extra: int = 0) -> str:
    """Mixed from the ids of its ends, which are hashes already."""
    mixed = int(source[-16:], 16) * 0x2545F4914F6CDD1D + int(target[-16:], 16) * 0x5851F42D4C957F2D
    return f"edge_{(mixed ^ _SALTS[edge_type]) + extra & _MASK:016x}"
