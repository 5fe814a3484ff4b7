"""The recorded filters, sent to a server over Iceberg tables of several files, whose bounds choose among them.

`test_recorded_filters.py` judges what is made of a filter; here its rows come the whole way: written to
Parquet, pruned, read, filtered, sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.flight as fl
import pytest

from lakeport.airport.pushdown import parse_filters
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import DynamicNamespace, Insertable, NamespaceInfo, require
from tests.airport.pushdown.recorded import Recorded, answer, rows_for
from tests.airport.pushdown.test_recorded_filters import deterministic
from tests.airport.scans.duck import Duck, path, serve

KEY = "at_"
FILES = 2
DAY = {pa.time64("us"): pa.scalar(86_400_000_000), pa.time64("ns"): pa.scalar(86_400_000_000_000)}

# A table's own row ids are not the recorded ones.
storable = [each for each in deterministic if "rowid" not in dict(each.columns)]


class Wire:
    """One table for each condition."""

    def __init__(self, namespace: DynamicNamespace, duck: Duck) -> None:
        self._namespace = namespace
        self._duck = duck
        self._made = 0

    def rows(self, filters: str, table: pa.Table) -> frozenset[int]:
        """Which of its rows come."""
        self._made += 1
        name = f"t{self._made}"
        keyed = table.add_column(0, KEY, pa.array(range(table.num_rows), pa.int64()))
        made = self._namespace.create_table(name, Definition(keyed.schema))
        step = -(-keyed.num_rows // FILES)
        for first in range(0, keyed.num_rows, step):
            with require(made, Insertable, name).insert() as write:
                for batch in keyed.slice(first, step).to_batches():
                    write.add(batch)
                write.commit()
        found = self._duck.scan(path("s", name), json_filters=filters, column_ids=[0])
        keys: list[Any] = found.column(KEY).to_pylist() if found.num_columns else []
        return frozenset(keys)


def rows_of(recorded: Recorded) -> pa.Table:
    """In the order of their first column, so that the files' bounds differ."""
    table = rows_for(recorded)
    for column in table.schema:
        if column.type in DAY:  # Arrow has no 24:00
            ticks = table.column(column.name).cast(pa.int64())
            table = table.filter(
                pc.less(ticks, DAY[column.type]), null_selection_behavior="emit_null"
            )
    try:
        return table.take(pc.sort_indices(table.column(0)))
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError, pa.ArrowInvalid):
        return table  # of a type that has no order


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    folder = tmp_path_factory.mktemp("lake")
    profile = Profile("lake", "embedded", f"sqlite:///{folder}/c.db", f"file://{folder}/w")
    with IcebergCatalog(profile) as catalog:
        made = catalog.create_namespace(NamespaceInfo("s"))
        with serve(catalog) as server, fl.connect(server.address) as client:
            yield Wire(require(made, DynamicNamespace, "s"), Duck(client))


@pytest.mark.long
@pytest.mark.parametrize("recorded", storable, ids=lambda recorded: recorded.condition)
def test_a_recorded_filter_brings_the_rows_of_its_condition(recorded: Recorded, wire: Wire) -> None:
    table = rows_of(recorded)
    wanted, failing = answer(recorded.condition, table)
    found = wire.rows(recorded.text, table)
    assert wanted <= found
    if parse_filters(recorded.text, table.schema).exact:
        assert found == wanted | failing
