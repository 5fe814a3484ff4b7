"""Which row groups of a file can hold a row for the predicate, judged from the footer's statistics."""

from __future__ import annotations

from lakeport.catalog.iceberg.files.footer import Footer
from lakeport.catalog.iceberg.files.wanted import Wanted


def possible_groups(footer: Footer, _wanted: Wanted) -> list[int]:
    """Row groups in order of the file; those without rows are left out."""
    counts = footer.starts[1:] - footer.starts[:-1]
    return [group for group, rows in enumerate(counts.tolist()) if rows]
