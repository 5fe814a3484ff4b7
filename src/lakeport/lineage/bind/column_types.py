"""The types of what a statement binds: expressions, columns and references, each found once.

Types of stored columns are declared, all others follow from their expressions. A declared type keeps
its own text, also in the copies of its column.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Column
from lakeport.lineage.types import (
    SqlType,
    common_of,
    field_type,
    infer,
    read_type,
    type_text,
)

if TYPE_CHECKING:
    from lakeport.lineage.bind.scope import Ref
    from lakeport.lineage.session import Session

_MAX_COPIES = 64


@lru_cache(maxsize=4096)
def _in_a_query(text: str, dialect: str) -> str | None:
    """A query's column has Spark's own spelling of the type: `integer` is `int`, and `varchar` is
    a string, because only tables pad and check it.
    """
    kind = read_type(text, dialect)
    if kind is None:
        return None
    return "string" if kind.kind in {"varchar", "char"} else type_text(kind, dialect)


class ColumnTypes:
    """Holds no way back to the binder: their plan goes without a collection."""

    __slots__ = (
        "_dialect",
        "_folding",
        "_registry",
        "_spark",
        "_variables",
        "aliased",
        "bound",
        "memo",
    )

    def __init__(self, session: Session) -> None:
        self._dialect = session.dialect.name
        self._spark = session.dialect.naming == "spark"
        self._folding = session.folding
        self._registry = session.registry
        self._variables = session.variables
        # By the identity of the node: what column references mean, the first if there are several.
        self.bound: dict[int, Ref] = {}
        # References to select aliases, which have the type of the whole expression.
        self.aliased: dict[int, Column] = {}
        self.memo: dict[int, SqlType | None] = {}

    def of(self, node: exp.Expr | None) -> SqlType | None:
        """The type of a bound expression, if it can be known."""
        if node is None:
            return None
        if self._registry.has_routines:
            self._type_calls(node)
        return infer(node, self.of_name, self._dialect, self.memo)

    def _type_calls(self, node: exp.Expr) -> None:
        """Calls of functions the workload created have the type it declared."""
        for call in node.find_all(exp.Anonymous):
            routine = self._registry.routine(call.name, len(call.expressions))
            if routine is not None and routine.returns is not None:
                self.memo[id(call)] = read_type(routine.returns, self._dialect)

    def of_name(self, node: exp.Expr) -> SqlType | None:
        """The type of a bound column reference."""
        key = id(node)
        if key in self.aliased:
            return self.of_column(self.aliased[key])
        ref = self.bound.get(key)
        if ref is not None:
            origin = ref.origin
            if origin.__class__ is Column and origin.typed and not ref.path:
                return origin.type
            return self.of_ref(ref)
        if not self._variables:
            return None
        name = node.this
        variable = self._variables.get(
            self._folding.column(name.name, quoted=bool(name.args.get("quoted")))
        )
        return variable.type if variable is not None else None

    def of_column(self, column: Column) -> SqlType | None:
        """The type of a column, computed once."""
        if column.typed:
            return column.type
        column.typed = True
        if column.identity:
            self._type_copied(column)
        entry, expression = column.entry, column.expression
        if entry is not None:
            text = entry.data_type
            column.type = read_type(text, self._dialect) if text else None
        elif expression is not None:
            column.type = self.of(expression)
        elif column.identity and len(column.refs) == 1:
            column.type = self.of_ref(column.refs[0])
        return column.type

    def _type_copied(self, column: Column) -> None:
        """What a copy was copied from has its type first: a long way there is no deep one."""
        behind: list[Column] = []
        while column.identity and len(column.refs) == 1 and len(behind) < _MAX_COPIES:
            origin = column.refs[0].origin
            if origin.__class__ is not Column or origin.typed:
                break
            behind.append(origin)
            column = origin
        for origin in reversed(behind):
            self.of_column(origin)

    def of_ref(self, ref: Ref) -> SqlType | None:
        """The type of what a reference reads."""
        origin = ref.origin
        if origin.__class__ is not Column:
            return None
        kind = self.of_column(origin)
        return field_type(kind, ref.path.split(".")) if ref.path else kind

    def common(self, kinds: list[SqlType | None]) -> SqlType | None:
        """The type that holds all of them."""
        return common_of(kinds, self._dialect)

    def text(self, kind: SqlType | None) -> str | None:
        """A type in the request's dialect."""
        return type_text(kind, self._dialect) if kind is not None else None

    def declaration(self, node: exp.Expr) -> str | None:
        """The declared type of a plain reference to a stored column, as text."""
        key = id(node)
        ref = self.bound.get(key)
        if ref is None or ref.path or ref.derived:
            return None
        origin = ref.origin
        if origin.__class__ is not Column or origin.entry is None or key in self.aliased:
            return None
        return origin.entry.data_type

    def shown(self, column: Column) -> str | None:
        """The type of a column as text, declared or derived, written once."""
        if not column.label_known:
            column.label_known = True
            entry = column.entry
            declared = entry.data_type if entry is not None else self.declared(column)
            column.type_label = declared or self.text(self.of_column(column))
        return column.type_label

    def declared(self, column: Column) -> str | None:
        """The declared type's own text, for a column that is a plain copy of a declared one."""
        if column.entry is None and not column.identity:
            return None
        seen = 0
        while column.entry is None and seen < _MAX_COPIES:
            refs = column.refs
            if not column.identity or column.widened or len(refs) != 1:
                return None
            ref = refs[0]
            origin = ref.origin
            if ref.path is not None or ref.derived or origin.__class__ is not Column:
                return None
            column, seen = origin, seen + 1
        text = column.entry.data_type if column.entry is not None else None
        if text is None or not seen or not self._spark:
            return text
        return _in_a_query(text, self._dialect)
