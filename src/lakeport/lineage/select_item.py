"""An unnamed select item among its sources, as the printer of Spark's names asks about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.fragment_types import FragmentTypes
from lakeport.lineage.bind.outer_names import outer_names, outer_reference, subqueries
from lakeport.lineage.bind.patterns import matching_items
from lakeport.lineage.variables import is_session_qualifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Scope
    from lakeport.lineage.types import SqlType

# A catalog, a schema and a table.
_LONGEST = 3


class SelectItem:
    """Implements `Surroundings`."""

    __slots__ = ("_binder", "_fold", "_scope", "_select", "_types", "outer")

    def __init__(self, binder: Binder, node: exp.Expr, scope: Scope) -> None:
        select = node.find_ancestor(exp.Select)
        windows = select.args.get("windows") or [] if select is not None else []
        self._binder = binder
        self._scope = scope
        self._fold = binder.folding.column
        self._select = select
        self._types = FragmentTypes(binder, [node, *windows])
        self.outer = _outer(binder, node, scope)

    @property
    def time_zone(self) -> str | None:
        return self._binder.registry.settings.time_zone

    @property
    def wall_clock(self) -> bool:
        return self._binder.registry.settings.wall_clock

    @property
    def calendar_intervals(self) -> bool:
        return self._binder.registry.settings.calendar_intervals

    def qualifiers(self, parts: list[str]) -> int:
        names = [self._fold(part) for part in parts[:-1]]
        sources = self._scope.sources
        for count in range(min(len(names), _LONGEST), 0, -1):
            schema = tuple(names[: count - 1])
            for source in sources:
                if source.alias == names[count - 1] and source.relation.name[-count:-1] == schema:
                    return count
        if not names or self.is_column(parts[0]):
            return 0
        # Not every table says which schema it is in.
        aliases = {source.alias for source in sources}
        return next((place + 1 for place, name in enumerate(names) if name in aliases), 0)

    def is_column(self, name: str) -> bool:
        key = self._fold(name)
        return any(
            relation.entry.find(key) if relation.entry is not None else relation.find(key)
            for relation in (source.relation for source in self._scope.sources)
        )

    def is_alias(self, name: str) -> bool:
        scope, key = self._scope, self._fold(name)
        alias = scope.aliases.get(key)
        # What generators and time windows make is a column, not an alias.
        if alias is None or alias.expression is None or scope.projection.get(key) is not alias:
            return False
        return not self.is_column(name)

    def outer_reference(self, parts: list[str]) -> str | None:
        return outer_reference(self._binder, parts, self._scope)

    def window(self, name: str) -> list[Token]:
        return self._binder.fragments.window(self._select, name) if self._select else []

    def star(self, name: str) -> list[str]:
        key = self._fold(name)
        names = self._binder.column_names
        chosen = [s.relation for s in self._scope.sources if not name or s.alias == key]
        return [column.name for relation in chosen for column in names(relation)]

    def matching(self, pattern: str) -> list[str]:
        if not self._binder.registry.settings.quoted_patterns:
            return []
        return [item.name for item in matching_items(self._binder, pattern, self._scope)]

    def type_of(self, tokens: list[Token]) -> SqlType | None:
        return self._types.type_of(tokens)

    def routine(self, name: str) -> str | None:
        known = self._binder.registry.routine(name)
        return known.name if known is not None else None

    def variable(self, parts: list[str]) -> str | None:
        held = self._binder.variables.get(self._fold(parts[-1]))
        if held is None or held.value is None or self.is_column(parts[0]):
            return None
        return held.value if is_session_qualifier(parts[:-1]) else None


def _outer(binder: Binder, node: exp.Expr, scope: Scope) -> Iterator[list[str]]:
    for query in subqueries(node):
        yield outer_names(binder, query, scope)
