"""The whole document: a filter's text in, conditions of ours out.

Only text that is no JSON object is an error of the caller's. Everything else widens: a later DuckDB may
write what we never saw, and its query must not fail for it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pyarrow as pa

from lakeport.airport.pushdown.read import Reader, listed
from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.airport.pushdown.sql import write
from lakeport.airport.pushdown.widen import (
    Condition,
    Leaf,
    Unknown,
    conjuncts,
    leaves,
    predicate_of,
    read_condition,
    sql_of,
)
from lakeport.catalog.expressions import Expression, parse_expression
from lakeport.catalog.predicates import And, Predicate
from lakeport.core.errors import InvalidRequestError, LakeportError
from lakeport.core.names import NameMap

MAX_TEXT = 32 * 1024 * 1024
"""Characters of a document; a longer one does not filter. An IN of 100,000 numbers takes 20 million."""

MAX_REMEMBERED = 64 * 1024

_REFUSED = "more than an expression may hold"


@dataclass(frozen=True, slots=True)
class Pushed:
    """A row is wanted where both conditions are TRUE. `predicate` is bound to the schema.

    `exact` when they are the whole filter; else `dropped` says what was left out, a reason each.
    """

    predicate: Predicate | None = None
    expression: Expression | None = None
    exact: bool = True
    dropped: tuple[str, ...] = ()


def parse_filters(json_text: str, schema: pa.Schema, names: Sequence[str] | None = None) -> Pushed:
    """The filter over the table's own columns. The document's columns are numbers that count its own
    list of names; `names` stands in for one that has none (default: the schema's order). A name that
    the schema lacks, as the row id's may be, widens. No text at all is no filter.
    """
    given = schema.names if names is None else names
    if len(json_text) > MAX_REMEMBERED:
        return _parse(json_text, schema, tuple(given))
    # Two schemas are equal to Python when only their metadata differs, which holds DuckDB's types.
    return _remembered(json_text, schema.serialize().to_pybytes(), tuple(given))


@lru_cache(maxsize=512)
def _remembered(json_text: str, serialized: bytes, names: tuple[str, ...]) -> Pushed:
    return _parse(json_text, pa.ipc.read_schema(pa.py_buffer(serialized)), names)


def _parse(json_text: str, schema: pa.Schema, names: tuple[str, ...]) -> Pushed:
    if not json_text.strip():
        return Pushed()
    try:
        document = _document(json_text)
        filters = listed(document.get("filters", []))
    except NotEvaluatedError as refusal:
        return Pushed(exact=False, dropped=(str(refusal),))
    own = document.get("column_binding_names_by_index")
    fields = NameMap((column.name, column) for column in schema)
    reader = Reader(own if isinstance(own, list) else names, fields)
    return _Translation(schema).of([read_condition(found, reader) for found in filters])


def _document(json_text: str) -> dict[str, Any]:
    if len(json_text) > MAX_TEXT:
        raise NotEvaluatedError(f"a document of {len(json_text):,} characters")
    try:
        document = json.loads(json_text)
    except json.JSONDecodeError as error:
        raise InvalidRequestError(
            f"the filter is no JSON: {error.msg} at character {error.pos}",
            hint='send DuckDB\'s own document, {"filters": […], …}, or nothing',
        ) from None
    except RecursionError:
        raise NotEvaluatedError("a document that nests too deep") from None
    except ValueError:
        raise NotEvaluatedError("a number of too many digits") from None
    if not isinstance(document, dict):
        raise InvalidRequestError(
            "the filter is JSON, but no object",
            hint='send DuckDB\'s own document, {"filters": […], …}, or nothing',
        )
    return document


@dataclass(slots=True)
class _Translation:
    schema: pa.Schema
    dropped: dict[str, None] = field(default_factory=dict)  # in order, each reason once

    def of(self, filters: list[Condition]) -> Pushed:
        predicates, rest = [], []
        for condition in (inner for found in filters for inner in conjuncts(found)):
            found = predicate_of(condition, self.schema)
            if found is not None:
                predicates.append(found.predicate)
            if found is None or not found.is_exact:
                rest.append(condition)
        expression = self._expression(rest)
        predicate = predicates[0] if len(predicates) == 1 else And(tuple(predicates))
        return Pushed(
            predicate if predicates else None, expression, not self.dropped, tuple(self.dropped)
        )

    def _expression(self, conditions: list[Condition]) -> Expression | None:
        """All conditions at once if the engine takes them so, else what it takes of them."""
        self._note(conditions)
        texts = [sql_of(condition, self._text) for condition in conditions]
        whole = self._accepted([text for text in texts if text is not None])
        if whole is not None or not any(texts):
            return whole
        kept: list[str] = []
        for condition in conditions:
            text = sql_of(condition, self._accepted_text)
            if text is None:
                continue
            if self._accepted([*kept, text]) is None:
                self.dropped.setdefault(_REFUSED)
            else:
                kept.append(text)
        return self._accepted(kept)

    def _note(self, conditions: list[Condition]) -> None:
        for condition in conditions:
            for leaf in leaves(condition):
                if isinstance(leaf, Unknown):
                    self.dropped.setdefault(leaf.reason)

    def _text(self, leaf: Leaf) -> str | None:
        try:
            return write(leaf.node)
        except NotEvaluatedError as refusal:
            self.dropped.setdefault(str(refusal))
            return None

    def _accepted_text(self, leaf: Leaf) -> str | None:
        text = self._text(leaf)
        if text is None or self._accepted([text]) is not None:
            return text
        self.dropped.setdefault(_why(text, self.schema))
        return None

    def _accepted(self, texts: list[str]) -> Expression | None:
        try:
            return parse_expression(" AND ".join(texts), self.schema) if texts else None
        except LakeportError:
            return None


def _why(text: str, schema: pa.Schema) -> str:
    try:
        parse_expression(text, schema)
    except LakeportError as error:
        return error.message
    return _REFUSED
