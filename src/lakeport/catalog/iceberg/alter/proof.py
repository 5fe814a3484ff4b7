"""Whether the rows that exist keep what a schema change promises, where none of them is written again.

Only the columns that the promise is about are read, and none where manifests say how many NULLs there
are. An attempt after a lost race looks at the files that came since: rows that were proven are proven,
as long as deletes only took some away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from lakeport.catalog.definition import Check, Definition
from lakeport.catalog.evolution.nested import requires_inside
from lakeport.catalog.evolution.plan import ColumnSource, Computed, Converted, Evolution, Kept
from lakeport.catalog.evolution.rewrite import rewrite
from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.iceberg.alter.draft import Draft
from lakeport.catalog.iceberg.alter.live import Deletes, Live, deletes_of
from lakeport.catalog.iceberg.definition import columns_of
from lakeport.catalog.iceberg.inventory import Inventory, ordinals_of
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.iceberg.pruning.evidence import proven_in
from lakeport.catalog.iceberg.types import Column
from lakeport.catalog.rows.constraints import EvolutionProof
from lakeport.core.errors import ConstraintViolationError, KeyViolationError


class Proof:
    """One for all attempts of a statement. Belongs to one thread at a time."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._whole = draft.evolution
        self._part, self._names = narrowed(draft.evolution)
        self._proof = EvolutionProof(self._part)
        self._seen: dict[str, Deletes] = {}

    def extend(self, source: Source) -> None:
        """The errors of `check_evolution` for a row of the head that stands in the way."""
        if not self._proof.is_needed:
            return
        live = Live.of(source)
        new = [file for file in live.files.values() if not self._has_seen(file)]
        is_first = not self._seen
        try:
            self._look_at(live, new)
        except KeyViolationError:
            if is_first:
                raise
            # A row seen earlier may be gone by now, and its key free.
            self._proof, self._seen = EvolutionProof(self._part), {}
            self._look_at(live, list(live.files.values()))

    def _has_seen(self, file: DataFile) -> bool:
        # A rollback brings rows back, so fewer deletes than before are something new.
        before = self._seen.get(file.path)
        return before is not None and before <= deletes_of(file)

    def _look_at(self, live: Live, files: list[DataFile]) -> None:
        unproven = files if self._part.constraints_to_check else self._with_nulls(live, files)
        try:
            for batch in live.rows(unproven, self._names):
                self._proof.add(rewrite(batch, self._part))
        except ConstraintViolationError:
            self._explain(live, unproven)
            raise
        self._proof.finish()
        self._seen |= {file.path: deletes_of(file) for file in files}

    def _explain(self, live: Live, files: list[DataFile]) -> None:
        """The same violation, shown with the whole rows that a person would recognise."""
        proof = EvolutionProof(self._whole)
        for batch in live.rows(files):
            proof.add(rewrite(batch, self._whole))

    def _with_nulls(self, live: Live, files: list[DataFile]) -> list[DataFile]:
        """The files whose manifests do not say that the columns hold no NULL."""
        if live.inventory is None or any(
            requires_inside(column.type) for column in self._part.definition.schema
        ):
            return files
        schema = live.source.metadata.schema()
        columns = [c for c in columns_of(live.source, schema) if c.arrow.name in self._names]
        if len(columns) < len(self._part.must_not_be_null):
            return files  # a new column, which is NULL everywhere
        clean = _without_nulls(live.inventory, columns)
        return [file for file in files if file.ordinal not in clean]


def _without_nulls(inventory: Inventory, columns: Sequence[Column]) -> set[int]:
    """The ordinals of the files that hold no NULL in any of these columns, for sure."""
    specs = inventory.source.metadata.specs()
    indices = range(len(inventory.listing.data))
    found: set[int] = set()
    for index, manifest in zip(indices, inventory.manifests(indices), strict=True):
        clean = np.ones(len(manifest), np.bool_)
        for column in columns:
            counts = proven_in(manifest, specs.get(manifest.spec_id), column).null_count
            known: Any = pa.nulls(len(manifest), pa.int64()) if counts is None else counts
            clean &= known.fill_null(1).to_numpy(zero_copy_only=False) == 0
        found.update(ordinals_of([index], [manifest])[clean].tolist())
    return found


def narrowed(evolution: Evolution) -> tuple[Evolution, tuple[str, ...]]:
    """What of an evolution its proof needs, and the old columns which that is made of."""
    schema = evolution.definition.schema
    wanted = set(evolution.must_not_be_null)
    for constraint in evolution.constraints_to_check:
        if isinstance(constraint, Check):
            wanted |= parse_expression(constraint.expression, schema).columns
        else:
            wanted |= set(constraint.columns)
    chosen = [index for index, name in enumerate(schema.names) if name in wanted]
    sources = [evolution.columns[index] for index in chosen]
    before = evolution.before.schema
    read = sorted({index for source in sources for index in _read_by(source, len(before))})
    places = {index: place for place, index in enumerate(read)}
    part = Evolution(
        Definition(pa.schema([before.field(index) for index in read])),
        Definition(pa.schema([schema.field(index) for index in chosen])),
        tuple(_placed(source, places) for source in sources),
        evolution.must_not_be_null,
        evolution.constraints_to_check,
    )
    return part, tuple(before.field(index).name for index in read)


def _read_by(source: ColumnSource, width: int) -> Iterator[int]:
    match source:
        case Kept():
            yield source.index
        case Converted():
            yield from _read_by(source.source, width)
        case Computed():
            yield from range(width)


def _placed(source: ColumnSource, places: dict[int, int]) -> ColumnSource:
    match source:
        case Kept():
            return Kept(places[source.index])
        case Converted():
            return replace(source, source=_placed(source.source, places))
    return source
