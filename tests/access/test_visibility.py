"""What somebody sees of a catalog, and that they learn nothing of the rest."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.access import (
    EVERYONE,
    Ability,
    Identity,
    grants_for,
    open_namespace,
    open_table,
    visible_namespaces,
    visible_tables,
)
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.errors import NotFoundError, PermissionDeniedError
from lakeport.core.names import TableName

COLUMNS = Definition(pa.schema([pa.field("k", pa.int64())]))
TABLES = {"sales": ("orders", "items"), "hr": ("people", "salaries"), "empty": ()}


@pytest.fixture
def catalog() -> MemoryCatalog:
    made = MemoryCatalog("lake")
    for name, tables in TABLES.items():
        namespace = made.create_namespace(NamespaceInfo(name))
        for table in tables:
            namespace.create_table(table, COLUMNS)
    return made


def reader(*patterns: str) -> Identity:
    return Identity("ann", grants_for([Ability.READ], patterns))


def listing(identity: Identity, catalog: MemoryCatalog) -> dict[str, set[str]]:
    return {
        info.name: set(visible_tables(identity, catalog, catalog.namespace(info.name)))
        for info in visible_namespaces(identity, catalog)
    }


def test_an_admin_sees_everything(catalog: MemoryCatalog) -> None:
    assert listing(EVERYONE, catalog) == {name: set(tables) for name, tables in TABLES.items()}


def test_what_may_not_be_read_is_not_listed(catalog: MemoryCatalog) -> None:
    assert listing(reader("hr.people"), catalog) == {"hr": {"people"}}
    assert listing(reader("SALES"), catalog) == {"sales": {"orders", "items"}}
    assert listing(reader("*.orders"), catalog) == {"sales": {"orders"}}
    assert listing(reader("nowhere.*"), catalog) == {}


def test_an_empty_namespace_is_listed_to_who_may_read_all_of_it(catalog: MemoryCatalog) -> None:
    assert listing(reader("empty"), catalog) == {"empty": set()}
    assert listing(reader("empty.x"), catalog) == {}


def test_writing_alone_lists_nothing(catalog: MemoryCatalog) -> None:
    writer = Identity("w", grants_for([Ability.WRITE, Ability.DDL]))
    assert listing(writer, catalog) == {}
    opened = open_table(writer, catalog, TableName("hr", "people"), Ability.WRITE)
    assert opened.name == TableName("hr", "people")


def test_a_table_opens_in_any_spelling(catalog: MemoryCatalog) -> None:
    opened = open_table(reader("hr.people"), catalog, TableName("HR", "People"))
    assert opened.name == TableName("hr", "people")


def test_a_refusal_is_the_same_whether_or_not_the_table_exists(catalog: MemoryCatalog) -> None:
    identity = reader("sales")
    texts = set()
    for name in (TableName("hr", "salaries"), TableName("hr", "bonuses"), TableName("zz9", "x")):
        with pytest.raises(PermissionDeniedError) as refused:
            open_table(identity, catalog, name)
        texts.add(str(refused.value).replace(str(name), "NAME"))
    assert len(texts) == 1
    for place in ("hr", "zz9"):
        with pytest.raises(PermissionDeniedError) as refused:
            open_namespace(identity, catalog, place)
        texts.add(str(refused.value).replace(place, "NAME"))
    assert len(texts) == 2


def test_a_missing_table_is_not_found_with_hints_of_what_is_visible(
    catalog: MemoryCatalog,
) -> None:
    with pytest.raises(NotFoundError) as missing:
        open_table(reader("hr.p*"), catalog, TableName("hr", "peeple"))
    assert "`hr.people`" in str(missing.value)
    assert "salaries" not in str(missing.value)


def test_a_missing_namespace_reads_like_a_missing_table(catalog: MemoryCatalog) -> None:
    identity = reader("*.orders")
    texts = set()
    for place in ("empty", "hr", "no_such"):
        with pytest.raises(NotFoundError) as missing:
            open_table(identity, catalog, TableName(place, "orders"))
        texts.add(str(missing.value).replace(place, "NAME"))
    assert len(texts) == 1


def test_a_namespace_without_anything_visible_is_not_found(catalog: MemoryCatalog) -> None:
    identity = reader("*.orders")
    assert open_namespace(identity, catalog, "Sales").info.name == "sales"
    texts = set()
    for place in ("hr", "zz9"):
        with pytest.raises(NotFoundError) as missing:
            open_namespace(identity, catalog, place)
        texts.add(str(missing.value).replace(place, "NAME"))
    assert len(texts) == 1


def test_who_may_read_everything_gets_the_catalogs_own_words(catalog: MemoryCatalog) -> None:
    with pytest.raises(NotFoundError, match="`orderz`"):
        open_table(EVERYONE, catalog, TableName("sales", "orderz"))
    with pytest.raises(NotFoundError):
        open_namespace(EVERYONE, catalog, "zz9")
