"""Which texts are read as a dictionary and spelled out afterwards: those with few different values.

Writers store such columns that way, and to copy a value from a small dictionary costs half of what
pyarrow needs to decode it. A large dictionary costs far more, as every batch comes with a whole one:
so the footer must prove that a value takes a byte at most, which no more than 256 values do.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakeport.catalog.iceberg.files.footer import Footer

_DICTIONARY = {"RLE_DICTIONARY", "PLAIN_DICTIONARY"}
_PER_VALUE = 1.1


def few_valued(footer: Footer, leaves: Sequence[int], groups: Sequence[int]) -> list[int]:
    """Those of the leaves that hold few different values in all of the row groups."""
    columns = {node.leaves[0] for node in footer.nodes if not node.children}
    return [
        leaf
        for leaf in leaves
        if leaf in columns and all(_has_few_values(footer, group, leaf) for group in groups)
    ]


def _has_few_values(footer: Footer, group: int, leaf: int) -> bool:
    chunk = footer.chunk(group, leaf)
    return (
        chunk.physical_type == "BYTE_ARRAY"
        and not _DICTIONARY.isdisjoint(chunk.encodings)
        and chunk.total_uncompressed_size <= _PER_VALUE * chunk.num_values
    )
