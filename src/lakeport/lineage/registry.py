"""What is known about tables while a workload is read: imported, implied, and seen in use.

Imported tables win; the workload's own definitions fill the gaps; names seen in use are kept but
never make a column list complete. Every change bumps the relation's revision and is logged, so that
an unchanged statement can be replayed without binding it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from lakeport.lineage.entries import (
    Announced,
    ColumnEntry,
    Lookup,
    Standing,
    TableEntry,
    Version,
)
from lakeport.lineage.names import is_path
from lakeport.lineage.namespaces import Namespaces
from lakeport.lineage.session_settings import Settings

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lakeport.lineage.imported import Imported
    from lakeport.lineage.names import Folding, Name
    from lakeport.lineage.result import Conflict
    from lakeport.lineage.routines import Routine


def _unlisted() -> TableEntry | None:
    """A relation of which no column list is written down."""
    return None


_NEVER: tuple[int, Announced] = (-1, Announced((), _unlisted))


class Registry:
    """All tables, the session's defaults, and the log of changes."""

    __slots__ = (
        "_before",
        "_dropped",
        "_fingerprint",
        "_folding",
        "_future",
        "_names",
        "_names_before",
        "_routines",
        "_said",
        "_spellings",
        "_temporary",
        "allow_implied",
        "frozen",
        "has_routines",
        "history",
        "implied",
        "imported",
        "keeps_before",
        "log",
        "merge_columns",
        "names_asked",
        "namespaces",
        "renamed",
        "revised",
        "revisions",
        "seen",
        "settings",
        "statement",
    )

    def __init__(
        self, folding: Folding, *, allow_implied: bool = True, merge_columns: bool = False
    ) -> None:
        self._folding = folding
        self.allow_implied = allow_implied
        self.merge_columns = merge_columns
        self.imported: dict[Name, TableEntry] = {}
        self.implied: dict[Name, TableEntry] = {}
        # How the names in `implied` came and went, and how they had when a statement began that asked.
        self._names = self._names_before = 0
        self.names_asked: int | None = None
        self._temporary: dict[str, Name] = {}
        self._spellings: dict[Name, Name] = {}
        self._dropped: dict[Name, tuple[int, TableEntry | None]] = {}
        # Of those that are gone, what they are called now.
        self.renamed: dict[Name, Name] = {}
        self._future: dict[Name, tuple[int, Announced]] = {}
        self.history: list[tuple[Name, Version]] = []
        self.revisions: dict[Name, int] = {}
        self._routines: dict[str, list[Routine]] = {}
        # Whether any function was created.
        self.has_routines = False
        # What the session was told: by settings, and of where names are.
        self.settings = Settings()
        self.namespaces = Namespaces()
        # What the current statement looked up and changed, for incremental re-analysis.
        self.seen: dict[Name, int] = {}
        self.log: list[tuple[str, tuple[Any, ...]]] = []
        self.revised: dict[Name, int] = {}
        # How the relations stood that it changed, if somebody wants to tell its answer again.
        self._before: dict[Name, Standing] = {}
        self.keeps_before = False
        self._fingerprint = (-1, 0)
        self.statement = 0
        self._said: tuple[Hashable, ...] = ()
        # EXPLAIN binds a statement without running it.
        self.frozen = False

    # -- names -------------------------------------------------------------------------------

    def candidates(self, parts: Name) -> list[Name]:
        """The canonical names a written name may mean, best first."""
        if parts and parts[-1].startswith("#"):
            return [parts[-1:]]
        if len(parts) == 1 and is_path(parts[0]):
            return [parts]
        spaces = self.namespaces
        if len(parts) >= 3 or not spaces.are_chosen:
            return [parts]
        catalog = spaces.default_catalog
        if len(parts) == 2:
            return [parts] if catalog is None else [parts, (catalog, *parts)]
        found = spaces.along_path(parts)
        if spaces.default_schema is not None:
            default = (spaces.default_schema, *parts)
            found.append(default if catalog is None else (catalog, *default))
            if catalog is not None:
                # As it would be if the schema were written.
                self.watch(default)
                found += [default] if default in self.imported else []
        # A table imported without a namespace is found by its bare name. One that the workload made
        # before it chose a namespace is elsewhere.
        self.watch(parts)
        if parts in self.imported:
            return [parts, *found]
        return found if found and parts in self.implied else [*found, parts]

    def lookup(self, parts: Name) -> Lookup:
        """The table a name means: temporary first, then imported, implied, seen in use, unknown."""
        if self._means_itself(parts) and parts in self.imported:
            # Most names of most workloads.
            return self._found(parts)
        return self._search(parts)

    def _search(self, parts: Name) -> Lookup:
        if len(parts) == 1 and (temporary := self._temporary.get(parts[0])) is not None:
            return self._found(temporary)
        names = self.candidates(parts)
        revisions = self.revisions
        for name in names:
            self.seen.setdefault(name, revisions.get(name, 0) if revisions else 0)
        for name in names:
            if name in self.imported or name in self.implied:
                return self._found(name)
            if name in self._spellings:
                # Then the spelling is the name, as it is for the engine.
                return replace(self._found(self._spellings[name]), name=name)
        for name in self.namespaces.at_home(parts):
            self.watch(name)
            if name in self.imported or name in self.implied:
                return self._found(name)
        return self._gone_or_to_come(parts, names)

    def _gone_or_to_come(self, parts: Name, names: list[Name]) -> Lookup:
        """The answer for a name that is not known now."""
        for name in names:
            if name in self._dropped:
                statement, entry = self._dropped[name]
                return Lookup(name, entry, "implied" if entry else "unknown", dropped_at=statement)
        for name in names:
            statement, announced = self._future.get(name, _NEVER)
            if statement > self.statement:
                entry = announced.entry()
                return Lookup(name, entry, "implied", None, statement, announced.kind)
        return Lookup(
            names[0] if len(parts) != 2 else self.namespaces.canonical(parts), None, "unknown"
        )

    def _means_itself(self, parts: Name) -> bool:
        """Whether nothing of the session stands between a written name and the table of that name."""
        return not (self.namespaces.are_chosen or self._temporary or parts[-1].startswith("#"))

    def _found(self, name: Name) -> Lookup:
        self.seen.setdefault(name, self.revisions.get(name, 0))
        imported = self.imported.get(name)
        if imported is not None and name not in self.implied:
            dropped = self._dropped.get(name) if self._dropped else None
            return Lookup(name, imported, "imported", dropped[0] if dropped else None)
        return Lookup(name, self.implied[name], "implied")

    def standing(self, name: Name) -> Standing:
        """All that a statement can learn about a name."""
        awaited, _ = self._future.get(name, _NEVER)
        return Standing(
            self.imported.get(name),
            self.implied.get(name),
            self._spellings.get(name),
            self._dropped.get(name),
            self._temporary.get(name[-1]) if name else None,
            (awaited >= self.statement) + (awaited > self.statement),
        )

    def watch(self, name: Name) -> None:
        """What the current statement does depends on what is known of this relation."""
        self.seen.setdefault(name, self.revisions.get(name, 0))

    def entry(self, name: Name) -> TableEntry | None:
        """What is known of a relation. One of the session hides the imported table of its name."""
        return self.implied.get(name) or self.imported.get(name)

    def hides_import(self, entry: TableEntry) -> bool:
        """Whether this is a temporary relation, and the imported table of its name is none."""
        imported = self.imported.get(entry.name)
        return (
            imported is not None
            and entry.temporary
            and not imported.temporary
            and entry.name[0] != "global_temp"
        )

    # -- changes -----------------------------------------------------------------------------

    def replay(self, log: list[tuple[str, tuple[Any, ...]]], revised: dict[Name, int]) -> None:
        """Apply the logged changes of a statement again, with the revisions they led to."""
        for method, arguments in log:
            getattr(self, method)(*arguments)
        self.revisions.update(revised)
        self.revised = revised

    def _changed(self, name: Name, method: str, *arguments: Any) -> None:
        # What comes of it depends on what there was.
        self.watch(name)
        self._revise(name)
        self.log.append((method, arguments))

    def _revise(self, name: Name) -> None:
        """A revision says by which statements, over what, a relation became what it is."""
        self._keep_before(name)
        if len(self.seen) != self._fingerprint[0]:
            # Once per statement in practice: it looks everything up before it changes anything.
            looked_up = hash((self.statement, self._said, frozenset(self.seen.items())))
            self._fingerprint = (len(self.seen), looked_up)
        self.revisions[name] = hash((self.revisions.get(name, 0), self._fingerprint[1]))
        self.revised[name] = self.revisions[name]

    def _keep_before(self, name: Name) -> None:
        if self.keeps_before and name not in self._before:
            self._before[name] = self.standing(name)

    def stood(self) -> dict[Name, Standing]:
        """How all names stood when the statement began that it looked up or changed."""
        names = dict.fromkeys([*self.seen, *self._before])
        del names["",]
        return {name: self._before.get(name) or self.standing(name) for name in names}

    def import_tables(self, imported: Imported) -> None:
        """Start from an imported schema."""
        self.imported = dict(imported.tables)
        self._spellings = imported.spellings

    def import_table(self, entry: TableEntry) -> None:
        """Add one more imported relation."""
        self.imported[entry.name] = entry

    def announce(self, statement: int, announced: Announced) -> None:
        """Remember that a later statement creates the relation; its columns are read if asked for."""
        name = announced.name
        if name not in self._future:
            self._future[name] = (statement, announced)
            self._revise(name)

    def arrived(self, name: Name) -> None:
        """The announced statement has been reached."""
        self._keep_before(name)
        self.log.append(("arrived", (name,)))
        self._future.pop(name, None)

    def define(self, entry: TableEntry) -> None:
        """The workload defines a table: replaces what was implied, never what was imported."""
        if self.frozen:
            return
        name = entry.name
        self._changed(name, "define", entry)
        self._future.pop(name, None)
        if not self.allow_implied:
            return
        if name in self.imported and not self.hides_import(entry):
            self._dropped.pop(name, None)
            return
        previous = self.implied.get(name)
        defined = previous is not None and previous.inference == "ddl"
        version = previous.version + 1 if previous is not None and defined else 1
        if entry.version != version:
            # A copy, because a logged entry may be replayed over another past.
            entry = replace(entry, version=version)
        self._dropped.pop(name, None)
        self._store(entry)
        if entry.temporary and name[0] != "global_temp":
            # Spark's global ones are found under their namespace alone.
            self._temporary[name[-1]] = name

    def known_names(self) -> list[Name]:
        """Every name that a table has; what a statement makes of them depends on all."""
        self.names_asked = self._names_before
        return [*self.imported, *self.implied]

    def knows_names(self, asked: int | None) -> bool:
        """Whether the names are those that a statement was told, if it asked for them."""
        return asked is None or asked == self._names

    def _store(self, entry: TableEntry) -> None:
        if entry.name not in self.implied:
            self._names = hash((self._names, entry.name))
        self.implied[entry.name] = entry
        self.history.append((entry.name, Version(entry, self.statement)))

    def contradict(self, name: Name, conflict: Conflict, extra: list[ColumnEntry]) -> None:
        """The workload defines an imported table differently."""
        if self.frozen:
            return
        imported = self.imported[name]
        if self.merge_columns and extra:
            sure = [column for column in imported.columns if not column.uncertain]
            added = [replace(column, uncertain=True) for column in extra]
            self.imported[name] = imported.with_columns([*sure, *added], conflict=conflict)
        else:
            self.imported[name] = replace(imported, conflict=conflict, _index=None)
        self._changed(name, "contradict", name, conflict, extra)

    def drop(self, name: Name, statement: int) -> None:
        """DROP: implied entries go, imported ones stay; both are remembered as dropped."""
        if self.frozen:
            return
        self._changed(name, "drop", name, statement)
        self._bury(name, statement)

    def drop_temporary(self, statement: int) -> None:
        """DISCARD: the session loses its temporary relations, whichever there are by then."""
        if self.frozen:
            return
        self.log.append(("drop_temporary", (statement,)))
        names = list(self._temporary.values())
        for name in names:
            # What is remembered of it is what it was.
            self.watch(name)
        for name in names:
            self._revise(name)
            self._bury(name, statement)

    def _bury(self, name: Name, statement: int) -> None:
        if not self.allow_implied and name not in self.imported:
            return
        entry = self._take(name)
        if entry is not None:
            self.history.append((name, Version(None, statement)))
        if self._temporary.get(name[-1]) == name:
            del self._temporary[name[-1]]
        if entry is not None and name in self.imported:
            # The table that it hid is there again.
            return
        self._dropped[name] = (statement, entry)
        self.renamed.pop(name, None)

    def _take(self, name: Name) -> TableEntry | None:
        entry = self.implied.pop(name, None)
        if entry is not None:
            self._names = hash((self._names, name, "taken"))
        return entry

    def update(self, entry: TableEntry) -> None:
        """ALTER: the next version of an implied table, or an overlay on an imported one."""
        if self.frozen:
            return
        self._changed(entry.name, "update", entry)
        if not self.allow_implied and entry.name not in self.imported:
            return
        if entry.name in self.imported and entry.name not in self.implied:
            self.imported[entry.name] = entry
        else:
            self._store(entry)

    def describe(self, entry: TableEntry) -> None:
        """COMMENT: the same columns with other words about them, so it is no version of its own."""
        if self.frozen:
            return
        self._changed(entry.name, "describe", entry)
        if entry.name in self.imported and entry.name not in self.implied:
            self.imported[entry.name] = entry
        elif self.allow_implied:
            self.implied[entry.name] = entry

    def move(self, old: Name, new: TableEntry, statement: int) -> None:
        """RENAME: the old name becomes a tombstone, an imported original is kept."""
        if self.frozen:
            return
        self.watch(new.name)
        self._changed(old, "move", old, new, statement)
        self._revise(new.name)
        if not self.allow_implied:
            return
        previous = self._take(old)
        if previous is not None:
            self.history.append((old, Version(None, statement)))
        if previous is None or old not in self.imported:
            self._dropped[old] = (statement, previous)
            self.renamed[old] = new.name
        self._dropped.pop(new.name, None)
        if self._temporary.get(old[-1]) == old:
            del self._temporary[old[-1]]
            self._temporary[new.name[-1]] = new.name
        if new.name not in self.imported:
            self._store(new)

    def infer(self, name: Name, columns: list[tuple[str, str]], shown: Name) -> None:
        """Columns seen in use: they accumulate, and never make the list complete."""
        entry = self.implied.get(name)
        if self.frozen or not self.allow_implied or (entry is None and name in self.imported):
            return
        if entry is not None and entry.inference == "ddl" and entry.complete:
            return
        held = entry.keys() if entry else set()
        added = [ColumnEntry(text, key, "implied") for text, key in columns if key not in held]
        if entry is not None and not added:
            return
        self._changed(name, "infer", name, columns, shown)
        if entry is None:
            _, announced = self._future.get(name, _NEVER)
            self._names = hash((self._names, name))
            self.implied[name] = TableEntry(
                name,
                shown,
                added,
                "implied",
                complete=False,
                kind=announced.kind,
                inference="usage",
                deduced=True,
            )
        else:
            self.implied[name] = entry.with_columns([*entry.columns, *added], deduced=True)

    def define_routine(self, name: str, routine: Routine | None) -> None:
        """A function was created, or dropped if there is no `routine`.

        Every later statement may call it: like the defaults, it is part of what they depend on.
        """
        self._changed(("",), "define_routine", name, routine)
        held = self._routines.setdefault(name.casefold(), [])
        # Functions of one name are told apart by how many arguments they take.
        held[:] = [other for other in held if routine and other.takes != routine.takes]
        held += [routine] if routine is not None else []
        self.has_routines = True

    def define_variable(self, name: str, columns: tuple[tuple[str, str], ...]) -> None:
        """A variable that holds a table: the statements of the body that fills it know its columns."""
        entries = [
            ColumnEntry(text, self._folding.column(text), "implied", kind or None, "declared")
            for text, kind in columns
        ]
        shown = (self._folding.table(name),)
        self.define(
            TableEntry(
                shown,
                (name,),
                entries,
                "implied",
                complete=True,
                temporary=True,
                inference="ddl",
                statement_index=self.statement,
            )
        )

    def routine(self, name: str, arguments: int | None = None) -> Routine | None:
        """The function of the workload that a call means; of several the one with so many arguments."""
        held = self._routines.get(name.rpartition(".")[2].casefold(), ())
        known = [routine for routine in held if routine.is_called(name)]
        fitting = [r for r in known if arguments is not None and r.fits(arguments)]
        return (fitting or known)[-1] if known else None

    def configure(self, name: str, value: str) -> None:
        """A setting that changes what later statements mean."""
        self._changed(("",), "configure", name, value)
        self.settings.change(name, value)

    def use(
        self,
        catalog: str | None,
        schema: str | None,
        path: list[tuple[str | None, str]] | None = None,
    ) -> None:
        """USE and SET search_path: the defaults of later statements."""
        self._changed(("",), "use", catalog, schema, path)
        self.namespaces.use(catalog, schema, path)

    def look_in(self, path: list[tuple[str | None, str]]) -> None:
        """Spark's SET PATH: where names are looked up, but not where tables are made."""
        self._changed(("",), "look_in", path)
        self.namespaces.search_path = path

    def use_first(self) -> None:
        """SET search_path TO DEFAULT, RESET: where names were looked up at first."""
        self._changed(("",), "use_first")
        self.namespaces.use_first()

    def begin(self, statement: int, *said: Hashable) -> None:
        """Start recording for a statement; the defaults are part of what it depends on.

        `said` is what it makes of the relations it changes, beside those it looks up.
        """
        self.statement = statement
        self._said = said
        self.seen = {("",): self.revisions.get(("",), 0)}
        self.log = []
        self.revised = {}
        self._before = {}
        self._names_before, self.names_asked = self._names, None
        self._fingerprint = (-1, 0)
