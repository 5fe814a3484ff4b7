"""Texts that others chose, as both databases take them: no row is refused for what a text holds."""

from __future__ import annotations

from collections.abc import Mapping


def storable(row: Mapping[str, object], *, longest: int | None = None) -> dict[str, object]:
    """The row with its texts made storable, and cut where they are longer than that.

    Texts that are read back as JSON are not to be cut.
    """
    return {
        name: storable_text(value, longest=longest) if isinstance(value, str) else value
        for name, value in row.items()
    }


def storable_text(value: str, *, longest: int | None = None) -> str:
    cut = value[:longest].replace("\0", "\ufffd")  # Postgres knows no text with a zero in it
    return cut.encode("utf-8", "replace").decode("utf-8")
