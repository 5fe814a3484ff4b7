"""Random tables with random pasts: appends by every writer, changes of schema and partitions, deletes.

One seed is one table. What comes out is valid by the specification; some of it is beyond other
readers, whose refusals the differential tests count.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    VoidTransform,
    YearTransform,
)
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    PrimitiveType,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
)

from tests.arrow_rows import from_storage, random_array
from tests.lakes.lake import Lake
from tests.lakes.manifests import EQUALITY_DELETES, FileEntry, FormatVersion
from tests.lakes.parquet import Style
from tests.lakes.schemas import (
    FORMAT_3,
    KEY,
    PRIMITIVES,
    dropped,
    extended,
    extended_inside,
    name_mapping,
    random_schema,
    random_type,
    relaxed,
    renamed,
    shuffled,
    widened,
)
from tests.lakes.storage import arrow_field, leaf_array, leaves
from tests.lakes.table import LakeTable
from tests.lakes.visible import deleted_positions

_MAPPING = "schema.name-mapping.default"
_TIMES = (TimestampType, TimestamptzType, TimestampNanoType, TimestamptzNanoType)


@dataclass(frozen=True, slots=True)
class Profile:
    """What kind of past a table gets."""

    versions: tuple[FormatVersion, ...] = (1, 2, 2, 2, 3)
    rows: int = 30
    steps: int = 7
    equality: bool = True


def random_lake_table(
    rng: random.Random, lake: Lake, name: str, profile: Profile | None = None
) -> LakeTable:
    return _Past(rng, lake, name, profile or Profile()).table


class _Past:
    """One table in the making."""

    def __init__(self, rng: random.Random, lake: Lake, name: str, profile: Profile) -> None:
        self.rng, self.profile = rng, profile
        self.keys = itertools.count()
        self.names = itertools.count(100)
        version = rng.choice(profile.versions)
        self.mapped = rng.random() < 0.25
        ids = itertools.count(1)
        schema = random_schema(rng, lambda: next(ids), rng.randint(2, 6), _primitives(version))
        self.plain: set[int] = set()
        self.partition_ids = itertools.count(1000)
        spec = PartitionSpec(*self._partition_fields(schema), spec_id=0)
        codec = rng.choice(("deflate",) * 6 + ("null",) * 3 + ("zstd",))
        self.table = lake.create(name, schema, spec=spec, version=version, codec=codec)
        if self.mapped:
            self.table.set_properties(**{_MAPPING: name_mapping(self.table.schemas)})
        self._append()
        for step in self._steps():
            step()

    def _steps(self) -> Iterator[Callable[[], None]]:
        table = self.table
        for _ in range(self.profile.steps):
            choices: list[Callable[[], None]] = [self._append, self._append, self._evolve]
            choices += [self._respec, self._remove]
            if table.version > 1:
                choices += [self._delete_positions, self._delete_positions]
                if self.profile.equality:
                    choices += [self._delete_equal]
            elif self.rng.random() < 0.3:
                choices += [lambda: table.upgrade(2)]
            if table.version == 2 and 3 in self.profile.versions and self.rng.random() < 0.2:
                choices += [lambda: table.upgrade(3)]
            yield self.rng.choice(choices)

    # -- rows ------------------------------------------------------------------------------------

    def _rows(self, count: int) -> pa.Table:
        schema = self.table.schema
        arrays: list[Any] = []
        for field in schema.fields:
            if field.name == KEY:
                arrays.append(pa.array([next(self.keys) for _ in range(count)], pa.int64()))
            else:
                arrays.append(self._column(field, count))
        fields = [arrow_field(field) for field in schema.fields]
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def _column(self, field: NestedField, count: int) -> Any:
        kind, rng = arrow_field(field).type, self.rng
        if field.field_id not in self.plain:
            return random_array(rng, kind, count, nullable=not field.required)
        share = 0.0 if field.required else 0.2
        values = [
            None if rng.random() < share else _plain_value(rng, field.field_type)
            for _ in range(count)
        ]
        if pa.types.is_temporal(kind):
            return from_storage(values, kind)
        return pa.array(values, kind)

    def _append(self) -> None:
        files: list[FileEntry] = []
        for _ in range(self.rng.choice((1, 1, 2))):
            rows = self._rows(self.rng.randint(1, self.profile.rows))
            metrics = self.rng.random() < 0.9
            files += self.table.data_files(rows, self._style(), metrics=metrics)
        self.table.commit(add=files, operation="append", manifests=self.rng.choice((1, 1, 2)))

    def _style(self) -> Style:
        rng, schema = self.rng, self.table.schema
        writers: list[Any] = ["pyarrow", "pyarrow", "pyiceberg"]
        if _fits_duckdb(schema):
            writers += ["duckdb", "duckdb"]
        identity = {
            schema.find_column_name(one.source_id)
            for one in self.table.spec.fields
            if isinstance(one.transform, IdentityTransform)
        }
        top = {one.name for one in schema.fields}
        left_out = rng.random() < 0.15
        writer = rng.choice(writers)
        # DuckDB packs deltas of 32-bit integers in up to 33 bits, which pyarrow cannot read.
        narrow = writer == "duckdb" and _holds(schema.as_struct(), IntegerType, DateType)
        return Style(
            writer=writer,
            ids=not (self.mapped and rng.random() < 0.6),
            row_group_rows=rng.choice((5, 11, 1 << 20)),
            dictionary=rng.random() < 0.5,
            page_version="1.0" if narrow else rng.choice(("1.0", "2.0")),
            codec=rng.choice(("none", "snappy", "gzip", "zstd")),
            footer_statistics=rng.random() < 0.85,
            page_index=rng.random() < 0.3,
            integer_decimals=rng.random() < 0.5,
            without=frozenset(str(name) for name in identity & top) if left_out else frozenset(),
        )

    # -- definition ------------------------------------------------------------------------------

    def _evolve(self) -> None:
        rng, table = self.rng, self.table
        sources = {one.source_id for spec in table.specs.values() for one in spec.fields}
        loose = [
            one for one in table.schema.fields if one.name != KEY and one.field_id not in sources
        ]
        fresh = f"n_{next(self.names)}"
        kind = random_type(rng, table.next_field_id, _primitives(table.version), 1)
        added = NestedField(table.next_field_id(), fresh, kind, **self._default(kind))
        choices = [
            lambda: renamed(rng, table.schema, fresh),
            lambda: widened(table.schema),
            lambda: relaxed(table.schema),
            lambda: shuffled(rng, table.schema),
            lambda: extended(table.schema, added),
        ]
        if not isinstance(kind, UnknownType):
            choices.append(lambda: extended_inside(rng, table.schema, added))
        if loose:
            victim = rng.choice(loose)
            again = NestedField(added.field_id, victim.name, kind)
            choices.append(lambda: dropped(table.schema, victim.field_id))
            if not self.mapped:
                choices.append(lambda: extended(dropped(table.schema, victim.field_id), again))
        table.evolve(rng.choice(choices)())
        if self.mapped:
            table.set_properties(**{_MAPPING: name_mapping(table.schemas)})

    def _default(self, kind: IcebergType) -> dict[str, Any]:
        """Format 3 knows values for rows older than a column."""
        simple = isinstance(kind, IntegerType | LongType | StringType | DoubleType)
        if self.table.version < 3 or not simple or self.rng.random() < 0.5:
            return {}
        value: Any = 42
        if isinstance(kind, StringType):
            value = "été"
        elif isinstance(kind, DoubleType):
            value = 2.5
        return {"initial_default": value, "write_default": value}

    def _respec(self) -> None:
        self.table.respec(*self._partition_fields(self.table.schema))

    def _partition_fields(self, schema: Schema) -> list[PartitionField]:
        possible = [
            (leaf, transform)
            for leaf, way in leaves(schema)
            if leaf.name != KEY and len(way) == 1 and leaf.field_id not in self._wild(schema)
            for transform in _transforms(self.rng, leaf.field_type)
        ]
        if not possible or self.rng.random() < 0.35:
            return []
        chosen = self.rng.sample(possible, min(len(possible), self.rng.choice((1, 1, 2))))
        fields = []
        for leaf, transform in chosen:
            self.plain.add(leaf.field_id)
            ident = next(self.partition_ids)
            fields.append(PartitionField(leaf.field_id, ident, transform, f"p_{ident}"))
        return fields

    def _wild(self, schema: Schema) -> set[int]:
        """Columns that already hold values which time transforms cannot take."""
        if not hasattr(self, "table"):
            return set()
        return {one.field_id for one in schema.fields} - self.plain

    # -- deletes ---------------------------------------------------------------------------------

    def _remove(self) -> None:
        head = self.table.head
        if head is not None and head.files:
            self.table.commit(remove=[self.rng.choice(head.files)], operation="delete")

    def _delete_positions(self) -> None:
        head, rng = self.table.head, self.rng
        if head is None or not head.files:
            return
        chosen = rng.sample(head.files, min(len(head.files), rng.randint(1, 3)))
        share = rng.choice((0.1, 0.4, 1.0))
        positions = {
            file.path: {at for at in range(file.rows) if rng.random() < share} | {0}
            for file in chosen
        }
        if self.table.version < 3:
            deletes = self.table.position_deletes(positions, bounds=rng.random() < 0.7)
            self.table.commit(add=deletes, operation="delete")
            return
        # A deletion vector takes the place of all that was deleted by position before.
        before = [one for one in head.deletes if one.content != EQUALITY_DELETES]
        for file in chosen:
            positions[file.path] |= deleted_positions(self.table.contents, file, before)
        stale = [one for one in before if one.referenced in positions]
        vectors = self.table.deletion_vectors(positions)
        self.table.commit(add=vectors, remove=stale, operation="delete")

    def _delete_equal(self) -> None:
        head, rng, table = self.table.head, self.rng, self.table
        if head is None or not head.files:
            return
        scope = rng.choice(head.files)
        spec = table.specs[scope.spec_id]
        if not spec.fields:
            scope = FileEntry("", spec.spec_id, (), 0, 0)
        visible = table.rows()
        able = [
            (leaf, way)
            for leaf, way in leaves(table.schema)
            if len(way) == 1
            and not isinstance(leaf.field_type, FloatType | DoubleType | UnknownType)
        ]
        if not visible.num_rows:
            return
        chosen = rng.sample(able, min(len(able), rng.choice((1, 1, 2))))
        picked = visible.take(
            pa.array(sorted(rng.sample(range(visible.num_rows), min(visible.num_rows, 4))))
        )
        values = pa.Table.from_arrays(
            [leaf_array(picked, way) for _, way in chosen],
            names=[f"c{at}" for at in range(len(chosen))],
        )
        fields = [leaf for leaf, _ in chosen]
        delete = table.equality_deletes(
            values, fields, partition=scope.partition, spec_id=scope.spec_id
        )
        also = table.data_files(self._rows(5), self._style()) if rng.random() < 0.5 else []
        table.commit(add=[delete, *also], operation="overwrite")


def _primitives(version: FormatVersion) -> tuple[PrimitiveType, ...]:
    return PRIMITIVES + FORMAT_3 if version == 3 else PRIMITIVES


def _fits_duckdb(schema: Schema) -> bool:
    """DuckDB writes neither fixed-size binary nor zoned nanoseconds."""
    return not _holds(schema.as_struct(), FixedType, TimestamptzNanoType, UnknownType)


def _holds(kind: IcebergType, *wanted: type[IcebergType]) -> bool:
    match kind:
        case StructType():
            return any(_holds(one.field_type, *wanted) for one in kind.fields)
        case ListType():
            return _holds(kind.element_type, *wanted)
        case MapType():
            return _holds(kind.key_type, *wanted) or _holds(kind.value_type, *wanted)
    return isinstance(kind, wanted)


def _transforms(rng: random.Random, kind: IcebergType) -> list[Transform[Any, Any]]:
    found: list[Transform[Any, Any]] = []
    if isinstance(kind, IntegerType | LongType | StringType | DateType | DecimalType):
        found += [IdentityTransform(), BucketTransform(rng.choice((2, 5)))]
    if isinstance(kind, IntegerType | LongType | DecimalType):
        found.append(TruncateTransform(10))
    if isinstance(kind, StringType | BinaryType):
        found.append(TruncateTransform(2))
    if isinstance(kind, (DateType, *_TIMES)):
        found += [YearTransform(), MonthTransform(), DayTransform()]
    if isinstance(kind, _TIMES):
        found += [HourTransform(), IdentityTransform()]
    if found and rng.random() < 0.3:
        found.append(VoidTransform())
    return found


def _plain_value(rng: random.Random, kind: IcebergType) -> Any:
    """Few and ordinary values, as columns that tables are partitioned by have."""
    if isinstance(kind, DateType):
        return rng.choice((-1, 0, 31, 19_700, 19_800))
    if isinstance(kind, TimeType):
        return rng.randrange(86_400_000_000)
    if isinstance(kind, TimestampNanoType | TimestamptzNanoType):
        return rng.choice((-1, 0, 1_700_000_000_000_000_000, 1_700_010_000_123_456_789))
    if isinstance(kind, TimestampType | TimestamptzType):
        return rng.choice((-1, 0, 1_700_000_000_000_000, 1_700_010_000_123_456))
    if isinstance(kind, StringType):
        return rng.choice(("", "a", "ab", "abc", "é", "zz top"))
    if isinstance(kind, BinaryType):
        return rng.choice((b"", b"a", b"\xff\x00", b"abc"))
    if isinstance(kind, DecimalType):
        number = rng.choice((-15, -1, 0, 7, 15))
        return pa.scalar(number, pa.decimal128(kind.precision, kind.scale)).as_py()
    return rng.choice((-15, -1, 0, 7, 15))
