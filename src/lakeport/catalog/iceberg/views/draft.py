"""A view's next metadata, worked out as Iceberg's own implementation does it: no file and no database here.

Versions and schemas that are the same as one before are not written twice; ids are given by the server,
and -1 means the one that came last. Old versions go once there are more than the view wants to keep.
"""

from __future__ import annotations

import uuid as uuids
from dataclasses import dataclass, field
from typing import Self

from pyiceberg.schema import Schema
from pyiceberg.view.metadata import ViewHistoryEntry, ViewMetadata, ViewVersion

from lakeport.catalog.views import InvalidViewError
from lakeport.core.names import quoted

LAST_ADDED = -1
FORMAT = 1
_FIRST_SCHEMA = 0

_HISTORY = "version.history.num-entries"
_HISTORY_DEFAULT = 10
_MAY_LOSE_DIALECT = "replace.drop-dialect.allowed"


@dataclass(slots=True)
class Draft:
    """`now` is in milliseconds, as everywhere in the metadata."""

    now: int
    uuid: str | None = None
    location: str | None = None
    schemas: list[Schema] = field(default_factory=list)
    versions: list[ViewVersion] = field(default_factory=list)
    log: list[ViewHistoryEntry] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    current: int | None = None
    _before: ViewVersion | None = None
    _added: set[int] = field(default_factory=set)
    _last_schema: int | None = None
    _last_version: int | None = None

    @classmethod
    def of(cls, before: ViewMetadata, now: int) -> Self:
        return cls(
            now,
            before.view_uuid,
            before.location,
            list(before.schemas),
            list(before.versions),
            list(before.version_log),
            dict(before.properties),
            before.current_version_id,
            current_version(before),
        )

    # -- changes ---------------------------------------------------------------------------------

    def assign_uuid(self, given: str) -> None:
        try:
            wanted = str(uuids.UUID(given))
        except ValueError:
            raise InvalidViewError(f"{quoted(given)} is no uuid") from None
        if self.uuid is not None and wanted != self.uuid:
            raise InvalidViewError("a view's uuid cannot be changed")
        self.uuid = wanted

    def add_schema(self, schema: Schema) -> int:
        """Its id: that of the same schema, or the next one."""
        number = _FIRST_SCHEMA
        for known in self.schemas:
            if _is_same_schema(known, schema):
                self._last_schema = known.schema_id
                return known.schema_id
            number = max(number, known.schema_id + 1)
        identifiers = schema.identifier_field_ids
        self.schemas.append(
            Schema(*schema.fields, schema_id=number, identifier_field_ids=identifiers)
        )
        self._last_schema = number
        return number

    def add_version(self, version: ViewVersion) -> int:
        wanted = version.model_copy(update={"schema_id": self._schema_id(version)})
        _check_queries(wanted)
        number = wanted.version_id
        for known in self.versions:
            if _is_same_version(known, wanted):
                self._last_version = known.version_id
                return known.version_id
            number = max(number, known.version_id + 1)
        self.versions.append(wanted.model_copy(update={"version_id": number}))
        self._added.add(number)
        self._last_version = number
        return number

    def set_current(self, number: int) -> None:
        if number == LAST_ADDED:
            if self._last_version is None:
                raise InvalidViewError("no version was added that could become the current one")
            number = self._last_version
        if number == self.current:
            return
        found = next((each for each in self.versions if each.version_id == number), None)
        if found is None:
            raise InvalidViewError(f"the view has no version {number}")
        self.current = number
        # One that was current before comes back now; a new one has its own time.
        moment = found.timestamp_ms if number in self._added else self.now
        self.log.append(_entry(moment, number))

    # -- the result ------------------------------------------------------------------------------

    def finish(self) -> ViewMetadata:
        current = next((each for each in self.versions if each.version_id == self.current), None)
        if self.location is None or current is None:
            raise InvalidViewError("a view needs a location and a version that is current")
        self._check_dialects(current)
        self._forget(current)
        return ViewMetadata.model_validate(
            {
                "view-uuid": self.uuid or str(uuids.uuid4()),
                "format-version": FORMAT,
                "location": self.location,
                "schemas": self.schemas,
                "current-version-id": current.version_id,
                "versions": self.versions,
                "version-log": self.log,
                "properties": self.properties,
            }
        )

    def _check_dialects(self, current: ViewVersion) -> None:
        """Whoever replaces a query must not take it away from engines of another dialect unasked."""
        if self._before is None or self.properties.get(_MAY_LOSE_DIALECT, "").lower() == "true":
            return
        lost = sorted(dialects_of(self._before) - dialects_of(current))
        if lost:
            raise InvalidViewError(
                f"the view would lose its query for {', '.join(map(quoted, lost))}",
                hint=f"give queries for all dialects, or set {quoted(_MAY_LOSE_DIALECT)} to true",
            )

    def _forget(self, current: ViewVersion) -> None:
        """The oldest versions, but none that is current or came now; and what led up to them."""
        most = max(self._kept(), len(self._added | {current.version_id}))
        if len(self.versions) <= most:
            return
        newest = sorted((each.version_id for each in self.versions), reverse=True)
        others = [number for number in newest if number != current.version_id]
        kept = {current.version_id, *others[: most - 1]}
        self.versions = [each for each in self.versions if each.version_id in kept]
        known: list[ViewHistoryEntry] = []
        for entry in self.log:
            known = [*known, entry] if entry.version_id in kept else []
        self.log = known

    def _kept(self) -> int:
        given = self.properties.get(_HISTORY, str(_HISTORY_DEFAULT))
        if not given.isdecimal() or int(given) < 1:
            raise InvalidViewError(
                f"{quoted(_HISTORY)} must be a number above zero, not {quoted(given)}"
            )
        return int(given)

    def _schema_id(self, version: ViewVersion) -> int:
        number = version.schema_id
        if number == LAST_ADDED:
            if self._last_schema is None:
                raise InvalidViewError("no schema was added that the version could have")
            return self._last_schema
        if all(schema.schema_id != number for schema in self.schemas):
            raise InvalidViewError(f"the view has no schema {number}")
        return number


# -- pieces --------------------------------------------------------------------------------------


def current_version(metadata: ViewMetadata) -> ViewVersion:
    found = (v for v in metadata.versions if v.version_id == metadata.current_version_id)
    version = next(found, None)
    if version is None:
        raise ValueError("it does not list its current version")
    return version


def dialects_of(version: ViewVersion) -> set[str]:
    return {each.root.dialect.lower() for each in version.representations}


def _check_queries(version: ViewVersion) -> None:
    dialects = [each.root.dialect.lower() for each in version.representations]
    if not dialects:
        raise InvalidViewError("a view needs a query", hint="give one representation or more")
    twice = next((each for each in dialects if dialects.count(each) > 1), None)
    if twice is not None:
        # The words are Iceberg's: its clients look for them.
        raise InvalidViewError(
            f"Invalid view version: Cannot add multiple queries for dialect {twice}"
        )


def _is_same_schema(one: Schema, other: Schema) -> bool:
    identifiers = set(one.identifier_field_ids), set(other.identifier_field_ids)
    return one.as_struct() == other.as_struct() and identifiers[0] == identifiers[1]


def _is_same_version(one: ViewVersion, other: ViewVersion) -> bool:
    """But for their numbers and times."""
    left, right = (
        each.model_copy(update={"version_id": 0, "timestamp_ms": 0}) for each in (one, other)
    )
    return left == right


def _entry(moment: int, number: int) -> ViewHistoryEntry:
    return ViewHistoryEntry.model_validate({"timestamp-ms": moment, "version-id": number})
