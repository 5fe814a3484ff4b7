"""DuckDB's own ALTER TABLE over the same rows: the oracle of `evolve` and `rewrite`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from lakeport.catalog.changes import (
    AddColumn,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropField,
    Path,
    RenameColumn,
    RenameField,
)
from lakeport.catalog.definition import Definition, with_default
from lakeport.catalog.evolution.evolve import evolve
from lakeport.catalog.evolution.rewrite import rewrite
from lakeport.core.errors import InvalidRequestError
from tests.seeds import few_of
from tests.strategies import seeded

_SQL_TYPES: dict[str, pa.DataType] = {
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "SMALLINT": pa.int16(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "DECIMAL(9,2)": pa.decimal128(9, 2),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
}
_DEFAULTS = {
    "INTEGER": "7",
    "VARCHAR": "'new'",
    "DECIMAL(9,2)": "1.25",
    "DATE": "DATE '2020-02-29'",
}
_START = (
    "CREATE TABLE t (a INTEGER, b VARCHAR, c DOUBLE, s STRUCT(x INTEGER, y VARCHAR),"
    " l STRUCT(x INTEGER, y VARCHAR)[], m MAP(VARCHAR, STRUCT(x INTEGER, y VARCHAR)))"
)
_ROWS = (
    "INSERT INTO t VALUES"
    " (1, '1', 0.5, {x: 1, y: 'p'}, [{x: 1, y: 'p'}, NULL], MAP {'k': {x: 1, y: 'p'}}),"
    " (2, 'two', 2.0, NULL, NULL, NULL),"
    " (NULL, NULL, NULL, {x: NULL, y: NULL}, [], MAP {}),"
    " (-40000, '2020-01-01', 1e10, {x: 5, y: ''}, [{x: 6, y: NULL}], MAP {'k': NULL, 'l': {x: 2, y: 'q'}}),"
    " (0, 'true', -0.0, {x: 70000, y: '3'}, [NULL], MAP {'': {x: 0, y: '0'}})"
)


class Programs:
    """Random schema changes, each as our data and as DuckDB's SQL."""

    def __init__(self, rng: random.Random, schema: pa.Schema) -> None:
        self._rng = rng
        self._schema = schema
        self._fresh = 0

    def step(self, schema: pa.Schema) -> tuple[Change, str]:
        self._schema = schema
        options = [self._add, self._rename, self._retype, self._using]
        if len(schema) > 2:
            options.append(self._drop)
        if self._structs():
            options += [self._add_field, self._rename_field, self._drop_field]
        return self._rng.choice(options)()

    def _name(self) -> str:
        self._fresh += 1
        return f"n{self._fresh}"

    def _type(self) -> str:
        return self._rng.choice(list(_SQL_TYPES))

    def _column(self) -> str:
        return self._rng.choice(self._schema.names)

    def _plain_column(self) -> str:
        plain = [f.name for f in self._schema if not pa.types.is_nested(f.type)]
        return self._rng.choice(plain or self._schema.names)

    def _structs(self) -> list[tuple[Path, pa.DataType]]:
        return list(_structs_in(self._schema))

    def _add(self) -> tuple[Change, str]:
        name, kind = self._name(), self._type()
        default = self._rng.choice([None, _DEFAULTS.get(kind)])
        column = with_default(pa.field(name, _SQL_TYPES[kind]), default)
        clause = f" DEFAULT {default}" if default else ""
        return AddColumn(column), f"ADD COLUMN {name} {kind}{clause}"

    def _rename(self) -> tuple[Change, str]:
        old, new = self._column(), self._name()
        return RenameColumn(old, new), f"RENAME COLUMN {old} TO {new}"

    def _drop(self) -> tuple[Change, str]:
        name = self._column()
        return DropColumn(name), f"DROP COLUMN {name}"

    def _retype(self) -> tuple[Change, str]:
        name, kind = self._plain_column(), self._type()
        return ChangeType(name, _SQL_TYPES[kind]), f"ALTER {name} TYPE {kind}"

    def _using(self) -> tuple[Change, str]:
        name, other = self._plain_column(), self._column()
        text = f"CASE WHEN {other} IS NULL THEN 0 ELSE length(CAST({name} AS VARCHAR)) END"
        return (
            ChangeType(name, pa.int64(), text),
            f"ALTER {name} TYPE BIGINT USING {text}",
        )

    def _add_field(self) -> tuple[Change, str]:
        path, _ = self._rng.choice(self._structs())
        name, kind = self._name(), self._type()
        dotted = ".".join((*path, name))
        return AddField(path, pa.field(name, _SQL_TYPES[kind])), f"ADD COLUMN {dotted} {kind}"

    def _rename_field(self) -> tuple[Change, str]:
        path, kind = self._rng.choice(self._structs())
        old, new = kind.field(self._rng.randrange(kind.num_fields)).name, self._name()
        return RenameField((*path, old), new), f"RENAME COLUMN {'.'.join((*path, old))} TO {new}"

    def _drop_field(self) -> tuple[Change, str]:
        path, kind = self._rng.choice(self._structs())
        if kind.num_fields == 1:
            return self._add_field()
        old = kind.field(self._rng.randrange(kind.num_fields)).name
        return DropField((*path, old)), f"DROP COLUMN {'.'.join((*path, old))}"


def _structs_in(schema: pa.Schema) -> Iterator[tuple[Path, pa.DataType]]:
    for field in schema:
        kind: Any = field.type
        if pa.types.is_struct(kind):
            yield (field.name,), kind
        elif pa.types.is_map(kind):
            yield (field.name, "value"), kind.item_type
        elif pa.types.is_list(kind):
            yield (field.name, "element"), kind.value_type


def _as_duckdb_sees(
    connection: duckdb.DuckDBPyConnection, batch: pa.RecordBatch
) -> tuple[list[str], str]:
    relation = connection.from_arrow(pa.Table.from_batches([batch]))
    return [str(kind) for kind in relation.types], str(relation.fetchall())


@pytest.mark.parametrize("seed", few_of(range(24), 12))
def test_rows_come_out_as_from_duckdbs_alter_table(seed: int) -> None:
    with duckdb.connect() as connection:
        connection.execute(_START)
        connection.execute(_ROWS)
        (first,) = connection.table("t").to_arrow_table().combine_chunks().to_batches()
        definition, batch = Definition(first.schema), first
        changes: list[Change] = []
        programs = Programs(seeded(seed), first.schema)
        for _ in range(12):
            change, sql = programs.step(definition.schema)
            try:
                connection.execute(f"ALTER TABLE t {sql}")
            except duckdb.Error:
                with pytest.raises(InvalidRequestError):
                    rewrite(batch, evolve(definition, [change]))
                continue
            evolved = evolve(definition, [change])
            definition, batch = evolved.definition, rewrite(batch, evolved)
            changes.append(change)
            table = connection.table("t")
            assert table.columns == definition.schema.names, sql
            theirs = [str(kind) for kind in table.types], str(table.fetchall())
            assert _as_duckdb_sees(connection, batch) == theirs, sql
        whole = evolve(Definition(first.schema), changes)
        assert whole.definition == definition
        assert _as_duckdb_sees(connection, rewrite(first, whole)) == _as_duckdb_sees(
            connection, batch
        )
