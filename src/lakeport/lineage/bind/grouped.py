"""What HAVING and ORDER BY may name once rows are grouped, where Spark is the engine.

Behind a grouping only its keys, the outputs and aggregates are left. Spark calls every other column
unresolved; engines that answer with "must be grouped" instead are not judged here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.misses import several_outputs
from lakeport.lineage.bind.scope import CONDITIONAL, Column
from lakeport.lineage.engines import text_of
from lakeport.lineage.issues import IssueCode

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.column_types import ColumnTypes
    from lakeport.lineage.bind.scope import Item, Ref, Scope

_COMMUTATIVE = (exp.Add, exp.Mul, exp.And, exp.Or, exp.EQ)
# Groupings of several keys.
_SEVERAL = frozenset({exp.Tuple, exp.Paren, exp.Cube, exp.Rollup, exp.GroupingSets})
# Aggregates that take keys, and what has columns of its own.
_GROUPINGS = (exp.Grouping, exp.GroupingId)
_CLOSED = (exp.Query, exp.Lambda)
# Most nodes by far, with nothing but names below them.
_LEAVES = frozenset({exp.Column, exp.Identifier, exp.Literal})
_SORTS = ("order", "sort", "cluster", "distribute")


_Place: TypeAlias = "tuple[int, str | None]"


def check_grouped(binder: Binder, node: exp.Select, scope: Scope, items: list[Item]) -> None:
    """Report columns of the sources that the grouping took away."""
    if binder.dialect.naming != "spark":
        return
    args = node.args
    having = args.get("having")
    sorts = [clause for name in _SORTS if (clause := args.get(name)) is not None]
    if having is None and not sorts:
        return
    filtered = [having.this] if having is not None else []
    sorted_by = [key for clause in sorts for key in clause.expressions]
    keys = _keys(node)
    gone = _gone_from(binder, scope, _columns_left(binder, keys, items))
    # Most queries filter and sort by what they show; looking closer costs more than this.
    if not (
        any(_taken_away(key, gone, _AGGREGATES) for key in filtered)
        or any(_is_taken_away(key, gone) for key in sorted_by)
    ) or not is_grouped(node):
        return
    shown = [item.expression for item in items if isinstance(item, Column) and item.expression]
    there = _Whole([*keys, *shown], binder.types, of=node)
    _check(binder, filtered, gone, there, repeated=scope.repeated)
    if _uses(node, exp.Window):
        # Something lies between the grouping and the sort: that can name what comes out, no more.
        there = _NOTHING
    elif having is not None and scope.merged:
        # Spark loses its way from the sort through HAVING to a join that merged columns.
        there = _Whole(shown, binder.types, aggregates=False, of=node)
    _check(binder, sorted_by, gone, there)


def grouping_keys(binder: Binder, node: exp.Expr, scope: Scope) -> list[Ref]:
    """What tells groups of several groupings apart: `GROUPING_ID()`, and Hive's `GROUPING__ID`."""
    select = node.find_ancestor(exp.Select)
    group = select.args.get("group") if select is not None else None
    keys = group.find_all(exp.Column) if group is not None else ()
    found = [ref for key in keys for ref in binder.read(key, scope)]
    held = {
        (id(ref.origin), ref.path): replace(ref, role=CONDITIONAL, derived=True) for ref in found
    }
    return list(held.values())


def is_grouped(node: exp.Select | None) -> bool:
    """Whether a SELECT makes groups of its rows."""
    if node is None:
        return False
    args = node.args
    return bool(args.get("group") or args.get("having")) or _uses(node, exp.AggFunc)


class _Whole:
    """What is there behind a grouping beside plain columns: expressions, aggregates of anything."""

    __slots__ = ("_expressions", "_of", "_scalars", "_texts", "_types", "aggregates")

    def __init__(
        self,
        expressions: list[exp.Expr],
        types: ColumnTypes | None,
        *,
        aggregates: bool = True,
        of: exp.Select | None = None,
    ) -> None:
        self._types = types
        self.aggregates = aggregates
        # The SELECT, and the functions that do not aggregate in it, once one was met.
        self._of = of
        self._scalars: frozenset[str] | None = None
        self._expressions = expressions
        # The texts of those of a class, once one of that class was looked for.
        self._texts: dict[type, set[str]] = {}

    def may_aggregate(self, node: exp.Expr) -> bool:
        """Whether a function takes any column: an aggregate, or one of which nothing says it is none."""
        if node.__class__ is exp.Anonymous:
            if self._scalars is None and self._of is not None:
                self._scalars = _scalar_functions(self._of)
            return self._scalars is not None and node.name.lower() not in self._scalars
        if isinstance(node, _GROUPINGS):
            return False
        return self.aggregates and isinstance(node, exp.AggFunc)

    def holds(self, node: exp.Expr) -> bool:
        """Whether an expression is there: written out, which costs, to be compared."""
        if not self._expressions:
            return False
        cls = node.__class__
        alike = self._texts.get(cls)
        if alike is None:
            alike = self._texts[cls] = {
                _text(expression, self._types)
                for expression in self._expressions
                if expression.__class__ is cls and cls is not exp.Column
            }
        return bool(alike) and _text(node, self._types) in alike


_NOTHING = _Whole([], None, aggregates=False)
_AGGREGATES = _Whole([], None)


