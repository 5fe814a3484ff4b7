"""Commits of other engines: checked against the table of now, applied, and moved to in one transaction.

If somebody else moves the table in between, all is worked out again, as long as what the engine requires of
the table still holds. So two engines that touch different things both succeed, and nothing is applied
to a state that nobody looked at. What was made before is not made again (`repeated.py`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from pyiceberg.exceptions import CommitFailedException, TableAlreadyExistsError
from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.decoding import decoded
from lakeport.catalog.engines import Described, TableChange, Terms
from lakeport.catalog.iceberg.commit.pointer import pause
from lakeport.catalog.iceberg.create import taken
from lakeport.catalog.iceberg.door import messages, requirements, services
from lakeport.catalog.iceberg.door.draft import Draft
from lakeport.catalog.iceberg.door.outcomes import changing
from lakeport.catalog.iceberg.door.places import Places
from lakeport.catalog.iceberg.door.repeated import were_made
from lakeport.catalog.iceberg.door.runs import check_once
from lakeport.catalog.iceberg.door.texts import Text, text_at
from lakeport.catalog.iceberg.door.updates import apply
from lakeport.catalog.iceberg.drivers.patience import Patience
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.drivers.sql_commits import Move, Moved
from lakeport.catalog.iceberg.metadata import Loaded, hold
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.naming import check_table_name
from lakeport.core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from lakeport.core.names import TableName

_MILLISECOND = 1_000_000  # in nanoseconds
_USUAL_FORMAT = 2


@dataclass(frozen=True, slots=True)
class _Asked:
    name: TableName
    commit: messages.Commit
    creates: bool


@dataclass(frozen=True, slots=True)
class Committer:
    surroundings: Surroundings
    places: Places

    def commit(self, change: TableChange, terms: Terms) -> Described:
        if isinstance(self.surroundings.native, PatientSqlCatalog):
            (described,) = self.commit_all((change,), terms)
            return described
        asked = self._asked(change)
        before = self._loaded(asked)
        if before is not None and terms.check is None:
            return services.commit(self.surroundings, change, before, before.metadata)
        after = self._move(asked, before, terms).after
        return services.commit(self.surroundings, change, before, after)

    def pass_on(self, changes: Sequence[TableChange], terms: Terms) -> None:
        """All of them or none, as a service decides it; it keeps the tables that come of it to itself."""
        asked = [self._asked(change) for change in changes]
        for each in asked:
            if each.creates or terms.check is not None:
                self._move(each, self._loaded(each), terms)  # for the sake of what it refuses
        try:
            services.commit_all(self.surroundings, changes)
        except AlreadyExistsError as error:
            raise taken(self._first_taken(asked)) from error
        except NotFoundError:
            for each in asked:  # the answer does not say which of them
                self._loaded(each)
            raise

    def commit_all(self, changes: Sequence[TableChange], terms: Terms) -> list[Described]:
        """In a catalog of ours."""
        native = self.surroundings.native
        assert isinstance(native, PatientSqlCatalog)  # noqa: S101  others are passed on
        asked = [self._asked(change) for change in changes]
        deadline = time.monotonic() + Patience.of(self.surroundings.profile).commit
        attempt = 0
        while True:
            found = [(each, self._loaded(each)) for each in asked]
            known = [(each.commit, None if now is None else now.metadata) for each, now in found]
            if were_made(known):
                return [self._as_it_is(each.name, now) for each, now in found if now is not None]
            moves = {each.name: self._move(each, now, terms) for each, now in found}
            due = [move for move in moves.values() if move.after is not move.before]
            with changing(self.surroundings, asked[0].name):
                try:
                    moved = native.move(due)
                except CommitFailedException:
                    if time.monotonic() > deadline:
                        raise
                    pause(attempt)
                    attempt += 1
                    continue
                except TableAlreadyExistsError as error:
                    raise taken(self._first_taken(asked)) from error
            made = {move.identifier: each for move, each in zip(due, moved, strict=True)}
            return [
                self._described(name, move, made.get(move.identifier))
                for name, move in moves.items()
            ]

    # -- inside ----------------------------------------------------------------------------------

    def _asked(self, change: TableChange) -> _Asked:
        commit = decoded(change.body, messages.Commit)
        creates = requirements.creates(commit.requirements)
        if creates:
            check_table_name(change.name.table)
        return _Asked(change.name, commit, creates)

    def _move(self, asked: _Asked, before: Loaded | None, terms: Terms) -> Move:
        """From the table as it is this moment; nothing is written yet."""
        now = self.surroundings.clock() // _MILLISECOND
        if before is None:
            draft = Draft.of_nothing(_first_format(asked.commit), now)
        else:
            requirements.check(asked.name, before.metadata, asked.commit.requirements)
            draft = Draft(before.metadata, now)
        apply(draft, asked.commit.updates)
        if before is not None and not draft.is_changed:
            return self._moving(asked.name, before, before.metadata)
        after = draft.finished(None if before is None else before.location)
        old = None if before is None else before.metadata
        self.places.check_change(old, after, terms)
        if old is not None:
            check_once(asked.name, old, after)
            if terms.check is not None:
                terms.check(_shown(old), _shown(after))
        return self._moving(asked.name, before, after)

    def _loaded(self, asked: _Asked) -> Loaded | None:
        pointers = self.surroundings.pointers
        pointers.forget(asked.name)
        try:
            return pointers.load(asked.name)
        except NotFoundError:
            if not asked.creates:
                raise
            return None

    def _first_taken(self, asked: Sequence[_Asked]) -> TableName:
        """Which of the new names somebody has: a table that is there now, else it is a view."""
        new = [each for each in asked if each.creates]
        return next((each.name for each in new if self._loaded(each) is not None), new[0].name)

    def _moving(self, name: TableName, before: Loaded | None, after: TableMetadata) -> Move:
        native = self.surroundings.native
        identifier = (*self.surroundings.pointers.identifier(name.namespace), name.table)
        if before is None:
            io = native._load_file_io(location=after.location)  # noqa: SLF001  the driver is ours
            return Move(identifier, io, after)
        return Move(identifier, before.io, after, before.metadata, before.location)

    def _described(self, name: TableName, move: Move, moved: Moved | None) -> Described:
        if moved is not None:
            return remembered(self.surroundings, name, move.after, moved)
        location = move.location or ""
        text = text_at(self.surroundings.caches, name, location, lambda: move.io)
        return Described(name, location, text)

    def _as_it_is(self, name: TableName, now: Loaded) -> Described:
        text = text_at(self.surroundings.caches, name, now.location, lambda: now.io)
        return Described(name, now.location, text, was_made=True)


def remembered(
    surroundings: Surroundings, name: TableName, metadata: TableMetadata, moved: Moved
) -> Described:
    """What was just written: nobody needs to read it."""
    hold(surroundings.caches, moved.location, metadata)
    surroundings.caches.texts.put(moved.location, Text(moved.text))
    return Described(name, moved.location, moved.text)


def _first_format(commit: messages.Commit) -> int:
    for update in commit.updates:
        if isinstance(update, messages.UpgradeFormatVersion):
            return update.format_version
    if not commit.updates:
        raise InvalidRequestError("the commit makes a table and says nothing of it")
    return _USUAL_FORMAT


def _shown(metadata: TableMetadata) -> dict[str, object]:
    return metadata.schema().model_dump(mode="json", by_alias=True)
