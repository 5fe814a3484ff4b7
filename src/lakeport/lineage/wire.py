"""What every message of the lineage API has in common: camelCase, and nothing optional when empty.

Requests and results are `msgspec` structs, so one definition gives decoding with a path in the
error, fast encoding and the JSON Schema. Fields with a default are omitted when they equal it.
Messages are trees, so the garbage collector need not look at them: they never hold a cycle.
"""

from __future__ import annotations

import msgspec


class Wire(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True, frozen=True, gc=False):
    """A value: snake_case in Python, camelCase in JSON."""


class Record(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True, gc=False):
    """The same, but filled in step by step while the graph grows."""


class Span(msgspec.Struct, frozen=True, gc=False):
    """A half-open range in a source text, counted in the unit that `encoding` names."""

    start: int
    end: int
