"""Chunks of one file gathered until there are enough rows to evaluate conditions over.

An engine has a fixed price per call, so small chunks are put together. The first stretches are short:
whoever asked is waiting for the first rows, which may come early.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lakeport.catalog.iceberg.parts import MEBIBYTE, Chunk

_FIRST_ROWS = 1 << 12
_MOST_ROWS = 1 << 16
_MOST_BYTES = 8 * MEBIBYTE


class Gather:
    """Called for one file after the other; stretches grow over all of them."""

    def __init__(self) -> None:
        self._enough = _FIRST_ROWS

    def __call__(self, chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
        gathered: list[Chunk] = []
        rows = held = 0
        for chunk in chunks:
            gathered.append(chunk)
            rows += chunk.rows.num_rows
            held += chunk.rows.get_total_buffer_size()
            if rows >= self._enough or held >= _MOST_BYTES:
                yield gathered
                gathered, rows, held = [], 0, 0
                self._enough = min(2 * self._enough, _MOST_ROWS)
        if gathered:
            yield gathered


def one_each(chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
    """Nothing is gained by waiting where nothing is evaluated."""
    return ([chunk] for chunk in chunks)
