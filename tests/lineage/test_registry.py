"""What is known about tables, and in which order the kinds of knowledge are believed."""

from __future__ import annotations

from lakeport.lineage.dialects import dialect_named
from lakeport.lineage.entries import ColumnEntry, TableEntry
from lakeport.lineage.names import Folding, Name
from lakeport.lineage.registry import Registry
from lakeport.lineage.result import Conflict, Origin


def registry(*, allow_implied: bool = True) -> Registry:
    dialect = dialect_named("spark")
    assert dialect is not None
    return Registry(Folding(dialect), allow_implied=allow_implied)


def table(
    name: Name, *columns: str, origin: Origin = "implied", temporary: bool = False
) -> TableEntry:
    entries = [ColumnEntry(column, column, origin) for column in columns]
    return TableEntry(
        name, name, entries, origin, complete=True, temporary=temporary, inference="ddl"
    )


def names(known: Registry, *parts: str) -> list[str]:
    entry = known.lookup(parts).entry
    return [column.name for column in entry.columns] if entry is not None else []


def test_imported_beats_implied() -> None:
    known = registry()
    known.import_table(table(("t",), "a", origin="imported"))
    known.define(table(("t",), "x"))
    assert names(known, "t") == ["a"]
    assert known.lookup(("t",)).source == "imported"


def test_a_later_definition_replaces_an_earlier_one_and_both_are_history() -> None:
    known = registry()
    known.define(table(("t",), "a"))
    known.define(table(("t",), "b"))
    assert names(known, "t") == ["b"]
    assert [v.entry and v.entry.version for _, v in known.history] == [1, 2]


def test_use_never_makes_a_list_complete_and_never_overwrites_a_definition() -> None:
    known = registry()
    known.infer(("u",), [("a", "a")], ("u",))
    known.infer(("u",), [("b", "b")], ("u",))
    entry = known.lookup(("u",)).entry
    assert entry is not None
    assert not entry.complete
    assert names(known, "u") == ["a", "b"]
    known.define(table(("t",), "a"))
    known.infer(("t",), [("z", "z")], ("t",))
    assert names(known, "t") == ["a"]


def test_a_dropped_table_is_remembered_as_dropped() -> None:
    known = registry()
    known.define(table(("t",), "a"))
    known.drop(("t",), 3)
    found = known.lookup(("t",))
    assert found.dropped_at == 3
    assert names(known, "t") == ["a"]


def test_a_temporary_relation_stands_in_front_of_a_table_of_its_name() -> None:
    known = registry()
    known.use(None, "sales")
    known.import_table(table(("sales", "t"), "a", origin="imported"))
    known.define(table(("t",), "x", temporary=True))
    assert names(known, "t") == ["x"]
    assert names(known, "sales", "t") == ["a"]


def test_names_are_looked_up_along_the_search_path() -> None:
    known = registry()
    known.import_table(table(("two", "t"), "b", origin="imported"))
    known.use(None, None, [(None, "one"), (None, "two")])
    assert known.lookup(("t",)).name == ("two", "t")
    assert known.lookup(("missing",)).name == ("one", "missing")


def test_without_implied_schema_nothing_of_the_workload_is_kept() -> None:
    known = registry(allow_implied=False)
    known.define(table(("t",), "a"))
    known.infer(("u",), [("a", "a")], ("u",))
    assert known.lookup(("t",)).source == "unknown"
    assert known.lookup(("u",)).source == "unknown"


def test_a_contradiction_keeps_the_imported_columns() -> None:
    known = registry()
    known.import_table(table(("t",), "a", origin="imported"))
    conflict = Conflict(extra=["x"], missing=[], type_changed=[])
    known.contradict(("t",), conflict, [ColumnEntry("x", "x", "implied")])
    entry = known.lookup(("t",)).entry
    assert entry is not None
    assert entry.conflict == conflict
    assert names(known, "t") == ["a"]


def test_replaying_a_log_repeats_its_effects() -> None:
    first, second = registry(), registry()
    first.begin(0, "CREATE TABLE t …")
    first.define(table(("t",), "a"))
    first.drop(("t",), 0)
    first.define(table(("v",), "b"))
    log, revised = first.log, first.revised
    second.begin(0, "CREATE TABLE t …")
    second.replay(log, revised)
    assert second.revisions == first.revisions
    assert second.lookup(("t",)).dropped_at == 0
    assert names(second, "v") == ["b"]


def test_of_what_was_drawn_only_the_latest_is_kept() -> None:
    first, *others = (table((f"t{number}",), "a", origin="imported") for number in range(2000))
    drawn = first.drawn_as("id")
    assert first.drawn_as("id") is drawn
    for other in others:
        other.drawn_as("id")
    assert first.drawn_as("id") is not drawn


def test_a_temporary_relation_hides_the_imported_one_until_it_is_dropped() -> None:
    known = registry()
    known.import_table(table(("t",), "a", origin="imported"))
    known.define(table(("t",), "x", temporary=True))
    assert names(known, "t") == ["x"]
    assert known.lookup(("t",)).source == "implied"
    known.drop(("t",), 1)
    assert names(known, "t") == ["a"]
    assert known.lookup(("t",)).dropped_at is None


def test_a_temporary_relation_hides_the_import_when_another_of_its_last_name_is_gone() -> None:
    known = registry()
    known.import_table(table(("a", "t"), "x", origin="imported"))
    known.define(table(("a", "t"), "y", temporary=True))
    known.define(table(("b", "t"), "z", temporary=True))
    known.drop(("b", "t"), 3)
    assert names(known, "a", "t") == ["y"]