def _is_taken_away(key: exp.Expr, gone: Callable[[exp.Expr], bool]) -> bool:
    """Whether a sort names a column that only an aggregate could still see."""
    inner = key.args["this"] if key.__class__ is exp.Ordered else key
    if inner.__class__ is exp.Column:
        return gone(inner)
    return bool(_taken_away(inner, gone, _NOTHING))


def _check(
    binder: Binder,
    expressions: list[exp.Expr],
    gone: Callable[[exp.Expr], bool],
    whole: _Whole,
    repeated: Container[str] = (),
) -> None:
    for expression in expressions:
        for column in _taken_away(expression, gone, whole):
            if column.args.get("table") is None and binder.key(column.this) in repeated:
                several_outputs(binder, column.this)
                continue
            binder.report(
                IssueCode.UNKNOWN_COLUMN,
                f"column `{column.name}` is neither grouped nor aggregated, so it is gone here",
                at=column.this,
                column=column.name,
                hint="add it to GROUP BY, or aggregate it",
            )


def _scalar_functions(node: exp.Select) -> frozenset[str]:
    """Functions we do not know that cannot aggregate here: they hold an aggregate, or make keys or filters."""
    clauses = [node.args.get(name) for name in ("group", "where")]
    found = {
        call.name.lower()
        for clause in clauses
        if clause is not None
        for call in clause.find_all(exp.Anonymous)
    }
    for call in node.find_all(exp.Anonymous):
        if any(isinstance(part, exp.AggFunc) for part in call.walk()):
            found.add(call.name.lower())
    return frozenset(found)


def _uses(select: exp.Select, kind: type[exp.Expr]) -> bool:
    """Whether the select list holds such a thing: not in subqueries, and not as the function of a window."""
    stack = list(select.expressions)
    while stack:
        node = stack.pop()
        if node.__class__ in _LEAVES or isinstance(node, exp.Query):
            continue
        if isinstance(node, kind):
            return True
        children = list(node.iter_expressions())
        if isinstance(node, exp.Window):
            function = node.this
            children.remove(function)
            while isinstance(function, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
                function = function.this
            children += function.iter_expressions()
        stack += children
    return False


def _keys(node: exp.Select) -> list[exp.Expr]:
    """Every expression rows are grouped by, those of grouping sets one by one."""
    group = node.args.get("group")
    if group is None:
        return []
    pending: list[exp.Expr] = list(group.expressions)
    for name in ("grouping_sets", "cube", "rollup"):
        pending += group.args.get(name) or ()
    found: list[exp.Expr] = []
    while pending:
        key = pending.pop()
        if key.__class__ in _SEVERAL:
            pending += key.iter_expressions()
        found.append(key)
    return found


def _columns_left(binder: Binder, keys: list[exp.Expr], items: list[Item]) -> set[_Place]:
    left: set[_Place] = set()
    bound = binder.types.bound
    for key in keys:
        ref = bound.get(id(key))
        if ref is not None:
            left.add((id(ref.origin), ref.path))
    for item in items:
        if isinstance(item, Column) and item.identity:
            for ref in item.refs:
                left.add((id(ref.origin), ref.path))
    return left


def _text(node: exp.Expr, types: ColumnTypes | None) -> str:
    """Equal texts are equal keys: columns by what they mean, the terms of a sum in any order."""
    if isinstance(node, _COMMUTATIVE):
        first, second = sorted((_text(node.this, types), _text(node.expression, types)))
        return f"{type(node).__name__}({first}, {second})"
    twin = node.copy()
    for column, copied in zip(
        node.find_all(exp.Column), list(twin.find_all(exp.Column)), strict=True
    ):
        ref = types.bound.get(id(column)) if types is not None else None
        # A name that stands for a select item is nothing of the sources'.
        if ref is not None and types is not None and id(column) not in types.aliased:
            copied.set("this", exp.to_identifier(f"{id(ref.origin)} {ref.path}", quoted=True))
            for part in ("table", "db", "catalog"):
                copied.set(part, None)
    for literal in twin.find_all(exp.Literal):
        if literal.is_string:  # its case counts, that of everything else does not
            literal.set("this", literal.this.encode(errors="surrogatepass").hex())
    return text_of(twin, "").lower()


def _taken_away(root: exp.Expr, gone: Callable[[exp.Expr], bool], whole: _Whole) -> list[exp.Expr]:
    """The columns of an expression that are gone and not part of what is there as a whole."""
    found: list[exp.Expr] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, _CLOSED) or whole.may_aggregate(node):
            continue
        if node.__class__ is exp.Column:
            if gone(node):
                found.append(node)
        elif not whole.holds(node):
            stack += node.iter_expressions()
    return found


def _gone_from(binder: Binder, scope: Scope, left: set[_Place]) -> Callable[[exp.Expr], bool]:
    bound = binder.types.bound

    def gone(column: exp.Expr) -> bool:
        ref = bound.get(id(column))
        if ref is None or (id(ref.origin), ref.path) in left or (id(ref.origin), None) in left:
            return False
        origin = ref.origin
        if not isinstance(origin, Column):
            return False
        if not any(source.relation is origin.relation for source in scope.sources):
            return False
        outer = binder.key(column.args.get("db") or column.args.get("table") or column.this)
        if outer in scope.repeated:
            return True
        return not (origin.inferred or outer in scope.projection or outer in scope.aliases)

    return gone
