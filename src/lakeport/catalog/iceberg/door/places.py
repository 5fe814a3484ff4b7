"""Where a client may have files written and read: in the warehouse, and where its table is already.

We write metadata and open files with rights of our own, so a location is as good as a password. Whoever
is an administrator may name any; the others, and what a property says, stay inside. A service behind
us judges for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.engines import Terms
from lakeport.catalog.iceberg.alter.properties import says_how_files_are_reached
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.upkeep.named import statistics_files
from lakeport.catalog.iceberg.upkeep.neighbours import is_inside
from lakeport.catalog.iceberg.within import require_within
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted

_LOCATION = "location"


@dataclass(frozen=True, slots=True)
class Places:
    """`profile` is None where a service decides."""

    profile: Profile | None

    @classmethod
    def of(cls, surroundings: Surroundings) -> Places:
        is_ours = isinstance(surroundings.native, PatientSqlCatalog)
        return cls(surroundings.profile if is_ours else None)

    def check(self, location: str, terms: Terms, home: str | None = None) -> None:
        """`home` is where the table is now."""
        if self.profile is None:
            return
        if not location or not location.isprintable():
            raise InvalidRequestError("a location is empty, or holds what no file's name can")
        is_home = home is not None and is_inside(location, home)
        require_within(self.profile, location, anywhere=terms.anywhere or is_home)

    def check_properties(
        self, given: Mapping[str, str], terms: Terms, known: Mapping[str, str], home: str | None
    ) -> None:
        """Those that are as they were are nobody's wish."""
        if self.profile is None:
            return
        for key, value in given.items():
            if not says_how_files_are_reached(key) or known.get(key) == value:
                continue
            if key == _LOCATION or key.endswith(".path"):
                self.check(value, terms, home)
            elif not terms.anywhere:
                raise InvalidRequestError(
                    f"the property {quoted(key)} would say how files are reached",
                    hint="leave it out; storage is configured for the whole catalog",
                )

    def check_change(
        self, before: TableMetadata | None, after: TableMetadata, terms: Terms
    ) -> None:
        home = None if before is None else before.location
        if home != after.location:
            self.check(after.location, terms, home)
        known = {} if before is None else before.properties
        self.check_properties(after.properties, terms, known, home)
        old = set() if before is None else {each.snapshot_id for each in before.snapshots}
        for snapshot in after.snapshots:
            if snapshot.snapshot_id not in old:
                self.check(snapshot.manifest_list, terms, home or after.location)
        # They are removed with their snapshots.
        counted = set() if before is None else set(statistics_files(before))
        for path in statistics_files(after):
            if path not in counted:
                self.check(path, terms, home or after.location)
