"""How the examples tell what they do: numbered steps, notes and small tables."""

from __future__ import annotations

from collections.abc import Sequence

_STEPS = iter(range(1, 100))


def say(word: str, sentence: str) -> None:
    print(f"\n{next(_STEPS):>2}  {word:<9}{sentence}")


def note(text: str) -> None:
    print(f"    {text}")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Text to the left, numbers to the right."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(cell.replace(".", "").isdigit() for cell in column[1:]) for column in columns]
    for row in (header, *rows):
        cells = zip(row, widths, right, strict=True)
        shown = (
            cell.rjust(width) if number else cell.ljust(width) for cell, width, number in cells
        )
        print("    " + "  ".join(shown).rstrip())
