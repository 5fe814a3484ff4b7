"""Numbers of bytes as people read them, and nouns that agree with their number."""

from __future__ import annotations

_UNITS = ("kB", "MB", "GB", "TB", "PB")


def size_text(count: int | None) -> str | None:
    """In powers of 1000, as disks and clouds are sold: `1.2 MB`."""
    if count is None:
        return None
    if count < 1000:
        return f"{count} B"
    amount, units = count / 1000, list(_UNITS)
    while amount >= 999.5 and len(units) > 1:  # else it would be shown as 1000
        amount, units = amount / 1000, units[1:]
    return f"{amount:.1f} {units[0]}" if amount < 99.95 else f"{amount:.0f} {units[0]}"


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
