"""Tables that were there before, read a little and never changed: only with `--read-existing`."""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.conformance import listing
from lakeport.conformance.check import Check, Family
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import Entry
from lakeport.conformance.scan import endpoints, rows_of

_MOST_TABLES = 100


def _read(entry: Entry) -> Check:
    def ask(ground: Ground) -> None:
        left = ground.read_rows
        requested = {entry.place(at) for at in range(len(entry.columns))}
        for endpoint in endpoints(ground.catalog, entry):
            if left <= 0:
                break
            found = rows_of(ground.catalog, entry, endpoint, requested, most_rows=left)
            left -= sum(map(len, found))

    name = f"existing.{entry}"
    return Check(name, "0.3", f"{entry} streams the columns that it declares", ask)


def _grown(ground: Ground) -> Iterator[Check]:
    if not ground.read_rows:
        return
    root = listing.fetch_root(ground.attached)
    theirs = [
        entry
        for each in root.namespaces
        if each.name != ground.workshop.namespace
        for entry in listing.entries_of(ground.attached, root, each)
        if entry.kind == "table"
    ]
    yield from (_read(entry) for entry in theirs[:_MOST_TABLES])


FAMILY = Family("existing", "tables that were there before", grown=_grown)
