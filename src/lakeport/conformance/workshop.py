"""A schema of the suite's own, and the tables it makes there. Nothing else of the catalog is ever changed.

It is made when the first table is, and whatever is in it goes at the end, after failures and Ctrl-C, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

import pyarrow as pa

from lakeport.conformance import listing
from lakeport.conformance.attached import Attached, RefusedError
from lakeport.conformance.exchange import CHUNK, Changed, change
from lakeport.conformance.objects import Entry, entry_of
from lakeport.conformance.packing import schema_bytes
from lakeport.conformance.verdicts import BrokenRuleError, NotOfferedError, WrongUseError, broken
from lakeport.core.status import GrpcCode

NOT_OFFERED = (GrpcCode.UNIMPLEMENTED, GrpcCode.PERMISSION_DENIED)

_COLUMNS: dict[str, pa.DataType] = {"id": pa.int64(), "name": pa.string(), "v": pa.float64()}
PLAIN = pa.schema(_COLUMNS)
ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", None], "v": [1.5, None, -2.5]}, schema=PLAIN)


@dataclass
class Workshop:
    attached: Attached
    namespace: str
    answer: bytes | None = None
    """That of `create_schema`, once it was asked for."""
    _refusal: Exception | None = None
    _numbers: count[int] = field(default_factory=lambda: count(1))
    _made: dict[str, None] = field(default_factory=dict)
    """Names that may be taken by now."""

    @property
    def is_made(self) -> bool:
        return self.answer is not None

    def ready(self) -> str:
        """The schema's name; it is there now."""
        if self._refusal is not None:
            raise self._refusal
        if self.answer is None:
            try:
                self.answer = self._create()
            except (BrokenRuleError, NotOfferedError) as refusal:
                self._refusal = refusal
                raise
        return self.namespace

    def _create(self) -> bytes:
        body = self.attached.named(schema=self.namespace, comment=None, tags={})
        try:
            return self.attached.one("create_schema", body)
        except RefusedError as refusal:
            if refusal.code in NOT_OFFERED:
                said = f"no schema can be created: {refusal.failure}"
                raise NotOfferedError(said) from None
            if refusal.code is GrpcCode.ALREADY_EXISTS:
                raise WrongUseError(
                    f"the schema `{self.namespace}` is there already",
                    hint="name one that is not with --schema: it is removed at the end",
                ) from None
            raise broken("4", f"`create_schema` was refused: {refusal.failure}") from None

    def name(self) -> str:
        """Of a table that is not there yet."""
        self.ready()
        name = f"t{next(self._numbers)}"
        self._made[name] = None
        return name

    def anonymous(self, text: str) -> str:
        """One of our own tables is as good as another."""
        return re.sub(rf"{re.escape(self.namespace)}\.t\d+", "a table", text)

    def create(
        self,
        schema: pa.Schema,
        name: str | None = None,
        *,
        rows: pa.Table | None = None,
        **more: object,
    ) -> Entry:
        """A table as the client holds it after CREATE TABLE, with rows as after CREATE TABLE AS."""
        called = self.name() if name is None else name
        self._made[called] = None
        entry = entry_of(
            self.attached.one("create_table", self.request(called, schema, **more)),
            "4",
            self.attached.catalog,
        )
        if entry.kind != "table" or entry.name != called:
            raise broken(
                "4", f"`create_table` of `{called}` answers with the {entry.kind} `{entry.name}`"
            )
        if rows is not None:
            self.fill(entry, rows)
        return entry

    def request(self, name: str, schema: pa.Schema, **more: object) -> dict[str, object]:
        """All twelve keys, as DuckDB sends them; the schema's fields say nothing but name and type."""
        return {
            "catalog_name": self.attached.catalog,
            "schema_name": self.ready(),
            "table_name": name,
            "arrow_schema": schema_bytes(schema),
            "on_conflict": "error",
            "not_null_constraints": [],
            "unique_constraints": [],
            "check_constraints": [],
            "primary_key_columns": [],
            "unique_columns": [],
            "multi_key_primary_keys": [],
            "extra_constraints": [],
        } | more

    def plain(self) -> Entry:
        """A table of its own with three rows."""
        return self.create(PLAIN, rows=ROWS)

    def fill(self, entry: Entry, rows: pa.Table, *, returning: bool = False) -> Changed:
        batches = rows.combine_chunks().to_batches(CHUNK)
        return change(
            self.attached,
            "insert",
            entry.descriptor,
            batches,
            schema=rows.schema,
            returning=returning,
        )

    def alter(self, action: str, entry: Entry, **more: object) -> Entry:
        """What the client holds after an ALTER."""
        body = self.base(entry, **more)
        return entry_of(self.attached.one(action, body), "4", self.attached.catalog)

    def base(self, entry: Entry, **more: object) -> dict[str, object]:
        return {
            "catalog": self.attached.catalog,
            "schema": entry.namespace,
            "name": entry.name,
            "ignore_not_found": False,
        } | more

    def drop(self, name: str, *, ignore: bool = False, **more: object) -> Sequence[bytes]:
        body = self.attached.named(
            type="table", schema_name=self.namespace, name=name, ignore_not_found=ignore
        )
        return self.attached.results("drop_table", body | more)

    def drop_namespace(self, name: str, *, ignore: bool = False, **more: object) -> Sequence[bytes]:
        body = self.attached.named(
            type="schema", schema_name="", name=name, ignore_not_found=ignore
        )
        return self.attached.results("drop_schema", body | more)

    def tables(self) -> list[str]:
        """What is in the schema now."""
        root = listing.fetch_root(self.attached)
        return [
            entry.name
            for each in root.namespaces
            if each.name.casefold() == self.namespace.casefold()
            for entry in listing.entries_of(self.attached, root, each)
            if entry.kind == "table"
        ]

    def remove(self) -> None:
        """Everything; what cannot be removed is told."""
        if self.answer is None:
            return
        for name in self._left():
            self.drop(name, ignore=True)
        self.drop_namespace(self.namespace, ignore=True)
        self.answer = None

    def _left(self) -> Sequence[str]:
        """By the listing; where that is broken, by the names that were given out."""
        try:
            return self.tables()
        except (BrokenRuleError, NotOfferedError, RefusedError):
            return list(self._made)
